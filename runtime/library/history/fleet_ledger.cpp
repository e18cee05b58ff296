#include "library/history/fleet_ledger.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/wall_text.hpp"
#include "library/history/audit_sum.hpp"
#include "library/history/believed_rows.hpp"
#include "library/history/fleet_definitions.hpp"
#include "library/history/fleet_newest.hpp"
#include "library/history/fleet_pages.hpp"
#include "library/history/fleet_terms.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "storage/run_search.hpp"

namespace ballot::library {
namespace {

using io::Message;
using Answer = FleetAnswers::Answer;
using storage::Account;
using storage::PlacedRow;

const std::string& store = store_source;

std::string status_text(const Row& row) {
  const std::string status(to_string(row.status));
  return row.reason == Reason::none ? status : status + ": " + std::string(to_string(row.reason));
}

constexpr Millis audit_patience = std::chrono::minutes(9);
}  // namespace

Result<std::vector<Row>> FleetLedger::evidence() {
  std::vector<Row> rows;
  for (const Account& one : fleet_.evidence()) rows.push_back(one.row);
  return rows;
}

bool FleetLedger::is_evidence(const Row& row) const { return shown_evidence_.contains(key_of(row)); }

// ---- rows

bool FleetLedger::is_certain(const Row& row, const std::string& ledger) const {
  return row.run && row.node == ledger && is_final(row.status) && row.status != Status::lost;
}

std::vector<std::string> FleetLedger::page_sources() const {
  std::vector<std::string> sources = fleet_.ledgers();
  sources.push_back(store);
  return sources;
}

/// All of it is one page.
void FleetLedger::add_evidence_page(storage::PageMerge& pages, const storage::Filter& filter) const {
  const auto wanted = pages.wanted();
  if (std::find(wanted.begin(), wanted.end(), store) == wanted.end()) return;
  const auto after = pages.next_page(store, filter.after);
  auto rows = placed(fleet_.evidence(), store);
  std::erase_if(rows, [&](const PlacedRow& one) { return !matches(filter, one.row) || !is_after(one.at, after); });
  pages.add(store, std::move(rows), true);
}

/// One that does not answer is left out.
Result<void> FleetLedger::read_pages(storage::PageMerge& pages, const storage::Filter& filter, std::int64_t most) {
  FleetAnswers::Questions questions;
  for (const std::string& ledger : pages.wanted()) {
    const auto after = pages.next_page(ledger, filter.after);
    if (ledger != store) questions.emplace_back(ledger, page_question(filter, after, most));
  }
  add_evidence_page(pages, filter);
  const auto answers = fleet_.ask(questions);
  if (!answers) return answers.error();
  for (const auto& [ledger, question] : questions) {
    const auto answer = std::find_if(answers->begin(), answers->end(),
                                     [&, &name = ledger](const Answer& one) { return one.ledger == name; });
    auto rows = answer == answers->end()
                    ? Result<std::vector<PlacedRow>>(std::vector<PlacedRow>())
                    : placed_rows(answer->message, ledger, filter, pages.next_page(ledger, filter.after));
    if (!rows) fleet_.lose(ledger, rows.error().what);
    if (answer == answers->end() || !rows) {
      pages.leave_out(ledger);
      continue;
    }
    pages.add(ledger, *std::move(rows), answer->message.objects("next").empty());
  }
  return {};
}

Result<std::vector<Account>> FleetLedger::accounts_of(const std::vector<RowKey>& keys) {
  std::vector<Account> accounts;
  for (auto from = keys.begin(); from != keys.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(keys.end() - from, names_at_once);
    std::vector<Message> objects;
    for (auto key = from; key != to; ++key) objects.push_back(to_message(*key));
    Message asked = question("rows_of");
    const auto answers = fleet_.ask_all(asked.set("keys", std::move(objects)));
    if (!answers) return answers.error();
    const AskedRows asked_for({from, to});
    for (Account& one : fleet_.accounts_in(*answers))
      if (asked_for.have(one.row)) accounts.push_back(std::move(one));
    from = to;
  }
  const auto evidence = fleet_.evidence_of(keys);
  accounts.insert(accounts.end(), evidence.begin(), evidence.end());
  return accounts;
}

/// What this node's own ledger knows of these rows.
Result<std::vector<Row>> FleetLedger::own_rows(const std::vector<RowKey>& keys) {
  if (!own_ || keys.empty()) return std::vector<Row>();
  return own_->rows_of(keys);
}

/// What counts.
std::vector<Account> FleetLedger::merged(std::vector<Account> accounts) const {
  if (own_) drop_false_claims(accounts, fleet_.own());
  return storage::merge(std::move(accounts));
}

/// Of the candidates, and of what they yield to, what counts: by ledger and key. Nobody is asked for what a candidate
/// yields to that is here, unless its claim may be a false one.
Result<FleetLedger::Counting> FleetLedger::counting(const std::vector<PlacedRow>& candidates) {
  Doubts doubts;
  std::set<RowKey> of_others;
  std::vector<Account> accounts;
  for (const PlacedRow& one : candidates) {
    accounts.push_back({one.row, one.at.ledger, one.at.ledger == store});
    const bool is_sure = is_certain(one.row, one.at.ledger);
    is_sure ? doubts.note_certain(one.row, one.at.ledger) : doubts.add(one.row);
    if (is_sure && !fleet_.is_own(one.at.ledger)) of_others.insert(key_of(one.row));
  }
  const auto known = own_rows({of_others.begin(), of_others.end()});
  if (!known) return known.error();
  for (const Row& row : *known) doubts.note_certain(row, row.node);
  auto found = accounts_of(doubts.keys());
  if (!found) return found.error();
  for (const Row& row : *known) found->push_back({row, fleet_.own()});
  for (Account& account : *found) {
    if (account.is_evidence) account.ledger = store;
    accounts.push_back(std::move(account));
  }
  Counting counting;
  for (Account& one : merged(std::move(accounts))) {
    std::pair key(one.ledger, key_of(one.row));
    counting.emplace(std::move(key), std::move(one));
  }
  return counting;
}

/// A candidate is shown where it is the row that counts: each run and slot once, whatever page its copies are on.
/// False: `visit` wants no more.
Result<bool> FleetLedger::show(const std::vector<PlacedRow>& candidates, const storage::Filter& filter,
                               const VisitPlacedRow& visit) {
  const auto counts = counting(candidates);
  if (!counts) return counts.error();
  for (const PlacedRow& candidate : candidates) {
    const auto shown = counts->find({candidate.at.ledger, key_of(candidate.row)});
    if (shown == counts->end() || !is_shown_copy(candidate, shown->second.row)) continue;
    if (!matches(filter, shown->second.row)) continue;  // it has ended since its page was read
    note_evidence(shown->second);
    if (!visit(as_shown(shown->second.row, shown->second.is_evidence), candidate.at)) return false;
  }
  return true;
}

Result<std::optional<storage::Position>> FleetLedger::walk(const storage::Filter& filter, const VisitPlacedRow& visit) {
  gather(filter.jobs);
  storage::PageMerge pages(page_sources());
  std::int64_t left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max());
  std::optional<storage::Position> last;
  while (left > 0) {
    const std::int64_t most = std::clamp<std::int64_t>(left, 1, page_rows);
    if (const auto read = read_pages(pages, filter, most); !read) return read.error();
    const std::vector<PlacedRow> candidates = pages.take(most);
    if (candidates.empty() && pages.wanted().empty()) return std::optional<storage::Position>();
    const auto goes_on = show(candidates, filter, [&](const Row& row, const storage::Position& at) {
      --left;
      last = at;
      return visit(row, at);
    });
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return last;
    if (!candidates.empty()) last = candidates.back().at;
  }
  return last;
}

