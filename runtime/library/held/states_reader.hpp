// read_states: what the store says of jobs that other nodes lead, or nobody: for a daemon that is asked of them.
// Registers are read some at a time, and between two parts the loop does what else is to be done.
//
// Thread: the loop's. The callback comes later, on the loop. Requires: the node lives as long.
//
//   read_states(node, {{"backup", "nightly"}}, patience, [](const StoredStatesPtr& states) { ... });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "library/held/stored_states.hpp"
#include "library/node.hpp"

namespace ballot::library {

using StoredStatesPtr = std::shared_ptr<const StoredStates>;
using GroupsByJob = std::map<std::string, std::string>;

/// Adds them to `states`. With none, where the store has not answered within that time.
void read_states(Node& node, const GroupsByJob& jobs, Millis within, std::function<void(const StoredStatesPtr&)> then,
                 StoredStates states = StoredStates());

}  // namespace ballot::library
