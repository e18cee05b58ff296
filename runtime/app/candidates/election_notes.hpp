// What there is to say of an election's candidates and of its store beside the plain facts: the notes of `ballot info`.
// Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot::app {

/// Of the leader, as such. Requires: it leads.
std::vector<std::string> leader_notes(const Candidate& leader, WallTime now);

/// Of one of the election's candidates, by its place.
std::vector<std::string> candidate_notes(const Election& election, std::size_t place, WallTime now);

const Candidate* leader_of(const Election& election);

/// What the store keeps of two that both believe they lead, for people.
std::string text_of(Capability capability);

/// A node that may not lead a group, or is to be handed nothing, by what it has published.
struct UnfitNode {
  std::string node;
  std::string why;
  WallTime since{};
};
/// Of that group, by the nodes' records; others are passed over. In order of their names.
std::vector<UnfitNode> unfit_nodes(const std::string& group, const std::vector<Register>& records);
/// Groups that some node may not lead, by the nodes' records: an election may never have come of it.
std::set<std::string> unfit_groups(const std::vector<Register>& records);

}  // namespace ballot::app
