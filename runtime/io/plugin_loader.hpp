// Finds and loads plugins: a file may run only if nobody but root and this user could have put it there, and is called
// only after its handshake (ballot/plugin.hpp) has been compared. Knows nothing of what a plugin does. Any thread;
// loading takes milliseconds and runs the constructors of the file.
//
//   auto plugin = load_plugin_of(backend_kind, "/usr/lib/ballot/plugins", "local");
//   if (!plugin) return plugin.error();            // says what is wrong with which file, and what to do
//   Backend* backend = (*plugin)->create(host, settings, error);
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"

namespace ballot {

/// Loads `folder`/`name`.so. The result is valid for the life of the process: nothing is ever unloaded, refused files
/// included, as threads and objects of theirs cannot be proved dead.
/// Errors: invalid (not a valid plugin name), not_found, refused (permissions, another build, not what its name says),
/// corrupt (not a shared object, or one that lacks something).
Result<const PluginInfo*> load_plugin(const std::filesystem::path& folder, const std::string& name);
/// The same of one kind: backend_kind, history_kind. Errors: also refused (it is of another one).
Result<const PluginInfo*> load_plugin_of(const char* kind, const std::filesystem::path& folder,
                                         const std::string& name);

/// The names of all *.so in `folder`, sorted; none where it cannot be read. Loads nothing, and trusts nobody.
std::vector<std::string> plugin_names(const std::filesystem::path& folder);

struct FoundPlugin {
  std::string name;
  std::string version;  // empty where it cannot be loaded
  std::string problem;  // then: why
};

/// Every *.so of `folder`, by name. Loads them. Errors: not_found, refused, as for one plugin.
Result<std::vector<FoundPlugin>> find_plugins(const std::filesystem::path& folder);

}  // namespace ballot
