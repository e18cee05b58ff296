// LeaderRank: of the nodes that may lead a group, who should: the first preferred one, else, where groups are spread
// over nodes, the one that the group's name chooses. The same on all nodes.
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "ballot/job.hpp"

namespace ballot::core {

/// The smaller, the better.
using LeaderRank = std::pair<std::size_t, std::uint64_t>;
/// `spread`: groups without a preferred node are led by whom their names choose; else all have the same rank.
LeaderRank leader_rank(const Group& settings, std::string_view node, bool spread);

/// Spreads what FNV leaves close together (the finalizer of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace ballot::core
