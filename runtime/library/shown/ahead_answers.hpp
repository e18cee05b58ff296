// AheadAnswers: the daemon's answers about slots to come of many jobs, in public form, one message each: {"do": ...,
// "form": "shown"}.
//
//   do     | asks for                                     | answers with
//   load   | `from`, `to` (ms since 1970)                 | as PlannedLoad has it; `unknown`: jobs whose slots only
//          |                                              | their leaders know; `left_out`: how many jobs are not
//          |                                              | counted, as there are too many slots
//
// Of a job that runs on each node this node's instance stands for all. Slots of jobs that are paused, as long as the
// pause lasts, disabled or halted are left out, as far as their leaders or the store say so.
//
// Thread: the loop's. Requires: what it is made with lives longer.
//
//   if (ahead.answer(question, reply)) return;
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "io/question.hpp"
#include "library/shown/load_counts.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

class AheadAnswers {
 public:
  /// `name`: the node's.
  AheadAnswers(Node& node, const StateViews& views, std::string name)
      : node_(node),
        views_(views),
        name_(std::move(name)),
        loads_(node, [this](const auto& take, auto done) { load_jobs(take, std::move(done)); }) {}

  /// False: no such question is answered here.
  bool answer(const io::Question& question, const io::Reply& reply) const;

 private:
  struct Loading;

  void answer_load(const io::Question& question, const io::Reply& reply) const;
  void load_jobs(const LoadCounts::Take& take, std::function<void()> done) const;
  void take_on(const std::shared_ptr<Loading>& loading) const;

  Node& node_;
  const StateViews& views_;
  const std::string name_;
  mutable LoadCounts loads_;
};

}  // namespace ballot::library
