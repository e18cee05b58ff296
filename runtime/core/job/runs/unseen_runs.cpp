#include "core/job/runs/unseen_runs.hpp"

namespace ballot::core {

/// Runs that this node has started so itself are in its ledger, and were taken up from there.
void UnseenRuns::begin_term(Context& c, const JobFacts& job) {
  question_.reset();
  const Term& term = *job.term;
  if (!job.definition || !term.old_deadline || *term.old_deadline <= c.now.steady) return;
  const Job& policies = job.definition->job;
  if (policies.guarantee != Guarantee::at_least_once || policies.concurrency == Concurrency::allow) return;
  if (term.only_before == c.settings.node) return;
  question_ = std::make_unique<Question>(Question{*term.old_deadline, term.only_before, std::nullopt});
  if (!term.only_before.empty()) c.wants.silent_nodes.insert(term.only_before);
}

void UnseenRuns::on_runner_word(const JobFacts& job, const RunnerWord& word, const RunList& known) {
  if (!wants_word_of(word.node)) return;
  if (word.gone) return question_->node.clear();
  auto& running = question_->running;
  if (word.complete) {
    running.emplace();
    for (const runner::Running& one : word.running)
      if (one.job == job.name && !known.find(one.id)) running->push_back(one.id);
    const Job& policies = job.definition->job;
    if (!running->empty() && policies.on_leadership_lost == OnLeadershipLost::finish)
      question_->until += policies.details->lost_after;
  }
  if (!running) return;
  for (const runner::Ended& one : word.ended) std::erase(*running, one.id);
  if (running->empty()) question_.reset();
}

}  // namespace ballot::core
