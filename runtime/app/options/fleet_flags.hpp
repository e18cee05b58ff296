// The flags of `ballot simulate` that say which fleet is simulated, as text to values. Errors: invalid, what to write
// instead. Pure but for times that are relative to now.
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "simulation/fleet.hpp"

namespace ballot::app {

/// "lose:NODE@TIME", or "lose:NODE@TIME/DURATION".
Result<simulation::Loss> parse_loss(const std::string& text);

/// A number of nodes, host-1 and so on, or a name, which is added to those before.
Result<void> add_nodes(const std::string& text, std::vector<std::string>& to);

/// "DURATION", of jobs of which nothing else is known, or "JOB=DURATION".
Result<void> add_run_time(const std::string& text, simulation::RunTimes& to);

}  // namespace ballot::app
