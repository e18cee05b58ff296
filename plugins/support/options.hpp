// Options: a plugin's table of ballot.toml, checked by a table of its keys; and what several stores have in common
// there: hosts, durations, the namespace as a part of a path. Pure.
//
//   const std::vector<OptionRule> rules = {{"servers", servers_problem}, {"tick", tick_problem}};
//   return check_options(options, rules);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/plugin.hpp"
#include "ballot/time.hpp"

namespace ballot::support {

struct OptionRule {
  std::string key;
  /// What is wrong with the value, for people; "" for nothing.
  std::string (*problem)(const OptionValue&);
};

/// Every problem of the table at once, unknown keys among them.
std::vector<OptionProblem> check_options(const Options& options, const std::vector<OptionRule>& rules);

/// Hosts as people write them: a list, or a text with commas, of "HOST", "HOST:PORT" or "[IPV6]:PORT". At the end of
/// any of them there may be a path, the same for all.
struct HostList {
  std::vector<std::string> hosts;  // each with its port
  std::string path;                // "/one/two", or ""
  std::string problem;             // "": none
  /// With commas.
  std::string text() const;
};
HostList read_hosts(const OptionValue& value, const std::string& default_port);

/// "2s" or "200ms", more than nothing and at most `most`.
std::optional<Millis> read_duration(const OptionValue& value, Millis most);

/// It may be a part of a path: [A-Za-z0-9][A-Za-z0-9._-]*, at most 64 letters.
bool is_path_part(const std::string& name);

}  // namespace ballot::support
