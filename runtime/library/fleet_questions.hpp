// FleetQuestions: what a daemon answers about the nodes of its fleet, by what it knows and what the store says:
// {"do": "nodes"}, with `nodes` and `state`, see fleet_nodes.hpp. Nobody else is asked.
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   FleetQuestions fleet(node, "host-1");
//   fleet.answer_nodes(status, reply);
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/question.hpp"
#include "library/fleet_nodes.hpp"
#include "library/node.hpp"
#include "library/remembered_peers.hpp"

namespace ballot::library {

class FleetQuestions {
 public:
  FleetQuestions(Node& node, std::string self) : node_(node), self_(std::move(self)) {}

  /// How the nodes are, as far as the store says it in that time. `status`: this node's. Whoever shows when a node was
  /// last heard of takes it from here, so that all say the same.
  using OnNodes = std::function<void(const std::vector<FleetNode>&)>;
  void look(const NodeStatus& status, Millis within, OnNodes then);
  /// Takes elections that were observed: who takes part in one lives.
  void note(const std::vector<Election>& elections);
  /// Whether others have answered by their APIs; not asked before it is set.
  void answers_known_by(std::function<Answers()> answers) { answers_ = std::move(answers); }

  void answer_nodes(const NodeStatus& status, const io::Reply& reply);

 private:
  const std::vector<core::PeerView>& peers();

  Node& node_;
  const std::string self_;
  std::function<Answers()> answers_;
  RememberedPeers peers_;
  SessionTimes alive_;  // from one question to the next: the store does not say it of a session that is over
};

}  // namespace ballot::library
