// StallWatch: when the machine of a test stood still, as its own thread met it: it sleeps for 20 ms at a time and
// writes a byte to the disk each quarter of a second, and notes what took 100 ms longer than that. What daemons decided
// late beside such a moment may be the machine's doing; what they decided late without one is theirs.
//
//   const StallWatch watch(folder / "stalls");
//   evidence.stalls = watch.stalls();
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ballot/time.hpp"
#include "base/unique_fd.hpp"
#include "support/judge/report.hpp"

namespace ballot::testing {

struct Stall {
  WallTime from{}, until{};
};

/// Of a turn of the watch, where it took too long.
std::optional<Stall> stall_of(const Instant& began, const Instant& ended);

class StallWatch {
 public:
  /// `path`: of a file on the disk that is watched, made here. Throws std::runtime_error.
  explicit StallWatch(const std::string& path);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  /// Those that are over, in order.
  std::vector<Stall> stalls() const;

 private:
  void watch();

  UniqueFd file_;
  mutable std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::vector<Stall> stalls_;
  std::thread thread_;
};

}  // namespace ballot::testing
