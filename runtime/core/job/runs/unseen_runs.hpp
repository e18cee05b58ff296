// UnseenRuns: whether runs of the job may go on that no register shows. A term before this one may have started them
// without a claim, as `at-least-once` allows, and its daemon has died before it could enter them. None outlasts the
// last deadline of those terms but those that finish; where one term alone is in question, and its node is on this
// host, its runner says earlier that none goes on.
//
//   UnseenRuns unseen;
//   unseen.begin_term(c, job);
//   if (unseen.may_go_on()) ... // nothing begins beside them
//
// Pure. Knows nothing of the runs that a register shows; used by JobMachine's parts only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/runs/run_list.hpp"

namespace ballot::core {

class UnseenRuns {
 public:
  /// Requires: `job` has a term.
  void begin_term(Context& c, const JobFacts& job);
  void end_term() { question_.reset(); }
  void advance(SteadyTime now) {
    if (question_ && now >= question_->until) question_.reset();
  }

  bool may_go_on() const { return question_ != nullptr; }
  /// When that changes by itself.
  std::optional<SteadyTime> wake() const { return question_ ? std::optional(question_->until) : std::nullopt; }

  /// The node's runner can say more.
  bool wants_word_of(const std::string& node) const {
    return question_ && !question_->node.empty() && node == question_->node;
  }
  /// `known`: the job's other runs.
  void on_runner_word(const JobFacts& job, const RunnerWord& word, const RunList& known);

 private:
  struct Question {
    SteadyTime until{};  // there are none from here on
    std::string node;    // of the one term in question; "": of several, or its runner is gone
    std::optional<std::vector<runner::AttemptId>> running;  // by its runner's word; none: not said yet
  };

  std::unique_ptr<Question> question_;  // null: there are none
};

}  // namespace ballot::core
