#include "storage/backlog.hpp"

#include <utility>

namespace ballot::storage {
namespace {

constexpr std::size_t group_records = 2048;
constexpr std::size_t group_output_bytes = 4 << 20;
constexpr auto group_wait = std::chrono::milliseconds(5);

bool is_output(const Record& record) { return std::holds_alternative<OutputRecord>(record); }

}  // namespace

void Backlog::push(Record record) {
  const std::scoped_lock lock(mutex_);
  const std::size_t bytes = weight(record);
  const std::uint64_t number = pushed_++;
  const bool full = items_.size() >= bounds_.records;
  if (is_output(record) && (full || output_bytes_ + bytes > bounds_.output_bytes)) {
    ++dropped_.outputs;
    return;
  }
  if (full) drop_outputs();
  if (items_.size() >= bounds_.records) {
    items_.pop_front();  // a row: no output is left
    ++dropped_.rows;
  }
  output_bytes_ += bytes;
  items_.push_back({number, std::move(record)});
  if (items_.size() == 1 || items_.size() == group_records) changed_.notify_one();
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
  changed_.wait_until(lock, deadline, [this] { return stopped_ || !items_.empty() || !flushes_.empty(); });
  if (items_.empty()) return;
  changed_.wait_for(lock, group_wait,
                    [this] { return stopped_ || !flushes_.empty() || items_.size() >= group_records; });
}

void Backlog::wait_for_stop(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return stopped_; });
}

Batch Backlog::take() {
  const std::scoped_lock lock(mutex_);
  Batch batch;
  for (std::size_t bytes = 0; !items_.empty() && batch.records.size() < group_records && bytes < group_output_bytes;) {
    Record& record = batch.records.emplace_back(std::move(items_.front().record));
    bytes += weight(record);
    output_bytes_ -= weight(record);
    items_.pop_front();
  }
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
  return items_.size();
}

Dropped Backlog::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void Backlog::drop_outputs() {
  dropped_.outputs +=
      static_cast<std::int64_t>(std::erase_if(items_, [](const Item& item) { return is_output(item.record); }));
  output_bytes_ = 0;
}

}  // namespace ballot::storage
