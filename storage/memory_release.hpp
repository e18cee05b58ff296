// MemoryRelease: when the ledger's writer gives back the memory that storing has taken, and what was read and freed
// elsewhere in the process: after much was, once little is for a while. A run each few seconds is little.
//
//   release.on_stored(now, batch.size());
//   if (release.at() <= now) ..., release.on_released();
//
// Pure values.
#pragma once

#include <chrono>
#include <cstddef>

namespace ballot::storage {

class MemoryRelease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void on_stored(Time now, std::size_t records) {
    stored_ += records;
    lately_ += records;
    if (lately_ < few) return;
    lately_ = 0;
    quiet_at_ = now + quiet_time;
  }
  /// Time::max() where there is nothing to give back.
  Time at() const { return stored_ < many ? Time::max() : quiet_at_; }
  void on_released() { stored_ = 0; }

 private:
  static constexpr std::size_t many = 1'000;  // records that take something worth giving back
  static constexpr std::size_t few = 100;     // that do not keep it from being given back,
  static constexpr std::chrono::seconds quiet_time{
      5};  // within this: the store has given back by then what it does not need

  std::size_t stored_ = 0;  // records, since memory was given back
  std::size_t lately_ = 0;  // among them those since there were few
  Time quiet_at_{};
};

}  // namespace ballot::storage
