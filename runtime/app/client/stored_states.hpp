// The store's registers, as a command reads them by a session of its own: whether jobs are paused or halted, and which
// runs are open.
//
// Threads: the main one. Needs what a user may need leave for: the backend's secrets, the store.
//
//   const auto states = read_stored_states(config);
//   if (states) state = states->of("backup", "default").word;
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "config/config.hpp"
#include "library/held/stored_states.hpp"

namespace ballot::app {

inline constexpr Millis store_patience{2000};

/// A run that a job's register shows as open.
struct StoredRun {
  std::string job, node;
};
/// Of the run whose id ends with `suffix`. None: no register shows it, or the store cannot be read.
std::optional<StoredRun> find_stored_run(const config::Config& config, const std::string& suffix);

/// Errors: those of Observer; unavailable, where the store does not answer within that time.
Result<library::StoredStates> read_stored_states(const config::Config& config, Millis within = store_patience);
/// Of one job alone.
Result<library::StoredState> read_stored_state(const config::Config& config, const std::string& job,
                                               const std::string& group);

}  // namespace ballot::app
