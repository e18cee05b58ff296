// What runs between clone and exec, and what it reports. Everything here is done with system calls alone, on memory of
// its own: the child's stack and its ChildPlan (start_memory.hpp). It takes no lock, allocates nothing, and changes
// nothing of this process's, whose memory it may share.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "ballot/job.hpp"
#include "ballot/time.hpp"

namespace ballot::runner {

/// All that the child reads. What it points to lies beside it.
struct ChildPlan {
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  char* const* paths = nullptr;  // to try, in order; ended by null
  const char* working_dir = nullptr;
  const std::uint32_t* groups = nullptr;
  std::size_t group_count = 0;
  std::uint32_t uid = 0, gid = 0, umask = 0;
  int nice = 0;
  bool set_nice = false;
  bool own_memory = false;    // not shared with the runner
  bool set_identity = false;  // and with it a session and a session keyring of its own
  bool has_keyrings = false;
  bool no_new_privs = false;
  Limits limits;
  rlimit open_files{};
  pid_t runner = 0;
  int input = -1, output = -1;
  int report = -1;        // where it reports to
  int cgroup_procs = -1;  // to join by, where that is still to be done
  SteadyTime not_after{};
};

/// What the child writes to `report`: `about_to_exec` right before its first exec, and a ChildFailure where it gives
/// up. The descriptor is closed by exec.
inline constexpr char about_to_exec = 'x';

struct ChildFailure {
  std::int32_t error = 0;
  std::int32_t too_late = 0;  // the clock said no: nothing was exec'd
  char stage[24] = {};        // the step that failed
};

/// For clone: `plan` is a ChildPlan. Does not return.
int child_main(void* plan);

/// For clone: ends with 0.
int child_that_ends(void*);

}  // namespace ballot::runner
