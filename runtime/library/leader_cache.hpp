// LeaderCache: who leads each group, as the store says it. Whoever asks several times within a moment, page by page,
// has the store asked once.
//
// Thread: the loop's. Callbacks come at once or later, on the loop; none once the node or the cache is gone.
//
//   LeaderCache leaders(node);
//   leaders.ask([](const LeadersPtr& by_group) { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library/node.hpp"

namespace ballot::library {

struct Leader {
  std::string node;         // "": nobody leads, as far as is known
  std::uint64_t epoch = 0;  // of its term; 0: it is not known
};

using Leaders = std::map<std::string, Leader, std::less<>>;  // by group
using LeadersPtr = std::shared_ptr<const Leaders>;

Leaders leaders_of(const std::vector<Election>& elections);

class LeaderCache {
 public:
  explicit LeaderCache(Node& node) : node_(node) {}

  /// With none where the store does not answer in time.
  void ask(std::function<void(const LeadersPtr&)> then);

 private:
  struct State {
    LeadersPtr leaders;
    std::optional<SteadyTime> known_at;
    std::vector<std::function<void(const LeadersPtr&)>> waiting;
  };

  Node& node_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ballot::library
