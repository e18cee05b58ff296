// LivingProcess: one process of another parent, by whose id no other process is meant: its descriptor (pidfd) says
// whether that very process still lives.
//
//   LivingProcess runner(hello.pid);
//   if (!runner.lives()) ...
#pragma once

#include <sys/types.h>

#include "ballot/time.hpp"
#include "base/unique_fd.hpp"

namespace ballot::io {

class LivingProcess {
 public:
  LivingProcess() = default;
  /// Requires: the process lives now.
  explicit LivingProcess(pid_t pid);

  pid_t pid() const { return pid_; }
  /// False also where there is none.
  bool lives() const { return !ends_within(Millis(0)); }
  /// Blocks until it has ended, at most for `patience`. True also where there is none.
  bool ends_within(Millis patience) const;

 private:
  pid_t pid_ = 0;
  UniqueFd descriptor_;
};

}  // namespace ballot::io
