// UnreleasedJobs: jobs whose register another group's leader has not released yet. They are read again every few
// seconds.
//
// Pure values; used by Core only.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/jobs/job_table.hpp"

namespace ballot::core {

inline constexpr Millis unreleased_pause{5000};  // between reads of a register that another group has not released

class UnreleasedJobs {
 public:
  /// The job's register is read again at `at`, or sooner together with others.
  void wait(JobEntry& job, SteadyTime at) {
    jobs_.insert(&job);
    poll_at_ = std::min(poll_at_.value_or(at), at);
  }
  std::optional<SteadyTime> poll_at() const { return poll_at_; }
  bool is_due(SteadyTime now) const { return poll_at_ && *poll_at_ <= now; }
  /// All of them: those that are to be waited for further wait() again.
  std::set<JobEntry*, BySerial> take() {
    poll_at_.reset();
    return std::exchange(jobs_, {});
  }

 private:
  std::set<JobEntry*, BySerial> jobs_;
  std::optional<SteadyTime> poll_at_;
};

}  // namespace ballot::core
