// The runs that did not succeed at once and that the server counts: those with one row of each attempt, from the first
// on, in which no other row can count. A part of statements; `r` are the rows.
#pragma once

#include <string>
#include <vector>

#include "ballot/run.hpp"
#include "where.hpp"

namespace ballot::postgresql {

/// No other row of its attempt can count than this one, unless another node says the same. `but`: runs that are in
/// question anyway.
std::string is_certain(Where& where, const std::vector<RunId>& but);

/// Of the rows that the conditions name, each with `begin` (of its slot), `job`, `grp`, `status`, `reason`, `runs` (1:
/// it is the last of its run), `attempts` (1), and `run_left`: its run, where that is in question. `is_whole`: what
/// must be so of the window `w`, which has a run's rows.
std::string counted_runs(const std::string& begin, const std::string& conditions, const std::string& certain,
                         const std::string& is_whole = "true");

}  // namespace ballot::postgresql
