#include "library/history/fleet_ledger.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/wall_text.hpp"
#include "library/history/audit_sum.hpp"
#include "library/history/believed_rows.hpp"
#include "library/history/fleet_pages.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "storage/run_search.hpp"

namespace ballot::library {
namespace {

using io::Message;
using Answer = FleetAnswers::Answer;
using storage::Account;
using storage::PlacedRow;

const std::string& store = store_source;

/// Nothing that another ledger may have counts before it.
bool is_certain(const Row& row, const std::string& ledger) {
  return row.run && row.node == ledger && is_final(row.status) && row.status != Status::lost;
}

bool covers(const Row& row, const std::string& job, WallTime slot) {
  return row.job == job && row.slot <= slot && slot <= row.slot_until.value_or(row.slot);
}

std::string status_text(const Row& row) {
  const std::string status(to_string(row.status));
  return row.reason == Reason::none ? status : status + ": " + std::string(to_string(row.reason));
}

}  // namespace

Result<std::vector<Row>> FleetLedger::evidence() {
  std::vector<Row> rows;
  for (const Account& one : fleet_.evidence()) rows.push_back(one.row);
  return rows;
}

bool FleetLedger::is_evidence(const Row& row) const { return shown_evidence_.contains(key_of(row)); }

// ---- rows

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

/// Of the candidates, and of what they yield to, what counts: by ledger and key.
Result<FleetLedger::Counting> FleetLedger::counting(const std::vector<PlacedRow>& candidates) {
  std::set<RowKey> keys, of_others;
  std::vector<Account> accounts;
  for (const PlacedRow& one : candidates) {
    accounts.push_back({one.row, one.at.ledger, one.at.ledger == store});
    if (!is_certain(one.row, one.at.ledger))
      keys.insert(key_of(one.row));
    else if (!fleet_.is_own(one.at.ledger))
      of_others.insert(key_of(one.row));
  }
  auto found = accounts_of({keys.begin(), keys.end()});
  if (!found) return found.error();
  if (const auto known = own_rows({of_others.begin(), of_others.end()}); !known)
    return known.error();
  else
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
Result<std::optional<storage::Position>> FleetLedger::walk(const storage::Filter& filter, const VisitPlacedRow& visit) {
  gather(filter.jobs);
  storage::PageMerge pages(page_sources());
  std::int64_t left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max());
  std::optional<storage::Position> last;
  while (left > 0) {
    const std::int64_t most = std::clamp<std::int64_t>(left, 1, page_rows);
    if (const auto read = read_pages(pages, filter, most); !read) return read.error();
    std::vector<PlacedRow> candidates;
    while (std::ssize(candidates) < most)
      if (auto next = pages.next())
        candidates.push_back(*std::move(next));
      else
        break;
    if (candidates.empty() && pages.wanted().empty()) return std::optional<storage::Position>();
    const auto counts = counting(candidates);
    if (!counts) return counts.error();
    for (const PlacedRow& candidate : candidates) {
      last = candidate.at;
      const auto shown = counts->find({candidate.at.ledger, key_of(candidate.row)});
      if (shown == counts->end()) continue;
      note_evidence(shown->second);
      --left;
      if (!visit(shown->second.row, candidate.at)) return last;
    }
  }
  return last;
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
    (one.row.slot == slot ? exact : around).push_back(one.row);
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
    std::string job = one.row.job;
    newest.try_emplace(std::move(job), std::move(one));
  }
  std::vector<Row> rows;
  for (const std::string& job : jobs) {
    const auto found = newest.find(job);
    if (found == newest.end()) continue;
    note_evidence(found->second);
    rows.push_back(found->second.row);
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

/// Each node has the requests that it took up: a page of the fleet's is the newest of each one's page.
Result<std::optional<storage::RequestPosition>> FleetLedger::requests(const storage::RequestFilter& filter,
                                                                      const VisitRequest& visit) {
  storage::RequestFilter rest = filter;
  for (auto left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, page_rows);
    Message asked = to_message(rest);
    const auto answers = fleet_.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("requests")));
    if (!answers) return answers.error();
    std::map<std::pair<WallTime, RunId>, RequestRow, std::greater<>> page;
    bool has_more = false;
    for (const Answer& answer : *answers) {
      has_more = has_more || !answer.message.objects("next").empty();
      for (RequestRow& request : objects_of(answer, "requests", request_from)) {
        const std::pair place(request.at, request.id);
        if (rest.after && place >= std::pair(rest.after->at, rest.after->id)) {
          fleet_.lose(answer.ledger, "its requests come in no order");
          break;
        }
        page.try_emplace(place, std::move(request));
      }
    }
    std::int64_t shown = 0;
    for (const auto& [place, request] : page) {
      if (shown++ == *rest.limit) break;
      rest.after = storage::RequestPosition{request.at, request.id};
      if (!visit(request)) return std::optional<storage::RequestPosition>();
    }
    left -= std::min(shown, *rest.limit);
    if (page.empty() || (!has_more && shown <= *rest.limit)) return std::optional<storage::RequestPosition>();
  }
  return rest.after;
}

}  // namespace ballot::library
