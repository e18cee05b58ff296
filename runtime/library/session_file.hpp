// SessionFile: what it takes to leave on behalf of a program that is dead (`ballot resign`): the handle of its session,
// where its store is, and who has its runs. It exists while there is something to be left: not after a clean stop. Mode
// 0600: whoever reads it can end the program's terms. Read and written under the lock beside it (SessionLock).
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "config/config.hpp"

namespace ballot::library {

struct SessionFile {
  std::string backend, name_space, plugin_dir, state_dir;
  Options options;    // the backend's table
  Millis timeout{0};  // as asked for; 0: the backend's own
  std::string node;
  std::string group;          // that it is a candidate of; "": of all that have jobs
  std::string handle;         // "": there is no session; ends of runs may still have to be published
  std::string runner_socket;  // who has its runs; "": it has none
  /// It was left by a stop with `leave`: nothing is to be done before, on this boot.
  std::optional<SteadyTime> left_until = {};
  std::string boot_id = {};
};

/// Where a daemon with this run directory has it.
std::string session_path(const std::string& run_dir);

/// Where a candidate without a daemon has it: in the run directory, or in the state directory where it may not write to
/// that.
std::string candidate_session_path(const config::Config& config, const std::string& group,
                                   const std::string& candidate);

/// Beside it: where a child of `election run` finds the epoch of the term that its candidate leads in.
std::string candidate_epoch_path(const config::Config& config, const std::string& group, const std::string& candidate);

/// All but the group and the handle.
SessionFile about_session(const config::Config& config, const std::string& node);

/// The configuration of such a program, as far as its backend goes.
config::Config config_of(const SessionFile& file);

/// Replaced as a whole. Errors: io.
Result<void> write_session_file(const std::string& path, const SessionFile& file);

/// Errors: not_found; refused, where others than root and this user could have written it; corrupt.
Result<SessionFile> read_session_file(const std::string& path);

}  // namespace ballot::library
