// simulate(): what a fleet would be asked in a span of time, and what would become of it: the cores of its nodes, its
// job files and a store in virtual time, with children that take as long as is known of them and succeed. Nothing is
// launched, asked or written. The same fleet gives the same report.
//
//   const auto report = simulate(fleet, [](WallTime at) { ... });
//
// What is simulated begins before the span, so that what still runs when it begins runs there too, and groups are where
// they belong: by the longest run, ten minutes at least and a day at most.
#pragma once

#include <functional>

#include "ballot/error.hpp"
#include "simulation/fleet.hpp"
#include "simulation/report.hpp"

namespace ballot::simulation {

/// `progress` is told from time to time how far the clock is. Errors: invalid (a span or a loss that cannot be; more
/// steps than fleet.most_steps, with how far it came). Requires: nodes of different names. Any thread; blocks.
Result<Report> simulate(const Fleet& fleet, const std::function<void(WallTime at)>& progress = {});

}  // namespace ballot::simulation
