#include "library/history/history_ledger.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "library/history/believed_rows.hpp"
#include "library/history/fleet_pages.hpp"
#include "library/history/ledger_questions.hpp"
#include "storage/run_search.hpp"

namespace ballot::library {
namespace {

using storage::Account;
using storage::PlacedRow;

// No nodes have such names; they come after all that nodes have.
const std::string history_source = "~history", unsent_source = "~own";

constexpr Millis silent_after = std::chrono::seconds(15);  // three times as long as a ledger is quiet
constexpr Millis of_the_fleet_for = std::chrono::hours(24 * 7);
constexpr std::size_t most_unsent = 5000;
constexpr std::int64_t most_terms = 1000;
constexpr std::size_t stored_piece = 256 * 1024;
constexpr std::int64_t rows_before_refused = 100;  // triggers, of a job: older rows are not looked at

std::vector<std::string> names_of(const std::string& node, const FleetNow& now) {
  std::vector<std::string> names{node};
  for (const FleetPeer& peer : now.peers) names.push_back(peer.node);
  return names;
}

std::vector<Account> accounts_in(std::vector<KeptRow> rows) {
  std::vector<Account> accounts;
  for (KeptRow& one : rows) accounts.push_back({std::move(one.row), std::move(one.ledger)});
  return accounts;
}

/// Calls `read` for at most so many of the values at a time, and gathers what it returns.
template <class T, class Read>
Result<std::vector<KeptRow>> in_parts(const std::vector<T>& values, Read read) {
  std::vector<KeptRow> all;
  for (auto from = values.begin(); from != values.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(values.end() - from, names_at_once);
    auto part = read(std::vector<T>(from, to));
    if (!part) return part.error();
    std::move(part->begin(), part->end(), std::back_inserter(all));
    from = to;
  }
  return all;
}

/// With what this node's own ledger knows: it may have what is not handed on yet.
template <class Ask>
Result<std::vector<std::string>> with_own(Result<std::vector<std::string>> names, LedgerView* own, Ask ask) {
  if (!names || !own) return names;
  const Result<std::vector<std::string>> known = ask(*own);
  if (!known) return known.error();
  std::set<std::string> all(names->begin(), names->end());
  all.insert(known->begin(), known->end());
  return std::vector<std::string>(all.begin(), all.end());
}

}  // namespace

Result<std::unique_ptr<HistoryLedger>> HistoryLedger::open(Place place, std::unique_ptr<LedgerView> own, FleetNow now,
                                                           AskOthers ask, History& history) {
  auto lines = history.ledgers();
  if (!lines) return lines.error();
  std::unique_ptr<HistoryLedger> ledger(
      new HistoryLedger(std::move(place), std::move(own), std::move(now), std::move(ask), history, *std::move(lines)));
  if (!ledger->own()) return ledger;
  const auto read = ledger->own()->changes({}, ledger->place_.sent, [&](const Row& row) {
    ledger->lacks_unsent_ = ledger->unsent_.size() == most_unsent;
    if (!ledger->lacks_unsent_) ledger->unsent_.push_back({row, unsent_source});
    return !ledger->lacks_unsent_;
  });
  if (!read) return read.error();
  return ledger;
}

HistoryLedger::HistoryLedger(Place place, std::unique_ptr<LedgerView> own, FleetNow now, AskOthers ask,
                             History& history, std::vector<LedgerLine> lines)
    : FleetLedger(place.node, std::move(own), now, std::move(ask)),
      place_(std::move(place)),
      history_(history),
      lines_(std::move(lines)),
      fleet_nodes_(names_of(place_.node, now)) {
  if (place_.knows_fleet) return;
  std::set<std::string> names{place_.node};
  for (const LedgerLine& line : lines_)
    if (line.stored_at >= place_.now - of_the_fleet_for) names.insert(line.node);
  fleet_nodes_ = {names.begin(), names.end()};
}

// ---- how much is there

/// A node that has begun a ledger anew has several.
const LedgerLine* HistoryLedger::line_of(const std::string& node) const {
  const LedgerLine* newest = nullptr;
  for (const LedgerLine& line : lines_)
    if (line.node == node && (!newest || line.stored_at > newest->stored_at)) newest = &line;
  return newest;
}

bool HistoryLedger::is_current(const LedgerLine& line) const { return line.stored_at >= place_.now - silent_after; }

std::optional<WallTime> HistoryLedger::as_of() const {
  std::optional<WallTime> oldest;
  for (const std::string& node : fleet_nodes_)
    if (const LedgerLine* line = line_of(node); line && is_current(*line))
      oldest = std::min(oldest.value_or(line->stored_at), line->stored_at);
  return oldest;
}

std::vector<MissingNode> HistoryLedger::missing() const {
  std::vector<MissingNode> nodes;
  for (const std::string& node : fleet_nodes_) {
    const LedgerLine* const line = line_of(node);
    // What this node has not handed on is added.
    if (node == place_.node ? !lacks_unsent_ : line && is_current(*line)) continue;
    MissingNode one{node, {}, "the fleet's history has nothing of its ledger yet", "history"};
    if (line) one.last_heard = line->stored_at, one.why = "what it has recorded since is not there";
    nodes.push_back(std::move(one));
  }
  return nodes;
}

Result<std::vector<std::string>> HistoryLedger::nodes() {
  std::set<std::string> names(fleet_nodes_.begin(), fleet_nodes_.end());
  for (const LedgerLine& line : lines_) names.insert(line.node);
  return std::vector<std::string>(names.begin(), names.end());
}

// ---- rows

/// What the store shows counts where a node's rows may lack. Who leads what is asked of nobody.
void HistoryLedger::gather(std::vector<std::string> jobs) {
  if (!missing().empty()) FleetLedger::gather(std::move(jobs));
}

/// The states of jobs are known to those that lead them.
Result<std::vector<std::string>> HistoryLedger::last_statuses(const std::vector<std::string>& jobs) {
  FleetLedger::gather(jobs);
  return FleetLedger::last_statuses(jobs);
}

Result<std::optional<storage::Position>> HistoryLedger::walk(const storage::Filter& filter,
                                                             const VisitPlacedRow& visit) {
  read_to_.reset();
  highest_.clear();
  shown_.clear();
  return FleetLedger::walk(filter, visit);
}

bool HistoryLedger::has_several(const std::string& node) const {
  return std::count_if(lines_.begin(), lines_.end(), [&](const LedgerLine& line) { return line.node == node; }) > 1;
}

bool HistoryLedger::is_certain(const Row& row, const std::string& ledger) const {
  return FleetLedger::is_certain(row, ledger) && !has_several(ledger);
}

/// The first one in the order of pages, so that it is none on a later page. What is counted is not shown besides.
bool HistoryLedger::is_shown_copy(const PlacedRow& candidate, const Row& row) {
  const std::string& node = candidate.at.ledger;
  if (!has_several(node)) return true;
  const bool is_counted = row.status == Status::succeeded && row.attempt == 1 && row.node == node;
  if (counted_ && is_counted) return false;
  if (row.slot != shown_slot_) shown_.clear();
  shown_slot_ = row.slot;
  const std::pair key(node, key_of(candidate.row));
  const auto highest = highest_.find(key);
  return (highest == highest_.end() || highest->second <= candidate.at.id) && shown_.insert(key).second;
}

std::vector<std::string> HistoryLedger::page_sources() const { return {history_source, unsent_source, store_source}; }

Result<void> HistoryLedger::read_pages(storage::PageMerge& pages, const storage::Filter& filter, std::int64_t most) {
  add_evidence_page(pages, filter);
  for (const std::string& source : pages.wanted()) {
    if (source == unsent_source) {
      auto rows = placed(unsent_, unsent_source);
      const auto after = pages.next_page(source, filter.after);
      std::erase_if(rows, [&](const PlacedRow& one) { return !matches(filter, one.row) || !is_after(one.at, after); });
      pages.add(source, std::move(rows), true);
      continue;
    }
    storage::Filter page = filter;
    page.limit = most;
    if (read_to_) page.after = read_to_;
    auto kept = noted(counted_ ? history_.rows_left(page, counted_->left) : history_.rows(page));
    if (!kept) return kept.error();
    std::vector<PlacedRow> rows;
    for (KeptRow& one : *kept) {
      const HistoryPosition at{one.row.slot, one.row.attempt, one.id, std::move(one.ledger)};
      rows.push_back({std::move(one.row), at});
    }
    if (!rows.empty()) read_to_ = rows.back().at;
    const bool is_last = std::ssize(rows) < most;
    pages.add(source, std::move(rows), is_last);
  }
  return {};
}

Result<void> HistoryLedger::summary(storage::Filter filter, CountPer per, const VisitRow& visit,
                                    const VisitCount& count) {
  filter.after.reset();
  gather(filter.jobs);
  auto counts = noted(history_.counts(filter, per, runs_known_besides()));
  if (!counts) return counts.error();
  for (const RunCount& one : counts->counts)
    if (!count(one)) return {};
  counted_ = *std::move(counts);
  const auto read = FleetLedger::summary(std::move(filter), per, visit, count);
  counted_.reset();
  return read;
}

/// The runs of which something else may count than the history has.
std::vector<RunId> HistoryLedger::runs_known_besides() const {
  std::set<RunId> runs;
  for (const auto* const accounts : {&unsent_, &fleet().evidence()})
    for (const Account& one : *accounts)
      if (one.row.run) runs.insert(*one.row.run);
  return {runs.begin(), runs.end()};
}

Result<std::vector<Account>> HistoryLedger::accounts_of(const std::vector<RowKey>& keys) {
  auto rows = noted(in_parts(keys, [this](const auto& part) { return history_.rows_of(part); }));
  if (!rows) return rows.error();
  for (const KeptRow& one : *rows)
    if (has_several(one.ledger)) {
      std::int64_t& highest = highest_[{one.ledger, key_of(one.row)}];
      highest = std::max(highest, one.id);
    }
  std::vector<Account> accounts = accounts_in(*std::move(rows));
  const AskedRows asked(keys);
  for (const Account& one : unsent_)
    if (asked.have(one.row)) accounts.push_back(one);
  const auto evidence = fleet().evidence_of(keys);
  accounts.insert(accounts.end(), evidence.begin(), evidence.end());
  return accounts;
}

Result<std::vector<Account>> HistoryLedger::last_accounts(const std::vector<std::string>& jobs) {
  auto rows = noted(in_parts(jobs, [this](const auto& part) { return history_.last_rows(part); }));
  if (!rows) return rows.error();
  std::set<std::string> refused;  // of their newest slots nothing was to run
  for (const KeptRow& one : *rows)
    if (storage::is_refused_trigger(one.row)) refused.insert(one.row.job);
  for (const std::string& job : refused) {
    auto before = noted(history_.rows({.jobs = {job}, .limit = rows_before_refused}));
    if (!before) return before.error();
    std::move(before->begin(), before->end(), std::back_inserter(*rows));
  }
  std::vector<Account> accounts = accounts_in(*std::move(rows));
  for (const Account& one : unsent_)
    if (std::find(jobs.begin(), jobs.end(), one.row.job) != jobs.end()) accounts.push_back(one);
  return accounts;
}

Result<RequestPage> HistoryLedger::request_page(const storage::RequestFilter& filter) {
  auto page = noted(history_.requests(filter));
  if (!page) return page.error();
  const bool has_more = std::ssize(*page) >= *filter.limit;
  return RequestPage{*std::move(page), has_more};
}

// ---- runs and names

Result<std::vector<RunId>> HistoryLedger::find_run(const std::string& suffix) {
  const std::string digits = storage::run_digits(suffix);
  if (digits.size() < 6) return FleetLedger::find_run(suffix);  // says what is wrong with it
  gather({});
  const auto kept = noted(history_.find_run(digits));
  if (!kept) return kept.error();
  std::set<RunId> runs(kept->begin(), kept->end());
  const auto add = [&](const std::vector<Account>& accounts) {
    for (const Account& one : accounts)
      if (one.row.run && storage::run_digits(one.row.run->text()).ends_with(digits)) runs.insert(*one.row.run);
  };
  add(unsent_);
  add(fleet().evidence());
  return std::vector<RunId>(runs.begin(), runs.end());
}

/// What goes on is printed where it is executed; what has ended is in the history once that has all of it. So the node
/// is asked where the history has less than all.
Result<ShownOutput> HistoryLedger::output(const runner::AttemptId& attempt, std::int64_t from) {
  const auto kept = noted(history_.output(attempt.run, attempt.attempt));
  if (!kept) return kept.error();
  const auto shown = [&](const StoredOutput& output) {
    return ShownOutput{ShownOutput::Place::here, output.ledger, piece_of(output.output, from, stored_piece),
                       output.output.total_bytes, !output.is_partial};
  };
  if (*kept && !(*kept)->is_partial) return shown(**kept);
  const auto row = executed(attempt);
  if (!row) return row.error();
  if (!*kept && is_final(row->status) && row->status != Status::lost && row->output_bytes == 0)
    return ShownOutput{ShownOutput::Place::here, row->node, {from, ""}, 0, true};
  auto live = FleetLedger::output(attempt, from);
  const bool is_known = live && live->place == ShownOutput::Place::here;
  if (is_known || !*kept) return live;
  ShownOutput partial = shown(**kept);
  partial.as_of = (*kept)->stored_at;
  return partial;
}

Result<std::vector<TermRow>> HistoryLedger::terms(const std::string& group) {
  return noted(history_.terms(group, most_terms));
}

Result<std::vector<std::string>> HistoryLedger::instances_of(const std::string& name) {
  return with_own(noted(history_.instances_of(name)), own(), [&](LedgerView& one) { return one.instances_of(name); });
}

Result<std::vector<std::string>> HistoryLedger::jobs_of(const std::vector<std::string>& groups) {
  return with_own(noted(history_.jobs_of(groups)), own(), [&](LedgerView& one) { return one.jobs_of(groups); });
}

Result<bool> HistoryLedger::knows_job(const std::string& name) {
  const auto known = noted(history_.known_jobs({name}));
  if (!known) return known.error();
  return !known->empty() ? Result<bool>(true) : FleetLedger::knows_job(name);
}

Result<bool> HistoryLedger::knows_group(const std::string& name) {
  const auto known = noted(history_.known_groups({name}));
  if (!known) return known.error();
  return !known->empty() ? Result<bool>(true) : FleetLedger::knows_group(name);
}

}  // namespace ballot::library
