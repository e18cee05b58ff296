// Overrides: what flags and environment variables say instead of `ballot.toml`. Plain values; a flag beats a variable.
//
//   Overrides environment = read_environment([](const char* name) { return std::getenv(name); }, diagnostics);
//   Overrides both = flags.over(environment);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/log.hpp"
#include "ballot/options.hpp"
#include "ballot/time.hpp"
#include "config/diagnostics.hpp"

namespace ballot::config {

/// What can be asked for: shorter ones leave no time to claim beside the margin (max(10 %, 500 ms)) and the 500 ms that
/// a launch may take.
inline constexpr Millis shortest_session_timeout = std::chrono::seconds(2);
inline constexpr Millis longest_session_timeout = std::chrono::hours(24);

enum class LogFormat { human, json, raw };

struct Overrides {
  std::optional<std::string> jobs_dir, plugin_dir, state_dir, run_dir;
  std::optional<std::string> node;  // a flag only
  std::optional<std::string> backend, name_space;
  std::optional<Millis> session_timeout;
  std::optional<Level> log_level;
  std::optional<LogFormat> log_format;
  std::map<std::string, Options>
      options;  // by backend: of flags only, as variables of theirs are read with their plugin

  /// This, and `weaker` where this says nothing.
  Overrides over(Overrides weaker) const;
};

/// BALLOT_JOBS_DIR, BALLOT_PLUGIN_DIR, BALLOT_STATE_DIR, BALLOT_RUN_DIR, BALLOT_BACKEND, BALLOT_NAMESPACE,
/// BALLOT_SESSION_TIMEOUT, BALLOT_LOG_LEVEL, BALLOT_LOG_FORMAT. An empty variable counts as none. A value that makes no
/// sense is an error that names the variable. `lookup` is getenv, or like it.
Overrides read_environment(const std::function<const char*(const char* name)>& lookup, Diagnostics& diagnostics);

/// A list as flags and variables take it: at commas, empty parts left out.
std::vector<std::string> split_list(std::string_view text);

/// What --session-timeout, --log-level and --log-format take; else none, and an error that names `source`.
std::optional<Millis> parse_session_timeout(std::string_view text, std::string_view source, Diagnostics& diagnostics);
std::optional<Level> parse_log_level(std::string_view text, std::string_view source, Diagnostics& diagnostics);
std::optional<LogFormat> parse_log_format(std::string_view text, std::string_view source, Diagnostics& diagnostics);

}  // namespace ballot::config
