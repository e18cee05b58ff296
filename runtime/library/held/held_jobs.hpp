// HeldJobs: of the jobs that somebody has asked for by name, those that are paused or halted, and why nothing of them
// is due: as the daemon has it of what its node leads, as the store has it of all else.
//
// Pure.
//
//   for (const HeldJob& one : held_jobs(jobs, config.node, stored)) std::cerr << text_of(one);
#pragma once

#include <string>
#include <vector>

#include "io/message.hpp"
#include "library/held/pauses.hpp"
#include "library/held/stored_states.hpp"

namespace ballot::library {

/// A job, or a group with all its jobs: once, however many these are.
struct HeldJob {
  Pause::Of of = Pause::Of::job;
  std::string name;
  std::string word;                    // "paused", "halted", "moved", "moving", "not defined there"
  std::optional<WallTime> since = {};  // as far as it is known,
  std::string by = {};                 // and who has paused it
  std::string trouble = {};            // why it is not defined
  std::optional<WallTime> until = {};  // when the pause ends by itself
  bool operator==(const HeldJob&) const = default;
};

/// `jobs`: with `job`, `group`, `leader`, `state` and pauses, as the daemon shows them. `stored`: null where the store
/// has not answered.
std::vector<HeldJob> held_jobs(const std::vector<io::Message>& jobs, const std::string& node,
                               const StoredStates* stored);

/// "group batch is paused since 2026-11-28T10:00:00.000Z, by host-1 uid 0: its slots are not due until `ballot resume
/// --group batch`".
std::string text_of(const HeldJob& held);

}  // namespace ballot::library