Result<void> FleetLedger::newest_rows(storage::Filter filter, const VisitPlacedRow& visit) {
  gather(filter.jobs);
  const auto show_rows = [this](const auto& rows, const auto& of, const auto& one) { return show(rows, of, one); };
  const auto walk_rows = [this](const auto& of, const auto& one) { return walk(of, one); };
  return read_newest(fleet_, std::move(filter), show_rows, walk_rows, visit);
}

Result<std::vector<Row>> FleetLedger::rows_of(const std::vector<RowKey>& keys) {
  auto accounts = accounts_of(keys);
  if (!accounts) return accounts.error();
  std::vector<Row> rows;
  for (Account& one : merged(*std::move(accounts))) rows.push_back(std::move(one.row));
  return rows;
}

/// The rows of the slot itself before a row of many slots.
Result<std::vector<Row>> FleetLedger::at(const std::string& job, WallTime slot) {
  gather({job});
  auto accounts = accounts_of({{.job = job, .slot = slot, .until = slot}});
  if (!accounts) return accounts.error();
  std::vector<Row> exact, around;
  for (const Account& one : merged(*std::move(accounts))) {
    if (!covers(one.row, job, slot)) continue;
    note_evidence(one);
    (one.row.slot == slot ? exact : around).push_back(as_shown(one.row, one.is_evidence));
  }
  return exact.empty() ? around : exact;
}

