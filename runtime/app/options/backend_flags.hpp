// The flags of backends: which there are is their plugins' to say, so that a third party's backend has its flags and
// its help. A plugin is loaded only where the words name one of its flags, or ask for help.
//
//   add_backend_flags(command, words, overrides.options);     // --zookeeper-servers a,b
#pragma once

#include <map>
#include <string>

#include "app/command.hpp"
#include "ballot/options.hpp"

namespace ballot::app {

/// `to`: the values, by backend.
void add_backend_flags(CLI::App& command, const Words& words, std::map<std::string, Options>& to);

/// "local, zookeeper", for help; "" where no help is asked for.
std::string installed_backends(const Words& words);

}  // namespace ballot::app
