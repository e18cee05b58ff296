// NextAnswers: what is to come over the fleet, {"do": "next"}, for commands and the API alike: the slots within
// `for_ms` from `from` on, or from now, of a `job`, a `group` or what a `node` leads where these are given, the first
// `limit` of them. Of what this
// node leads it knows which jobs are paused or halted and where an `@every` counts from; of all else the store is
// asked, so that each node says the same. In scope "node" nobody is asked.
//
// Of a job that runs on each node this node's instance stands for all. Of another node that `node` names, or `job` or
// `group` as JOB@NODE, its instances are shown, as this node's files define them; whether there is such a node, whoever
// asks has found out.
//
//   field            | of the last line, or the only one
//   slots            | of each line: {slot, job, group, node, node_state}, in order; node_state: how the node is where
//   it
//                    | starts nothing at present: silent, gone, unfit
//   left_out         | there may be more slots
//   unknown          | jobs, some of them, with an `@every` of which no register says where it counts from
//   attempts         | runs that wait for their next attempt, from which no pause keeps it
//   held             | of the job or the group that is asked for: which pause or halt keeps slots from being due
//   missing          | nodes that do not answer, see fleet_nodes.hpp; where some are asked for, of those that lead it.
//   With
//                    | what `becomes` of their slots
//   unfit            | of nodes that lead what is shown those that start nothing at present, and why, as they say
//   states_are_known | false: the store has not answered, so slots of jobs that others lead and are paused may be there
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   next.answer(question.message, reply);
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/job_set.hpp"
#include "io/question.hpp"
#include "library/fleet_questions.hpp"
#include "library/node.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

inline constexpr Millis default_ahead = std::chrono::hours(1), most_ahead = std::chrono::hours(24 * 366);

class NextAnswers {
 public:
  struct Parts {
    Node& node;
    const StateViews& views;
    const config::JobSet& jobs;  // that are in force here
    FleetQuestions& fleet;
  };
  /// `self`: the node's name.
  NextAnswers(Parts parts, std::string self) : parts_(parts), self_(std::move(self)) {}

  void answer(const io::Message& asked, const io::Reply& reply) const;

 private:
  struct Asking;
  using AskingPtr = std::shared_ptr<Asking>;

  void look_at_jobs(const AskingPtr& asking) const;
  void look_at(const core::JobView& view, Asking& asking) const;
  void look_elsewhere(const core::JobView& own, Asking& asking) const;
  void ask_store(const AskingPtr& asking) const;
  void look_at_runs(const AskingPtr& asking) const;
  void look_at_nodes(const AskingPtr& asking) const;
  static std::vector<io::Message> take_slots(Asking& asking, const std::vector<FleetNode>& nodes);
  static std::vector<io::Message> missing_of(const Asking& asking, const std::vector<FleetNode>& nodes);

  const Parts parts_;
  const std::string self_;
};

}  // namespace ballot::library
