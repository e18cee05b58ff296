// RunCgroup: the control group (version 2) of one run, by which all of its processes are found and killed, whatever
// they did to leave their group or session. Cgroups: the runner's folder of them, BASE/ballot-PID/run-ID.ATTEMPT.
//
// BASE is the runner's own group, or the one above it where that is the one delegated to its service, or its scope. The
// folder is locked while its runner lives: what a dead one left is killed and removed by the next that starts there.
//
//   auto cgroups = Cgroups::below("/sys/fs/cgroup/system.slice/ballot.service");
//   auto made = (*cgroups)->make(start.limits);
//   launcher.launch(start, {.output = fd, .cgroup = run->open().get()}, not_after);
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/launch_failure.hpp"

namespace ballot::runner {

class Cgroups;

/// Made by Cgroups; its folder goes back there.
class RunCgroup {
 public:
  /// `base` stays open meanwhile; `path` is below it. `owner` may be null: then the folder stays as it is.
  RunCgroup(int base, std::string path, Cgroups* owner, bool limited = false);
  RunCgroup(const RunCgroup&) = delete;
  RunCgroup& operator=(const RunCgroup&) = delete;
  ~RunCgroup();

  /// The folder, for clone3 to put a child into it. Empty, with errno, where it cannot be opened.
  UniqueFd open() const;

  /// Where it is not, nothing of the limits can be relied upon.
  std::variant<std::monostate, LaunchFailure> limit(const Limits& limits) const;

  /// Whether there is a process in it or below it that has not ended. True also where that cannot be read.
  bool populated();

  /// KILL to all of them, also to those that are forked meanwhile. Linux also kills what is cloned into it later: it is
  /// not used again.
  void kill();

  /// Nobody kills what is in it any more: neither this runner nor the next one. Its limits last as long as it does.
  void leave() const;

  /// The signal to each of them but those of `group`.
  void signal_others(int signal, pid_t group) const;

  /// Whether the kernel has killed one of them because memory was short.
  bool killed_for_memory() const;

 private:
  bool is_as_new();

  const int base_;
  const std::string path_;
  Cgroups* const owner_;
  const bool limited_;
  bool killed_ = false;
  bool was_empty_ = false;  // when that was asked last
};

class Cgroups {
 public:
  /// Makes the runner's folder. An error where it cannot be made or a group in it could not be killed.
  static Result<std::unique_ptr<Cgroups>> below(const std::string& base);
  /// Moves this process to SCOPE/runner, so that SCOPE can hand out limits, and begins below SCOPE. What dead runners
  /// left in scopes beside it is ended too.
  static Result<std::unique_ptr<Cgroups>> in_own_scope(const std::string& scope);

  enum class Standing { beside_others, own_scope };
  /// Below the group of this process, in which there are others or which systemd has made for it alone.
  static Result<std::unique_ptr<Cgroups>> find(Standing standing);

  Cgroups(const Cgroups&) = delete;
  Cgroups& operator=(const Cgroups&) = delete;
  ~Cgroups();

  using Made = std::variant<std::unique_ptr<RunCgroup>, LaunchFailure>;

  /// With its limits. Null where the system has no room for one more and the run asks for no limit.
  Made make(const Limits& limits);

  /// Of a run that is over. What is not to be used again is removed; what cannot be yet, with a later one.
  void take_back(const std::string& path, bool as_new);

 private:
  Cgroups(UniqueFd base, UniqueFd folder, std::string name);

  std::variant<std::monostate, LaunchFailure> enable(const Limits& limits) const;
  void end_what_dead_runners_left(const std::string& place);
  void remove_what_can_be();
  bool end_dead_runners_runs(const std::string& path);

  const UniqueFd base_, folder_;  // the folder is locked
  const std::string name_;
  std::int64_t made_ = 0;
  std::vector<std::string> free_, to_remove_;
  std::vector<UniqueFd> locks_;  // of dead runners' folders that could not be removed yet
};

}  // namespace ballot::runner
