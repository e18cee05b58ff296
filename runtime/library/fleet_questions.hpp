// FleetQuestions: what a daemon answers about its whole fleet, by what it knows and what the store says: "nodes", and
// "next" with `for_ms`, and, where they are given, `job`, `group`, `node`, and `held`: registers, j/JOB and g/GROUP,
// that whoever asks has read in the store, and by which the job or its group is paused or halted: of what other nodes
// lead such slots are left out, as those of what this node leads are. Nobody else is asked. Of another node that `node`
// names, or `job` or `group` as JOB@NODE, also its instances of jobs of each node are shown, as this node's files
// define them; whether there is such a node, whoever asks has found out.
//
//   question | lines of the answer
//   nodes    | one: `nodes` and `state`, see fleet_nodes.hpp
//   next     | each with a list `slots` of {slot, job, group, node}; the last one with `left_out`, whether there are
//            | more, and `unknown`: jobs whose slots only whoever leads them knows (`@every`)
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   FleetQuestions fleet(node, views, jobs, "host-1");
//   fleet.answer_next(question.message, reply);
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/job_set.hpp"
#include "io/question.hpp"
#include "library/fleet_nodes.hpp"
#include "library/node.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

inline constexpr Millis default_ahead = std::chrono::hours(1), most_ahead = std::chrono::hours(24 * 366);

class FleetQuestions {
 public:
  FleetQuestions(Node& node, const StateViews& views, const config::JobSet& jobs, std::string self)
      : node_(node), views_(views), jobs_(jobs), self_(std::move(self)) {}

  /// How the nodes are, as far as the store says it in that time. `status`: this node's. Whoever shows when a node was
  /// last heard of takes it from here, so that all say the same.
  using OnNodes = std::function<void(const std::vector<FleetNode>&)>;
  void look(const NodeStatus& status, Millis within, OnNodes then);
  /// Takes elections that were observed: who takes part in one lives.
  void note(const std::vector<Election>& elections);
  /// When others have answered by their APIs; not asked before it is set.
  void answers_known_by(std::function<AnswerTimes()> answered) { answered_ = std::move(answered); }

  void answer_nodes(const NodeStatus& status, const io::Reply& reply);
  void answer_next(const io::Message& asked, const io::Reply& reply) const;

 private:
  Node& node_;
  const StateViews& views_;
  const config::JobSet& jobs_;  // that are in force here
  const std::string self_;
  std::function<AnswerTimes()> answered_;
  SessionTimes alive_;  // from one question to the next: the store does not say it of a session that is over
};

}  // namespace ballot::library
