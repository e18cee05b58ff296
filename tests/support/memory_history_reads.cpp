#include "support/memory_history_reads.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace ballot::testing {

namespace {

using namespace std::chrono_literals;

template <class T, class U>
bool has_or_any(const std::vector<T>& wanted, const U& value) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const T& one) { return value == one; });
}

bool wants(const HistoryFilter& filter, const Row& row) {
  return has_or_any(filter.jobs, row.job) && has_or_any(filter.groups, row.group) &&
         has_or_any(filter.nodes, row.node) && has_or_any(filter.statuses, row.status) &&
         has_or_any(filter.reasons, row.reason) && (!filter.since || row.slot >= *filter.since) &&
         (!filter.until || row.slot < *filter.until);
}

bool comes_before(const KeptRow& a, const KeptRow& b) {
  return std::tie(b.row.slot, b.row.attempt, a.ledger, b.id) < std::tie(a.row.slot, a.row.attempt, b.ledger, a.id);
}

bool is_after(const KeptRow& one, const HistoryPosition& at) {
  return std::tie(one.row.slot, one.row.attempt, at.ledger, one.id) < std::tie(at.slot, at.attempt, one.ledger, at.id);
}

bool is_of(const Row& row, const RowKey& key) {
  if (key.run) return row.run == key.run && row.attempt == key.attempt;
  return row.job == key.job && row.slot <= key.until && row.slot_until.value_or(row.slot) >= key.slot;
}

std::string hex_of(const RunId& run) {
  std::string hex = run.text();
  std::erase(hex, '-');
  return hex;
}

/// What came of a request counts before that nobody was known to have done it.
int weight(const RequestRow& request) { return request.result.empty() ? 0 : request.result == "expired" ? 1 : 2; }

bool beats_request(const RequestRow& a, const RequestRow& b) {
  return std::tuple(-weight(a), a.at) < std::tuple(-weight(b), b.at);
}

bool has_words(const std::string& by, const std::string& words) {
  return words.empty() || (" " + by + " ").find(" " + words + " ") != std::string::npos;
}

std::vector<std::string> only(const std::vector<std::string>& names, const std::set<std::string>& known) {
  std::vector<std::string> found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found),
               [&](const std::string& name) { return known.contains(name); });
  return found;
}

}  // namespace

template <class What, class Visit>
void MemoryReads::each(const Visit& visit) const {
  for (const auto& [key, entry] : state_.entries)
    if (const auto* const what = std::get_if<What>(&entry.what)) visit(*what, key.ledger, entry);
}

template <class Keep>
std::vector<KeptRow> MemoryReads::page(const HistoryFilter& filter, const Keep& keep) const {
  std::vector<KeptRow> all;
  each<LedgerRow>([&](const LedgerRow& one, const RunId& ledger, const Entry& entry) {
    KeptRow kept{one.row, node_of(ledger), one.id, entry.change};
    if (wants(filter, one.row) && keep(one.row, entry) && (!filter.after || is_after(kept, *filter.after)))
      all.push_back(std::move(kept));
  });
  std::stable_sort(all.begin(), all.end(), comes_before);
  if (filter.limit && std::ssize(all) > *filter.limit) all.resize(static_cast<std::size_t>(*filter.limit));
  name_askers(all);
  return all;
}

std::vector<KeptRow> MemoryReads::rows(const HistoryFilter& filter) const {
  return page(filter, [&](const Row& row, const Entry&) { return !filter.run || row.run == filter.run; });
}

std::vector<KeptRow> MemoryReads::rows_left(const HistoryFilter& filter,
                                            const std::optional<std::vector<RunId>>& left) const {
  return page(filter, [&](const Row& row, const Entry& entry) {
    const bool is_counted = row.run && left && std::find(left->begin(), left->end(), *row.run) == left->end();
    return !entry.at_once && !is_counted && (!filter.run || row.run == filter.run);
  });
}