Result<std::vector<Account>> FleetLedger::last_accounts(const std::vector<std::string>& jobs) {
  Message asked = question("last_rows");
  const auto answers = fleet_.ask_all(asked.set("jobs", jobs));
  return answers ? Result<std::vector<Account>>(fleet_.accounts_in(*answers)) : answers.error();
}

Result<std::vector<Row>> FleetLedger::last_rows(const std::vector<std::string>& jobs) {
  gather(jobs);
  auto accounts = last_accounts(jobs);
  if (!accounts) return accounts.error();
  for (const Account& one : fleet_.evidence())
    if (std::find(jobs.begin(), jobs.end(), one.row.job) != jobs.end()) accounts->push_back(one);
  std::map<std::string, Account> newest;
  for (Account& one : merged(*std::move(accounts))) {
    if (storage::is_refused_trigger(one.row)) continue;
    std::string job = one.row.job;
    newest.try_emplace(std::move(job), std::move(one));
  }
  std::vector<Row> rows;
  for (const std::string& job : jobs) {
    const auto found = newest.find(job);
    if (found == newest.end()) continue;
    note_evidence(found->second);
    rows.push_back(as_shown(found->second.row, found->second.is_evidence));
  }
  return rows;
}

Result<std::vector<std::string>> FleetLedger::last_statuses(const std::vector<std::string>& jobs) {
  const auto rows = last_rows(jobs);
  if (!rows) return rows.error();
  std::map<std::string, std::string> texts;
  for (const Row& row : *rows) {
    texts[row.job] = status_text(row);
    if (is_evidence(row)) by_store_.insert(row.job);
  }
  // A run that goes on is the job's, whatever became of other slots meanwhile: by the node that leads the job, else
  // of slots that were skipped by this node's ledger, or by the store, which shows it as claimed. One that waits for
  // its next attempt is known to who leads alone.
  const auto is_skipped = [&](const std::string& job) {
    const auto text = texts.find(job);
    return text != texts.end() && text->second.starts_with("skipped");
  };
  std::set<std::string> silent;  // jobs with a run on a node that does not answer: it may go on
  for (const Account& one : fleet_.evidence()) {
    const bool waits = one.row.status == Status::queued;
    const bool is_silent = one.row.status == Status::claimed && fleet_.find_missing(one.row.node);
    if (is_silent) silent.insert(one.row.job);
    if (is_final(one.row.status) || !(waits || is_skipped(one.row.job))) continue;
    texts[one.row.job] = to_string(waits ? Status::queued : is_silent ? Status::claimed : Status::running);
    by_store_.insert(one.row.job);
  }
  const auto own = own_ ? own_->last_statuses(jobs) : Result<std::vector<std::string>>(std::vector<std::string>());
  for (std::size_t i = 0; own && i < own->size(); ++i)
    if (((*own)[i] == "running" || (*own)[i] == "claimed") && is_skipped(jobs[i])) texts[jobs[i]] = (*own)[i];
  for (const LedState& state : fleet_.states())
    if (state.is_running && silent.contains(state.job))
      texts[state.job] = to_string(Status::claimed), by_store_.insert(state.job);
    else if (state.is_running)
      texts[state.job] = to_string(Status::running), by_store_.erase(state.job);
  std::vector<std::string> all;
  for (const std::string& job : jobs) all.push_back(texts[job]);
  return all;
}

