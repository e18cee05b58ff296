#include "library/why/lost_run.hpp"

#include "base/short_id.hpp"
#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

constexpr std::int64_t losses_looked_at = 64;

/// Its end is when it was recorded.
std::optional<Row> lost_over(const Row& missed, LedgerView& ledger) {
  std::optional<Row> lost;
  const storage::Filter filter{
      .jobs = {missed.job}, .statuses = {Status::lost}, .until = missed.slot, .limit = losses_looked_at};
  (void)ledger.history(filter, [&](const Row& row) {
    const bool was_unknown = row.reason == Reason::node_died || row.reason == Reason::forgotten;
    if (was_unknown && row.run && row.ended_at && *row.ended_at >= missed.slot) lost = row;
    return !lost;
  });
  return lost;
}

/// The first term that is known after its own; null: none is.
const TermRow* term_after(const Row& run, const std::vector<TermRow>& terms) {
  const TermRow* after = nullptr;
  for (const TermRow& term : terms)
    if (term.epoch > run.epoch && (!after || term.epoch < after->epoch)) after = &term;
  return after;
}

std::string named(const Row& run) {
  return "run " + short_id(*run.run) + " of slot " + format_slot(run.slot) + " on " + run.node;
}

std::string unknown_text(const Row& run, LedgerView& ledger) {
  const auto terms = ledger.terms(run.group);
  const TermRow* const after = terms ? term_after(run, *terms) : nullptr;
  std::string text = " Nothing was known of that run since its node had lost the group";
  if (after) text += " (node " + after->node + " was elected " + format_millis(after->elected_at) + ")";
  text += ", until it was recorded as lost, " + format_millis(*run.ended_at);
  return text + (run.reason == Reason::forgotten ? " (`ballot forget`)." : ".");
}

}  // namespace

std::string lost_run_text(const Row& missed, LedgerView& ledger, const std::optional<JobFacts>& job) {
  const bool is_other = missed.reason != Reason::misfire && missed.reason != Reason::start_deadline;
  if (is_other || missed.run || (job && job->concurrency == Concurrency::allow)) return {};
  const auto run = lost_over(missed, ledger);
  if (!run) return {};
  const std::string text = " It waited for " + named(*run) + "." + unknown_text(*run, ledger);
  if (missed.reason == Reason::misfire)
    return text +
           " The job's misfire policy (\"latest\", \"all\" up to misfire_limit, \"skip\") has caught up other "
           "slots of those that had waited by then.";
  return text +
         " By then the job's start_deadline was over. A job whose slots must be caught up after a longer outage "
         "sets a longer start_deadline.";
}

std::string waits_for_text(const Row& run) {
  return "The slot is due and waits for " + named(run) +
         ". Nothing is known of that run since its node has lost the group. It counts as running until its node says "
         "how it ended, or it is recorded as lost; where it is certain that nothing of it is left, `ballot forget " +
         run.run->text() + "` closes it. Where the slot cannot start by its start_deadline it is missed.";
}

}  // namespace ballot::library
