#include "storage/backlog.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ballot::storage {
namespace {

constexpr std::size_t group_records = 2048;
constexpr std::size_t group_output_bytes = 4 << 20;
constexpr auto group_wait = std::chrono::milliseconds(5), group_wait_of_runs = std::chrono::milliseconds(100);

bool is_output(const Record& record) { return std::holds_alternative<OutputRecord>(record); }

bool is_definition(const Record& record) { return std::holds_alternative<DefinedRow>(record); }

/// A crash loses nothing with it: what is of a run stays in its register, and a definition is recorded again.
bool may_wait(const Record& record) {
  const auto* row = std::get_if<Row>(&record);
  return is_output(record) || is_definition(record) || (row && row->run);
}

/// `lost` never replaces a row that has ended: see LedgerSink.
bool replaces(const Row& later, const Row& earlier) {
  return later.status != Status::lost || !is_final(earlier.status);
}

void keep_last_rows(std::vector<Record>& records) {
  std::map<std::pair<RunId, int>, Row*> rows;
  std::vector<Record> kept;
  kept.reserve(records.size());  // so that no row moves
  for (Record& record : records) {
    Row* row = std::get_if<Row>(&record);
    Row** earlier = row && row->run ? &rows[{*row->run, row->attempt}] : nullptr;
    if (earlier && *earlier) {
      if (replaces(*row, **earlier)) **earlier = std::move(*row);
      continue;
    }
    kept.push_back(std::move(record));
    if (earlier) *earlier = &std::get<Row>(kept.back());
  }
  records = std::move(kept);
}

}  // namespace

void Backlog::push(Record record) {
  const std::scoped_lock lock(mutex_);
  if (auto* known = std::get_if<KnownRow>(&record)) return keep_known(std::move(*known));
  const std::size_t bytes = weight(record);
  const std::uint64_t number = pushed_++;
  if (is_output(record) && (full() || output_bytes_ + bytes > bounds_.output_bytes)) {
    ++dropped_.outputs;
    return;
  }
  if (is_definition(record))
    ++definitions_;
  else if (full())
    drop_outputs();
  if (!is_definition(record) && full()) drop_oldest_row();
  output_bytes_ += bytes;
  const bool sooner = become_due_in(may_wait(record) ? group_wait_of_runs : group_wait);
  items_.push_back({number, std::move(record)});
  if (sooner || items_.size() == group_records) changed_.notify_one();
}

/// A crash loses it: the store is known less well then.
void Backlog::keep_known(KnownRow known) {
  std::tuple key(known.store, known.of, known.name);
  known_.insert_or_assign(std::move(key), std::move(known));
  if (become_due_in(group_wait_of_runs)) changed_.notify_one();
}

/// True where nothing was due so early.
bool Backlog::become_due_in(Clock::duration wait) {
  const Clock::time_point due = Clock::now() + wait;
  if (due >= due_) return false;
  due_ = due;
  return true;
}

void Backlog::push_flush(std::function<void()> flushed) {
  const std::scoped_lock lock(mutex_);
  flushes_.push_back({pushed_, std::move(flushed)});
  changed_.notify_one();
}

void Backlog::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_one();
}

void Backlog::wait(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  while (!stopped_ && flushes_.empty() && items_.size() < group_records) {
    const Clock::time_point until = std::min(deadline, due_);
    if (Clock::now() >= until) return;
    changed_.wait_until(lock, until);
  }
}

void Backlog::wait_for_stop(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return stopped_; });
}

Batch Backlog::take() {
  Batch batch = take_group();
  keep_last_rows(batch.records);
  return batch;
}

Batch Backlog::take_group() {
  const std::scoped_lock lock(mutex_);
  Batch batch;
  for (auto& [key, known] : std::exchange(known_, {})) batch.records.emplace_back(std::move(known));
  for (std::size_t bytes = 0; !items_.empty() && batch.records.size() < group_records && bytes < group_output_bytes;) {
    Record& record = batch.records.emplace_back(std::move(items_.front().record));
    bytes += weight(record);
    output_bytes_ -= weight(record);
    if (is_definition(record)) --definitions_;
    items_.pop_front();
  }
  due_ = items_.empty() ? Clock::time_point::max() : Clock::now();
  const std::uint64_t first_left = items_.empty() ? pushed_ : items_.front().number;
  for (; !flushes_.empty() && flushes_.front().after <= first_left; flushes_.pop_front())
    batch.flushed.push_back(std::move(flushes_.front().flushed));
  return batch;
}

bool Backlog::stopped() const {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

std::size_t Backlog::size() const {
  const std::scoped_lock lock(mutex_);
  return items_.size() + known_.size();
}

Dropped Backlog::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void Backlog::set_spooled(Spooled spooled) {
  const std::scoped_lock lock(mutex_);
  spooled_ = spooled;
}

Spooled Backlog::spooled() const {
  const std::scoped_lock lock(mutex_);
  return spooled_;
}

/// No output is left.
void Backlog::drop_oldest_row() {
  for (; is_definition(items_.front().record); items_.pop_front()) --definitions_;
  items_.pop_front();
  ++dropped_.rows;
}

void Backlog::drop_outputs() {
  dropped_.outputs +=
      static_cast<std::int64_t>(std::erase_if(items_, [](const Item& item) { return is_output(item.record); }));
  output_bytes_ = 0;
}

}  // namespace ballot::storage
