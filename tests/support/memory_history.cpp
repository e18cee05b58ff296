#include "support/memory_history.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

#include "support/memory_history_reads.hpp"

namespace ballot::testing {

namespace {

using State = MemoryHistoryState;

std::int64_t millis_of(WallTime time) { return time.time_since_epoch().count(); }

struct KeyOf {
  State::Key& key;

  void operator()(const LedgerRow& one) const {
    key.number = one.row.run ? one.row.attempt : millis_of(one.row.slot);
    if (one.row.run)
      key.id = *one.row.run;
    else
      key.job = one.row.job;
  }
  void operator()(const TermRow& term) const {
    key.group = term.group;
    key.number = static_cast<std::int64_t>(term.epoch);
  }
  void operator()(const KeptDefinition& definition) const { key.number = definition.written; }
  void operator()(const PauseRow& pause) const {
    key.job = pause.job;
    key.group = pause.group;
    key.number = millis_of(pause.from);
  }
  void operator()(const RequestRow& request) const { key.id = request.id; }
  void operator()(const OutputRow& output) const {
    key.id = output.run;
    key.number = output.attempt;
  }
};

State::Key key_of(const RunId& ledger, const State::What& what) {
  State::Key key{ledger, what.index(), {}, {}, {}, 0};
  std::visit(KeyOf{key}, what);
  return key;
}

bool succeeded_at_once(const State::What& what, const std::string& node) {
  const auto* const one = std::get_if<LedgerRow>(&what);
  return one != nullptr && one->row.run && one->row.attempt == 1 && one->row.status == Status::succeeded &&
         one->row.node == node;
}

/// Version 7 of a UUID begins with its time.
std::optional<WallTime> time_of(const RunId& run) {
  if (run.bytes[6] >> 4 != 7) return std::nullopt;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < 6; ++i) time = time << 8 | run.bytes[i];
  return WallTime(Millis(time));
}

bool is_too_old(const State::What& what, WallTime kept_from) {
  if (const auto* const one = std::get_if<LedgerRow>(&what)) return one->row.slot < kept_from;
  const auto* const output = std::get_if<OutputRow>(&what);
  return output != nullptr && time_of(output->run).value_or(kept_from) < kept_from;
}

/// Keeps one thing, unless what is there is of the same or of a later change.
void keep(State& state, State::Undo& undo, const State::Key& key, State::Entry entry) {
  const auto found = state.entries.find(key);
  const bool is_there = found != state.entries.end();
  const bool is_newer =
      !is_there || found->second.change < entry.change || (entry.is_partial && found->second.is_partial);
  if (!is_newer) return;
  undo.entries.emplace_back(key, is_there ? std::optional(found->second) : std::nullopt);
  state.entries[key] = std::move(entry);
}

void undo_last(State& state) {
  State::Undo undo = std::move(state.batches.back());
  state.batches.pop_back();
  for (auto entry = undo.entries.rbegin(); entry != undo.entries.rend(); ++entry)
    if (entry->second)
      state.entries[entry->first] = *std::move(entry->second);
    else
      state.entries.erase(entry->first);
  state.ledgers[undo.ledger] = undo.line;
}

PutResult put_into(State& state, const LedgerBatch& batch, WallTime kept_from, WallTime now) {
  LedgerLine& line = state.ledgers[batch.ledger];
  State::Undo undo{batch.ledger, line, {}};
  PutResult result;
  for (const LedgerChange& change : batch.changes)
    if (is_too_old(change.what, kept_from))
      ++result.too_old;
    else
      keep(state, undo, key_of(batch.ledger, change.what),
           {change.number, change.what, succeeded_at_once(change.what, batch.node), false, now});
  for (const OutputRow& output : batch.partial)
    if (!is_too_old(output, kept_from)) keep(state, undo, key_of(batch.ledger, output), {0, output, false, true, now});
  line = {batch.ledger, batch.node, batch.opening, batch.newest, batch.last, now};
  state.batches.push_back(std::move(undo));
  return result;
}

}  // namespace

MemoryHistoryStore::MemoryHistoryStore(std::function<WallTime()> clock) : clock_(std::move(clock)) {}

void MemoryHistoryStore::fail_next(Effect effect, std::size_t calls, Error error) {
  const std::lock_guard lock(mutex_);
  effect_ = effect;
  failures_ = calls;
  failure_ = std::move(error);
}

void MemoryHistoryStore::refuse(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(error);
}

void MemoryHistoryStore::keep_from(WallTime slot) {
  const std::lock_guard lock(mutex_);
  kept_from_ = slot;
  std::erase_if(state_.entries, [slot](const auto& one) { return is_too_old(one.second.what, slot); });
}

void MemoryHistoryStore::forget_last(std::size_t batches) {
  const std::lock_guard lock(mutex_);
  for (; batches > 0 && !state_.batches.empty(); --batches) undo_last(state_);
}

