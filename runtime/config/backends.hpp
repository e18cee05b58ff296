// Backends: the tables in ballot.toml and in job files whose keys are those of a backend's plugin: [NAME], and
// [group.GROUP.NAME]. What a key means is the plugin's; it is read here as it is, and checked by the plugin's
// table.
//
// Plain values; loads no plugin: whoever reads a configuration says which are installed, and how one is loaded.
//
//   for (const OptionProblem& problem : check_table(table.options, plugin.traits))
//     findings.error(position_of(problem, table), problem.text);
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "config/diagnostics.hpp"

namespace ballot::config {

/// The backends that files may have tables of, and their plugins; null: not loaded, so that its keys are not checked.
using Backends = std::map<std::string, const PluginInfo*, std::less<>>;

/// The plugins of a folder.
struct Plugins {
  std::function<std::vector<std::string>(const std::string& folder)> names = [](const std::string&) {
    return std::vector<std::string>();
  };
  std::function<Result<const PluginInfo*>(const std::string& folder, const std::string& name)> load =
      [](const std::string&, const std::string&) {
        return Error{Errc::not_found, "there are no plugins"};
      };
};

/// A backend's table as its plugin gets it, and where each key is.
struct BackendTable {
  Options options;
  Position position;                                       // of the table
  std::map<std::string, Position, std::less<>> positions;  // of the values; an overridden one has line 0
};

/// The place of the plugin's problem with a key of the table.
Position position_of(const OptionProblem& problem, const BackendTable& table);

/// The variable that gives the key of [NAME]: BALLOT_NAME_KEY.
std::string variable_of(std::string_view backend, std::string_view key);
/// The same of its flag: --NAME-KEY.
std::string flag_of(std::string_view backend, std::string_view key);
/// As a flag or a variable has it.
OptionValue parse_option(const OptionKey& key, const std::string& text);

}  // namespace ballot::config
