// Launcher: makes a child process of a Start. Knows nothing of runs, sockets and time-outs, and waits for nothing.
//
// A child that stays what this process is shares this process's memory until it execs (CLONE_VM): a start costs the
// same however large the process is. One that takes another identity must not: its user could be allowed to write to
// the memory of a process of root's. Nor one with a limit of memory: out of memory, the kernel kills all that share it.
// These get a copy of what is not the heap. Everything that a child needs is made ready before, beside its stack.
//
// Requires of the process: one thread, every signal blocked and at its default disposition (so that there is nothing to
// reset in the child but its mask), and descriptors 0 to 2 open.
//
//   Launcher launcher;
//   auto launched = launcher.launch(start, {.output = fd, .report = other}, start.launch_not_after);
//   if (auto* child = std::get_if<NewChild>(&launched)) ... when it has closed `other`: see Launch
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <variant>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/launch.hpp"
#include "runner/launch_failure.hpp"
#include "runner/start_memory.hpp"

namespace ballot::runner {

/// What the child gets beside what its Start says.
struct Places {
  int output = -1;  // its standard output and standard error
  int report = -1;  // what launch.hpp reads the other end of; closed by exec
  int cgroup = -1;  // the folder of the cgroup that it is to be in; -1: where this process is
};

struct NewChild {
  pid_t pid = -1;
  StartMemory memory;  // what it uses until it has closed its report
};

using Launched = std::variant<NewChild, LaunchFailure>;

class Launcher {
 public:
  /// Raises this process's limit of open files to the hard one; children get the one of before.
  Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// The child leads a process group of its own (its id is its pid). Without an identity that is in this process's
  /// session: one a child would make a scheduling group a child, which costs a third of the launches under load. With
  /// one it has a session and a session keyring of its own. It reads `start.standard_input` and has one pipe for both
  /// outputs, which keeps the order of arrival exact. It is in its cgroup from its first moment; where the system does
  /// not let us say so (clone3), from before exec. An empty working_dir is "/".
  Launched launch(const Start& start, const Places& places, SteadyTime not_after);

  /// Of a launch that is over: its memory is used again.
  void put_back(Launch& launch) { memories_.put_back(launch.take_memory()); }

 private:
  ChildPlan plan_for(const Start& start, SteadyTime not_after) const;
  pid_t clone(const StartMemory& memory, int cgroup, std::uint64_t flags);
  pid_t clone_into(const StartMemory& memory, int cgroup, std::uint64_t flags, int (*function)(void*));
  bool clones_into(int cgroup);

  StartMemories memories_;
  HiddenHeap heap_;
  UniqueFd null_;
  const pid_t self_;
  rlimit open_files_{};
  int nice_ = 0;
  bool has_keyrings_ = true;
  std::optional<bool> clones_into_;  // a cgroup; unknown until it was tried
};

}  // namespace ballot::runner