Result<std::int64_t> FleetLedger::sequence() {
  return own_ ? own_->sequence() : Error{Errc::invalid, "rows as they change can be asked of one node only, there"};
}

Result<std::int64_t> FleetLedger::changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) {
  return own_ ? own_->changes(filter, since, visit) : sequence();
}

Result<std::optional<storage::RequestPosition>> FleetLedger::requests(const storage::RequestFilter& filter,
                                                                      const VisitRequest& visit) {
  FleetRequests requests(fleet_, [this](const storage::RequestFilter& page) { return request_page(page); });
  return requests.read(
      filter, [this] { return missing(); }, visit);
}

Result<std::optional<storage::DefinitionPosition>> FleetLedger::definitions(const storage::DefinitionFilter& filter,
                                                                            const storage::VisitDefinition& visit) {
  return read_definitions(fleet_, filter, visit);
}

// ---- runs and names

Result<std::vector<RunId>> FleetLedger::find_run(const std::string& suffix) {
  gather({});
  Message asked = question("find_run");
  const auto answers = fleet_.ask_all(asked.set("suffix", suffix));
  if (!answers) return answers.error();
  std::set<RunId> runs;
  const std::string digits = storage::run_digits(suffix);
  const auto is_asked_for = [&](const std::optional<RunId>& run) {
    return run && !digits.empty() && storage::run_digits(run->text()).ends_with(digits);
  };
  for (const Answer& answer : *answers)
    for (const std::string& text : answer.message.texts("runs")) {
      const auto run = RunId::parse(text);
      if (is_asked_for(run))
        runs.insert(*run);
      else
        fleet_.lose(answer.ledger, "it answers with a run that was not asked for");
    }
  for (const Account& one : fleet_.evidence())
    if (is_asked_for(one.row.run)) runs.insert(*one.row.run);
  return std::vector<RunId>(runs.begin(), runs.end());
}

/// The row of the attempt that counts, or evidence of it. Without a node: nobody who answers knows.
Result<Row> FleetLedger::executed(const runner::AttemptId& attempt) {
  gather({});
  auto accounts = accounts_of({{.run = attempt.run, .attempt = attempt.attempt}});
  if (!accounts) return accounts.error();
  for (const Account& one : merged(*std::move(accounts)))
    if (one.row.run == attempt.run && one.row.attempt == attempt.attempt) return one.row;
  return Row();
}