/// No other row of its attempt can count, unless another node says the same.
bool MemoryReads::is_certain(const Row& row, const RunId& ledger) const {
  const std::string& node = node_of(ledger);
  const auto ledgers = std::count_if(state_.ledgers.begin(), state_.ledgers.end(),
                                     [&](const auto& one) { return one.second.node == node; });
  return row.node == node && ledgers == 1 && row.status.is_known() && is_final(row.status) &&
         row.status != Status::lost;
}

RunCounts MemoryReads::counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) const {
  using Key = std::tuple<WallTime, std::string, Status, Reason>;
  std::map<Key, RunCount> counts;
  const auto count = [&](const Row& row, bool is_last) {
    const Key key{begin_of(per, row.slot), row.job, row.status, row.reason};
    RunCount& one =
        counts.try_emplace(key, RunCount{begin_of(per, row.slot), row.job, row.status, row.reason}).first->second;
    ++one.attempts;
    one.runs += is_last ? 1 : 0;
  };
  std::set<RunId> at_once, left(but.begin(), but.end());  // which the last of a node's ledgers may have besides
  std::map<RunId, std::map<int, Row>> others;
  each<LedgerRow>([&](const LedgerRow& one, const RunId& ledger, const Entry& entry) {
    if (!one.row.run || !wants(filter, one.row)) return;
    const RunId& run = *one.row.run;
    if (entry.at_once) {
      if (at_once.insert(run).second) count(one.row, true);
    } else if (!others[run].emplace(one.row.attempt, one.row).second || !is_certain(one.row, ledger)) {
      left.insert(run);
    }
  });
  RunCounts result;
  if (filter.nodes.empty() && filter.statuses.empty() && filter.reasons.empty()) {
    result.left.emplace();
    for (const auto& [run, attempts] : others)
      if (left.contains(run) || attempts.begin()->first != 1 || attempts.rbegin()->first != std::ssize(attempts))
        result.left->push_back(run);
      else
        for (const auto& [attempt, row] : attempts) count(row, attempt == std::ssize(attempts));
  }
  for (auto& [key, one] : counts)
    if (!filter.limit || std::ssize(result.counts) < *filter.limit) result.counts.push_back(std::move(one));
  return result;
}

std::vector<KeptRow> MemoryReads::rows_of(const std::vector<RowKey>& keys) const {
  std::vector<KeptRow> all;
  each<LedgerRow>([&](const LedgerRow& one, const RunId& ledger, const Entry& entry) {
    if (std::any_of(keys.begin(), keys.end(), [&](const RowKey& key) { return is_of(one.row, key); }))
      all.push_back({one.row, node_of(ledger), one.id, entry.change});
  });
  name_askers(all);
  return all;
}

std::vector<KeptRow> MemoryReads::last_rows(const std::vector<std::string>& jobs) const {
  std::vector<KeptRow> all;
  for (const std::string& job : jobs) {
    std::vector<KeptRow> of_job = page({.jobs = {job}, .limit = std::nullopt}, [](auto&, auto&) { return true; });
    for (KeptRow& one : of_job)
      if (one.row.slot == of_job.front().row.slot) all.push_back(one);
  }
  return all;
}

/// Each once, in no order.
std::vector<RequestRow> MemoryReads::merged_requests() const {
  std::map<RunId, RequestRow> merged;
  each<RequestRow>([&](const RequestRow& request, const RunId&, const Entry&) {
    const auto [found, is_new] = merged.try_emplace(request.id, request);
    if (!is_new && beats_request(request, found->second)) found->second = request;
  });
  std::vector<RequestRow> all;
  for (auto& [id, request] : merged) all.push_back(std::move(request));
  return all;
}

std::set<std::string> MemoryReads::groups_of(const std::vector<std::string>& jobs) const {
  std::set<std::string> groups;
  each<LedgerRow>([&](const LedgerRow& one, const RunId&, const Entry&) {
    if (has_or_any(jobs, one.row.job)) groups.insert(one.row.group);
  });
  each<KeptDefinition>([&](const KeptDefinition& one, const RunId&, const Entry&) {
    if (has_or_any(jobs, one.row.job)) groups.insert(one.row.group);
  });
  return groups;
}

