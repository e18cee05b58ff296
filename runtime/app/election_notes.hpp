// What there is to say of an election's candidates beside the plain facts: the notes of `ballot info`. Pure.
#pragma once

#include <string>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::app {

/// Of the leader, as such. Requires: it leads.
std::vector<std::string> leader_notes(const Candidate& leader, WallTime now);

/// Of one of the election's candidates, by its place.
std::vector<std::string> candidate_notes(const Election& election, std::size_t place, WallTime now);

const Candidate* leader_of(const Election& election);

}  // namespace ballot::app
