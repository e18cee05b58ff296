#include "core/job/runs/after_run.hpp"

namespace ballot::core {
namespace {

/// `at-least-once`: the next attempt is to come, unless it was lost too often.
void repeat_if_lost(const JobFacts& job, LiveRun& run) {
  if (run.row.status != Status::lost || run.row.reason == Reason::forgotten || !run.open.at_least_once) return;
  if (run.open.lost + 1 >= run.open.lost_limit)
    conclude(run.row, Status::failed, Reason::lost_limit, run.row.ended_at);
  else
    run.repeat = job.leading;
}

/// The next attempt waits, a little longer than said, so that many that failed together do not come together again.
void retry_if_failed(Context& c, const JobFacts& job, LiveRun& run) {
  const bool failed =
      run.row.status == Status::timed_out ||
      (run.row.status == Status::failed && run.row.reason != Reason::lost_limit && run.row.reason != Reason::permanent);
  if (!failed || run.open.retries == 0 || !job.leading) return;
  const Millis delay = std::min(run.open.retry_delay, run.open.retry_max_delay);
  const auto longer = static_cast<std::int64_t>(c.random.below(static_cast<std::uint64_t>(delay.count() / 10) + 1));
  run.next = run.open;
  ++run.next->attempt;
  --run.next->retries;
  run.next->expect_within = Millis(0);  // its claim says what is expected of it
  run.next->begun_at = {};
  run.next->waits_until = c.now.wall + delay + Millis(longer);
  const double grown = static_cast<double>(delay.count()) * run.open.retry_backoff;
  run.next->retry_delay = grown < static_cast<double>(run.open.retry_max_delay.count())
                              ? Millis(static_cast<std::int64_t>(grown))
                              : run.open.retry_max_delay;
}

/// A run that was killed on purpose is no error.
void rerun_or_reelect(Context& c, const JobFacts& job, LiveRun& run, SlotsByHand& slots) {
  if (!job.leading || run.repeat || run.next) return;
  const bool good = run.row.status == Status::succeeded;
  const bool failed = run.row.status == Status::failed || run.row.status == Status::timed_out;
  const AfterRun then = good ? run.open.on_success : failed ? run.open.on_error : AfterRun::ignore;
  if (then == AfterRun::reelect) c.wants.reelect.push_back(job.term->group);
  if (then != AfterRun::rerun || !job.defined || run.is_of_backfill()) return;
  run.next = make_rerun(c, good ? Millis(1) : std::max(job.definition->job.details->retry_delay, Millis(1)), slots);
}

/// The run was claimed before the register's last repair.
bool is_before_repair(const JobFacts& job, const LiveRun& run) {
  return !run.unclaimed &&
         ((job.repair && !job.repair->of_cursor) || run.open.fence < job.stored.interventions->repair);
}

}  // namespace

void follow_up(Context& c, const JobFacts& job, LiveRun& run, SlotsByHand& slots) {
  if (run.unclaimed && !job.is_ahead(run.id())) return;           // its slot was claimed by a later term, or will be
  if (!run.unclaimed && !shows_attempt(job.stored, run)) return;  // what comes after it was a later term's to decide
  if (!is_before_repair(job, run)) {  // else its next attempt may have run in what was forgotten
    repeat_if_lost(job, run);
    retry_if_failed(c, job, run);
  }
  rerun_or_reelect(c, job, run, slots);
}

OpenRun make_rerun(Context& c, Millis in, SlotsByHand& slots) {
  OpenRun again;
  again.slot = slots.next(c.now.wall + in);
  again.id = c.random.run_id(again.slot);
  again.trigger = Trigger::rerun;
  again.waits_until = again.slot;
  return again;
}

}  // namespace ballot::core