std::vector<RequestRow> MemoryReads::requests(const RequestFilter& filter) const {
  const std::vector<std::string> jobs = jobs_of(filter.groups);
  const std::set<std::string> groups = groups_of(filter.jobs);
  std::vector<RequestRow> all = merged_requests();
  std::erase_if(all, [&](const RequestRow& one) {
    const bool of_group = filter.groups.empty() || has_or_any(filter.groups, one.group) ||
                          std::find(jobs.begin(), jobs.end(), one.job) != jobs.end();
    const bool of_run = !filter.run || one.id == *filter.run || one.run == filter.run;
    const bool is_later = filter.after && std::tie(one.at, one.id) >= std::tie(filter.after->at, filter.after->id);
    const bool of_job = has_or_any(filter.jobs, one.job) || groups.contains(one.group);
    return !of_group || !of_run || is_later || !of_job || !has_or_any(filter.nodes, one.node) ||
           !has_or_any(filter.kinds, one.kind) || !has_words(one.by, filter.by) ||
           (filter.since && one.at < *filter.since) || (filter.until && one.at >= *filter.until);
  });
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::tie(b.at, b.id) < std::tie(a.at, a.id); });
  if (filter.limit && std::ssize(all) > *filter.limit) all.resize(static_cast<std::size_t>(*filter.limit));
  return all;
}

std::vector<RunId> MemoryReads::find_run(const std::string& digits) const {
  std::set<RunId> runs;
  each<LedgerRow>([&](const LedgerRow& one, const RunId&, const Entry&) {
    if (one.row.run && runs.size() < 10 && hex_of(*one.row.run).ends_with(digits)) runs.insert(*one.row.run);
  });
  return {runs.begin(), runs.end()};
}

std::optional<StoredOutput> MemoryReads::output(const RunId& run, int attempt) const {
  std::optional<StoredOutput> best;
  each<OutputRow>([&](const OutputRow& one, const RunId& ledger, const Entry& entry) {
    if (one.run != run || one.attempt != attempt) return;
    StoredOutput found{one.output, node_of(ledger), entry.is_partial, entry.stored_at};
    if (!best || std::tuple(best->is_partial, found.stored_at) > std::tuple(found.is_partial, best->stored_at))
      best = std::move(found);
  });
  return best;
}

std::vector<TermRow> MemoryReads::terms(const std::string& group, std::int64_t limit) const {
  std::map<std::pair<std::uint64_t, std::string>, std::pair<bool, TermRow>> found;
  each<TermRow>([&](const TermRow& term, const RunId& ledger, const Entry&) {
    if (term.group != group) return;
    const bool is_own = node_of(ledger) == term.node;
    const auto [at, is_new] = found.try_emplace({term.epoch, term.node}, is_own, term);
    if (!is_new && is_own && !at->second.first) at->second = {is_own, term};
  });
  std::vector<TermRow> all;
  for (auto one = found.rbegin(); one != found.rend() && std::ssize(all) < limit; ++one)
    all.push_back(one->second.second);
  return all;
}

/// Of any group where none is named.
std::set<std::string> MemoryReads::names_of_jobs(const std::vector<std::string>& groups) const {
  std::set<std::string> names;
  each<LedgerRow>([&](const LedgerRow& one, const RunId&, const Entry&) {
    if (has_or_any(groups, one.row.group)) names.insert(one.row.job);
  });
  each<KeptDefinition>([&](const KeptDefinition& one, const RunId&, const Entry&) {
    if (has_or_any(groups, one.row.group)) names.insert(one.row.job);
  });
  return names;
}

std::vector<std::string> MemoryReads::known_jobs(const std::vector<std::string>& names) const {
  return only(names, names_of_jobs({}));
}

std::set<std::string> MemoryReads::names_of_groups() const {
  std::set<std::string> groups;
  each<LedgerRow>([&](const LedgerRow& one, const RunId&, const Entry&) { groups.insert(one.row.group); });
  each<KeptDefinition>([&](const KeptDefinition& one, const RunId&, const Entry&) { groups.insert(one.row.group); });
  each<TermRow>([&](const TermRow& term, const RunId&, const Entry&) { groups.insert(term.group); });
  return groups;
}

