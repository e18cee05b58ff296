// FleetQuestions: what a daemon answers about its whole fleet, by what it knows and what the store says: "nodes", and
// "next" with `for_ms`, and, where they are given, `job`, `group`, `node`, and `held`: registers, j/JOB and g/GROUP,
// that whoever asks has read in the store, and by which the job or its group is paused or halted: of what other nodes
// lead such slots are left out, as those of what this node leads are. Nobody else is asked.
//
//   question | lines of the answer
//   nodes    | one: `nodes` and `state`, see fleet_nodes.hpp
//   next     | each with a list `slots` of {slot, job, group, node}; the last one with `left_out`, whether there are
//            | more, and `unknown`: jobs whose slots only whoever leads them knows (`@every`)
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   FleetQuestions fleet(node, views, "host-1");
//   fleet.answer_next(question.message, reply);
#pragma once

#include <string>

#include "io/question.hpp"
#include "library/fleet_nodes.hpp"
#include "library/node.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

inline constexpr Millis default_ahead = std::chrono::hours(1), most_ahead = std::chrono::hours(24 * 366);

class FleetQuestions {
 public:
  FleetQuestions(Node& node, const StateViews& views, std::string self)
      : node_(node), views_(views), self_(std::move(self)) {}

  /// `status`: this node's.
  void answer_nodes(const NodeStatus& status, const io::Reply& reply);
  void answer_next(const io::Message& asked, const io::Reply& reply) const;

 private:
  Node& node_;
  const StateViews& views_;
  const std::string self_;
  SessionTimes alive_;  // from one question to the next: the store does not say it of a session that is over
};

}  // namespace ballot::library
