// Environments: what the environments of other processes say of the run that they belong to.
//
// To read one the kernel waits for the memory map of that process, which its owner can keep locked as long as he likes:
// by a fault on a file system of his own, with somebody who wants to write to the map queued behind it. So those of
// other users are read by a child of this process, which nobody waits for: what it has read is there at a later call,
// and it is killed where it takes long. What could not be read is not tried again.
//
//   const auto entries = environments.of(facts, now);
//   if (!entries) ...                             // not yet, or never: is_pending() says which
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "runner/proc.hpp"
#include "runner/start_memory.hpp"

namespace ballot::runner {

class Environments {
 public:
  ~Environments();

  /// The process's entries BALLOT_RUN_ID and BALLOT_ATTEMPT, each ended by NUL.
  std::optional<std::string> of(const ProcessFacts& process, SteadyTime now);

  /// Somebody reads it now, or will.
  bool is_pending(const ProcessFacts& process) const;

  /// Whether it is a child that reads.
  bool has_child(pid_t pid) const { return readers_.contains(pid); }
  void reaped(pid_t pid) { readers_.erase(pid); }

  /// What is known of processes that are not among `living` is forgotten.
  void forget_but(const std::vector<pid_t>& living);

 private:
  using Name = std::pair<pid_t, std::uint64_t>;  // and when it started
  struct Reading {
    pid_t reader = 0;
    UniqueFd result;  // none once it was read, or given up
    std::string text;
    SteadyTime give_up_at{}, again_at{};
    bool is_done = false;
  };

  bool begin(const Name& name, SteadyTime now);
  void proceed(Reading& reading, SteadyTime now);
  void end(Reading& reading);

  const HiddenHeap heap_;
  std::map<Name, Reading> readings_;
  std::unordered_set<pid_t> readers_;  // that were not reaped yet
};

}  // namespace ballot::runner
