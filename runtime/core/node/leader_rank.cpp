#include "core/node/leader_rank.hpp"

#include <algorithm>

#include "base/fnv.hpp"

namespace ballot::core {

LeaderRank leader_rank(const Group& settings, std::string_view node, bool spread) {
  const auto& preferred = settings.preferred;
  const auto place = std::find(preferred.begin(), preferred.end(), node) - preferred.begin();
  return {static_cast<std::size_t>(place), spread ? mixed(Fnv().add_whole(settings.name).add(node).value()) : 0};
}

}  // namespace ballot::core
