// Counts of slots by what became of them. Pure.
#pragma once

#include <vector>

#include "simulation/report.hpp"

namespace ballot::simulation {

/// Adds to those of that status and reason, in their order. A negative number takes away; what is none is left out.
void add_outcome(std::vector<Outcome>& to, Status status, Reason reason, std::int64_t slots);

}  // namespace ballot::simulation