/// Only the node that has executed the attempt has what it printed: where that node answers, and does not have it, it
/// is lost. One that waits has printed nothing, wherever it will be executed.
Result<ShownOutput> FleetLedger::output(const runner::AttemptId& attempt, std::int64_t from) {
  Message asked = question("output");
  asked.set("run", attempt.run.text()).set("attempt", std::int64_t{attempt.attempt}).set("from", from);
  const auto answers = fleet_.ask_all(asked);
  if (!answers && answers.error().code != Errc::not_found) return answers.error();
  const auto row = executed(attempt);
  if (!row) return row.error();
  const std::string& executing = row->node;
  std::optional<ShownOutput> best;
  int most = -1;
  for (const Answer& answer : answers ? *answers : std::vector<Answer>()) {
    auto shown = output_from(answer.message);
    if (!shown) fleet_.lose(answer.ledger, shown.error().what);
    const int value = shown ? worth(*shown, answer.ledger, fleet_.is_own(answer.ledger), executing) : -1;
    if (value <= most) continue;
    most = value;
    best = *std::move(shown);
  }
  if (!best && row->status == Status::queued) return ShownOutput{ShownOutput::Place::here, "", {from, ""}, from};
  if (!best && !executing.empty()) best = ShownOutput{ShownOutput::Place::elsewhere, executing, {from, ""}, from};
  const MissingNode* const silent = best && most < as_executed ? fleet_.find_missing(best->node) : nullptr;
  if (best && !silent) {
    const std::vector<std::string> answering = fleet_.ledgers();
    const bool has_been_asked = std::find(answering.begin(), answering.end(), best->node) != answering.end();
    const bool is_elsewhere = best->place == ShownOutput::Place::elsewhere;
    if (is_elsewhere && has_been_asked && is_final(row->status)) best->place = ShownOutput::Place::lost;
    return *std::move(best);
  }
  const std::vector<MissingNode> missing = fleet_.missing();
  if (!best && !missing.empty())
    return Error{Errc::unavailable, "no node that answers knows the run; these have not answered: " + text_of(missing)};
  if (!best) return answers ? Error{Errc::not_found, "no node knows the run"} : answers.error();
  return Error{Errc::unavailable, "the run is one of node " + best->node +
                                      ", which alone has what it printed, and has not given it: " + silent->why};
}

Result<std::vector<TermRow>> FleetLedger::terms(const std::string& group) {
  return read_terms(fleet_, question("terms").set("group", group));
}

Result<std::vector<TermRow>> FleetLedger::terms_since(WallTime since, std::int64_t most) {
  return read_terms(fleet_, question_of_terms_since(since, most), most);
}

Result<std::vector<std::string>> FleetLedger::names(const Message& question, const char* list) {
  const auto answers = fleet_.ask_all(question);
  if (!answers) return answers.error();
  std::set<std::string> names;
  for (const Answer& answer : *answers)
    for (std::string& name : answer.message.texts(list)) names.insert(std::move(name));
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<std::string>> FleetLedger::instances_of(const std::string& name) {
  Message asked = question("instances_of");
  return names(asked.set("name", name), "names");
}

Result<bool> FleetLedger::known(const char* call, const std::string& name) {
  Message asked = question(call);
  const auto answers = fleet_.ask_all(asked.set("name", name));
  if (!answers) return answers.error();
  return std::any_of(answers->begin(), answers->end(),
                     [](const Answer& one) { return one.message.flag("known").value_or(false); });
}

Result<bool> FleetLedger::knows_job(const std::string& name) {
  const auto is_known = known("knows_job", name);
  if (!is_known || *is_known) return is_known;
  gather({name});
  return std::any_of(fleet_.evidence().begin(), fleet_.evidence().end(),
                     [&](const Account& one) { return one.row.job == name; });
}

Result<bool> FleetLedger::knows_group(const std::string& name) { return known("knows_group", name); }

Result<std::vector<std::string>> FleetLedger::jobs_of(const std::vector<std::string>& groups) {
  Message asked = question("jobs_of");
  return names(asked.set("groups", groups), "names");
}

/// A node that hangs is found out before: an audit may take long.
Result<AuditResult> FleetLedger::audit(const std::vector<std::string>& jobs, const audit::Scope& scope) {
  if (const auto living = fleet_.ask_all(question("sequence")); !living) return living.error();
  Message asked = to_message(storage::Filter{.jobs = jobs, .since = scope.since, .until = scope.until});
  const auto answers =
      fleet_.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("audit")), audit_patience);
  if (!answers) return answers.error();
  AuditSum sum;
  for (const Answer& answer : *answers) {
    auto one = audit_from(answer.message);
    if (!one) {
      fleet_.lose(answer.ledger, one.error().what);
      continue;
    }
    sum.add(*std::move(one), answer.ledger);
  }
  return sum.take();
}

}  // namespace ballot::library
