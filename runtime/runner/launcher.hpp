// Launcher: makes a child process of a Start. Knows nothing of runs, sockets and time-outs.
//
// The child shares this process's memory until it execs and this process stands still meanwhile (CLONE_VM,
// CLONE_VFORK): a start costs the same however large the process is, and the child reports a failed step through
// memory. Everything that the child needs is made ready before; it calls async-signal-safe functions only.
//
// Requires of the process: one thread, every signal blocked and at its default disposition (so that there is nothing to
// reset in the child but its mask), and descriptors 0 to 2 open.
//
//   Launcher launcher;
//   auto launched = launcher.launch(start, {.output = fd}, start.launch_not_after);
//   if (auto* pid = std::get_if<pid_t>(&launched)) ...
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <variant>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/launch_failure.hpp"

namespace ballot::runner {

/// The last look at the clock said no: nothing was exec'd.
struct TooLate {};

/// What the child gets beside what its Start says.
struct Places {
  int output = -1;  // its standard output and standard error
  int cgroup = -1;  // the folder of the cgroup that it is to be in; -1: where this process is
};

using Launched = std::variant<pid_t, TooLate, LaunchFailure>;

class Launcher {
 public:
  /// Raises this process's limit of open files to the hard one; children get the one that stood before.
  Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  /// The child leads a process group of its own (its id is its pid) in this process's session: one a child would make a
  /// scheduling group a child, which costs a third of the launches under load. It reads `start.standard_input` and has
  /// one pipe for both outputs, which keeps the order of arrival exact. It is in its cgroup from its first moment;
  /// where the system does not let us say so (clone3), from before exec. An empty working_dir is "/". Blocks until the
  /// child has exec'd or failed.
  Launched launch(const Start& start, const Places& places, SteadyTime not_after);

 private:
  pid_t clone_into(int cgroup, int (*function)(void*), void* argument);
  bool clones_into(int cgroup);

  char* stack_ = nullptr;
  UniqueFd null_;
  rlimit open_files_{};
  int nice_ = 0;
  std::optional<bool> clones_into_;  // a cgroup; unknown until it was tried
};

}  // namespace ballot::runner