std::vector<std::string> MemoryReads::known_groups(const std::vector<std::string>& names) const {
  return only(names, names_of_groups());
}

std::vector<std::string> MemoryReads::instances_of(const std::string& name) const {
  std::set<std::string> names = names_of_jobs({});
  names.merge(names_of_groups());
  std::vector<std::string> found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found),
               [&](const std::string& one) { return one.starts_with(name + "@"); });
  return found;
}

std::vector<std::string> MemoryReads::jobs_of(const std::vector<std::string>& groups) const {
  if (groups.empty()) return {};
  const std::set<std::string> names = names_of_jobs(groups);
  return {names.begin(), names.end()};
}

LedgerBatch MemoryReads::changes(const LedgerLine& line, std::int64_t after, std::int64_t most) const {
  LedgerBatch batch{line.ledger, line.node, line.opening, line.newest, after, line.change, {}};
  for (const auto& [key, entry] : state_.entries)
    if (key.ledger == line.ledger && !entry.is_partial && entry.change > after)
      batch.changes.push_back({entry.change, entry.what});
  std::sort(batch.changes.begin(), batch.changes.end(), [](auto& a, auto& b) { return a.number < b.number; });
  if (std::ssize(batch.changes) <= most) return batch;
  batch.changes.resize(static_cast<std::size_t>(most));
  batch.last = batch.changes.back().number;
  return batch;
}

/// As a ledger names them, by what all ledgers have.
void MemoryReads::name_askers(std::vector<KeptRow>& rows) const {
  const std::vector<RequestRow> asked = merged_requests();
  for (KeptRow& kept : rows) {
    Row& row = kept.row;
    if (row.reason == Reason::paused) {
      name_pause(row, asked);
      continue;
    }
    const std::string end = row.reason == Reason::operator_ ? "kill" : row.reason == Reason::forgotten ? "forget" : "";
    for (const RequestRow& one : asked) {
      if (!row.run || (one.id != *row.run && one.run != row.run)) continue;
      if (one.kind == "trigger" && row.trigger == Trigger::manual) row.triggered_by = one.by, row.env = one.env;
      if (one.kind == end) row.ended_by = one.by;
    }
  }
}

void MemoryReads::name_pause(Row& row, const std::vector<RequestRow>& asked) const {
  std::map<std::tuple<std::string, WallTime>, PauseRow> pauses;  // of the job itself last
  each<PauseRow>([&](const PauseRow& pause, const RunId&, const Entry&) {
    if (pause.group != row.group || (!pause.job.empty() && pause.job != row.job) || pause.from > row.slot) return;
    const auto [at, is_new] = pauses.try_emplace({pause.job, pause.from}, pause);
    if (!at->second.until) at->second.until = pause.until;
    if (at->second.by.empty()) at->second.by = pause.by;
    if (pause.until || !at->second.ends) at->second.ends = pause.ends, at->second.reason = pause.reason;
  });
  std::erase_if(pauses, [&](const auto& one) {
    const auto& until = one.second.until ? one.second.until : one.second.ends;
    return until && *until < row.slot;
  });
  if (pauses.empty()) return;
  const PauseRow& pause = pauses.rbegin()->second;
  row.paused_by = pause.by;
  row.paused_at = pause.from;
  row.pause_ends = pause.ends;
  row.pause_reason = pause.reason;
  if (!pause.until) return;
  if (pause.until == pause.ends) return void(row.resumed_by = by_its_end);
  const RequestRow* last = nullptr;
  for (const RequestRow& one : asked) {
    const bool is_it = one.kind == "resume" && (pause.job.empty() ? one.group == pause.group : one.job == pause.job) &&
                       one.at >= *pause.until - 60s && one.at <= *pause.until + 1s;
    if (is_it && (last == nullptr || last->at < one.at)) last = &one;
  }
  if (last != nullptr) row.resumed_by = last->by;
}

}  // namespace ballot::testing
