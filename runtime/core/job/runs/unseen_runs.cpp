#include "core/job/runs/unseen_runs.hpp"

namespace ballot::core {

/// What this node itself has started so is in its ledger, and was taken up from there.
void UnseenRuns::begin_term(Context& c, const JobFacts& job) {
  *this = {};
  const Term& term = *job.term;
  if (!job.definition || !term.old_deadline || *term.old_deadline <= c.now.steady) return;
  const Job& policies = job.definition->job;
  if (policies.guarantee != Guarantee::at_least_once || policies.concurrency == Concurrency::allow) return;
  if (term.only_before == c.settings.node) return;
  until_ = term.old_deadline;
  node_ = term.only_before;
  if (!node_.empty()) c.wants.silent_nodes.insert(node_);
}

void UnseenRuns::on_runner_word(const JobFacts& job, const RunnerWord& word, const RunList& known) {
  if (!wants_word_of(word.node)) return;
  if (word.gone) return node_.clear();
  if (word.complete) {
    running_.emplace();
    for (const runner::Running& one : word.running)
      if (one.job == job.name && !known.find(one.id)) running_->push_back(one.id);
    const Job& policies = job.definition->job;
    if (!running_->empty() && policies.on_leadership_lost == OnLeadershipLost::finish) *until_ += policies.lost_after;
  }
  if (!running_) return;
  for (const runner::Ended& one : word.ended) std::erase(*running_, one.id);
  if (running_->empty()) until_.reset();
}

}  // namespace ballot::core