MemoryHistoryState MemoryHistoryStore::save() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void MemoryHistoryStore::restore(MemoryHistoryState state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

std::size_t MemoryHistoryStore::batches() const {
  const std::lock_guard lock(mutex_);
  return state_.batches.size();
}

WallTime MemoryHistory::now() const {
  if (store_->clock_) return store_->clock_();
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

template <class Ask>
auto MemoryHistory::ask(const Ask& ask) -> decltype(ask(std::declval<State&>())) {
  if (goes_on_ && !goes_on_()) return Error{Errc::unavailable, "the call was ended"};
  const std::lock_guard lock(store_->mutex_);
  if (store_->refusal_) return *store_->refusal_;
  const bool fails = store_->failures_ > 0;
  if (fails) --store_->failures_;
  if (fails && store_->effect_ == MemoryHistoryStore::Effect::none) return store_->failure_;
  auto answer = ask(store_->state_);
  if (fails) return store_->failure_;
  return answer;
}

Result<LedgerLine> MemoryHistory::line_of(const RunId& ledger, const std::string& node) noexcept {
  return ask([&](State& state) -> Result<LedgerLine> {
    return state.ledgers.try_emplace(ledger, LedgerLine{ledger, node, {}, 0, 0, {}}).first->second;
  });
}

Result<PutResult> MemoryHistory::put(const LedgerBatch& batch) noexcept {
  return ask([&](State& state) -> Result<PutResult> {
    const auto line = state.ledgers.find(batch.ledger);
    if (line == state.ledgers.end() || line->second.change != batch.after)
      return Error{Errc::conflict, "the history is not at change " + std::to_string(batch.after) + " of this ledger"};
    return put_into(state, batch, store_->kept_from_, now());
  });
}

Result<std::vector<LedgerLine>> MemoryHistory::ledgers() noexcept {
  return ask([](State& state) -> Result<std::vector<LedgerLine>> {
    std::vector<LedgerLine> lines;
    for (const auto& [ledger, line] : state.ledgers)
      if (line.stored_at != WallTime{}) lines.push_back(line);
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
    return lines;
  });
}

Result<std::vector<KeptRow>> MemoryHistory::rows(const HistoryFilter& filter) noexcept {
  return ask([&](State& state) -> Result<std::vector<KeptRow>> { return MemoryReads(state).rows(filter); });
}

Result<std::vector<KeptRow>> MemoryHistory::rows_of(const std::vector<RowKey>& keys) noexcept {
  return ask([&](State& state) -> Result<std::vector<KeptRow>> { return MemoryReads(state).rows_of(keys); });
}

Result<std::vector<KeptRow>> MemoryHistory::last_rows(const std::vector<std::string>& jobs) noexcept {
  return ask([&](State& state) -> Result<std::vector<KeptRow>> { return MemoryReads(state).last_rows(jobs); });
}

Result<RunCounts> MemoryHistory::counts(const HistoryFilter& filter, CountPer per,
                                        const std::vector<RunId>& but) noexcept {
  return ask([&](State& state) -> Result<RunCounts> { return MemoryReads(state).counts(filter, per, but); });
}

Result<std::vector<KeptRow>> MemoryHistory::rows_left(const HistoryFilter& filter,
                                                      const std::optional<std::vector<RunId>>& left) noexcept {
  return ask([&](State& state) -> Result<std::vector<KeptRow>> { return MemoryReads(state).rows_left(filter, left); });
}

Result<std::vector<RequestRow>> MemoryHistory::requests(const RequestFilter& filter) noexcept {
  return ask([&](State& state) -> Result<std::vector<RequestRow>> { return MemoryReads(state).requests(filter); });
}

Result<std::vector<RunId>> MemoryHistory::find_run(const std::string& digits) noexcept {
  return ask([&](State& state) -> Result<std::vector<RunId>> { return MemoryReads(state).find_run(digits); });
}

Result<std::optional<StoredOutput>> MemoryHistory::output(const RunId& run, int attempt) noexcept {
  return ask(
      [&](State& state) -> Result<std::optional<StoredOutput>> { return MemoryReads(state).output(run, attempt); });
}

Result<std::vector<TermRow>> MemoryHistory::terms(const std::string& group, std::int64_t limit) noexcept {
  return ask([&](State& state) -> Result<std::vector<TermRow>> { return MemoryReads(state).terms(group, limit); });
}

Result<std::vector<std::string>> MemoryHistory::known_jobs(const std::vector<std::string>& names) noexcept {
  return ask([&](State& state) -> Result<std::vector<std::string>> { return MemoryReads(state).known_jobs(names); });
}

Result<std::vector<std::string>> MemoryHistory::known_groups(const std::vector<std::string>& names) noexcept {
  return ask([&](State& state) -> Result<std::vector<std::string>> { return MemoryReads(state).known_groups(names); });
}

Result<std::vector<std::string>> MemoryHistory::instances_of(const std::string& name) noexcept {
  return ask([&](State& state) -> Result<std::vector<std::string>> { return MemoryReads(state).instances_of(name); });
}

Result<std::vector<std::string>> MemoryHistory::jobs_of(const std::vector<std::string>& groups) noexcept {
  return ask([&](State& state) -> Result<std::vector<std::string>> { return MemoryReads(state).jobs_of(groups); });
}

Result<LedgerBatch> MemoryHistory::changes(const RunId& ledger, std::int64_t after, std::int64_t most) noexcept {
  return ask([&](State& state) -> Result<LedgerBatch> {
    const auto line = state.ledgers.find(ledger);
    if (line == state.ledgers.end()) return Error{Errc::not_found, "no ledger " + ledger.text() + " is kept"};
    return MemoryReads(state).changes(line->second, after, most);
  });
}

Result<std::vector<std::string>> MemoryHistory::migrate() noexcept {
  return ask([](State&) -> Result<std::vector<std::string>> { return std::vector<std::string>{}; });
}

}  // namespace ballot::testing
