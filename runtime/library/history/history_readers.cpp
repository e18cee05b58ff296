#include "library/history/history_readers.hpp"

#include <utility>

namespace ballot::library {
namespace {

constexpr Millis after_failure = std::chrono::seconds(10);

}  // namespace

std::unique_ptr<History> HistoryReaders::take(SteadyTime now) {
  {
    const std::lock_guard lock(mutex_);
    if (now < usable_from_) return nullptr;
    if (!free_.empty()) {
      auto reader = std::move(free_.back());
      free_.pop_back();
      return reader;
    }
  }
  auto made = make_history(plugin_, choice_, HistoryUse::read);
  if (made) return *std::move(made);
  note_failure(made.error(), now);
  return nullptr;
}

void HistoryReaders::give_back(std::unique_ptr<History> reader) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(reader));
  failure_.reset();
}

void HistoryReaders::note_failure(const Error& error, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  failure_ = error;
  usable_from_ = now + after_failure;
}

std::optional<Error> HistoryReaders::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace ballot::library
