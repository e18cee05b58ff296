// What is expected of runs and jobs, in quiet time: whatever was otherwise has been told.
#include <algorithm>

#include "base/wall_text.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

constexpr Millis told_within{2000};  // the end of an attempt is known, written and confirmed

SteadyTime true_time_of(WallTime wall) { return SteadyTime(wall - SimClock::default_wall); }

}  // namespace

void SimJudge::judge_expectations(const Job& job, const Quiet& quiet) {
  using Event = core::Notify::Event;
  const Expectations& expects = *job.details->expects;
  const SteadyTime from = true_time_of(quiet.from), until = true_time_of(quiet.until) - told_within - quiet.late;
  const auto find = [&](const std::string& what) { oracle_.find("job " + job.name + ", in quiet time: " + what); };
  const core::JobRegister* const stored = oracle_.job_register(job.name);
  if (!stored || stored->interventions->repair > 0) return;  // what was told of its runs is not kept: see notified()
  for (const Start& start : oracle_.starts) {
    if (start.job != job.name || start.at < from || changed_hands(job.group, start.at, until)) continue;
    const std::string run = "run " + start.run.text();
    const Millis took = std::chrono::duration_cast<Millis>(std::min(start.ended.value_or(until), until) - start.at);
    if (expects.expect_within > Millis(0) && took > expects.expect_within + told_within + quiet.late &&
        !oracle_.was_notified(start.run, Event::slow))
      find(run + " takes longer than expected, and nobody is told");
    const bool is_of_slot = start.trigger == Trigger::schedule || start.trigger == Trigger::catch_up;
    const bool is_first = start.attempt == 1 && is_of_slot && job.details->after.empty();
    const Millis late = std::chrono::duration_cast<Millis>(start.at - true_time_of(start.slot)) - job.jitter;
    if (expects.late_after > Millis(0) && is_first && late > expects.late_after + quiet.late &&
        !oracle_.was_notified(start.run, Event::late))
      find(run + " begins later than expected, and nobody is told");
  }
  if (!job.enabled || expects.expect_success == Millis(0) || !job.details->days->empty()) return;
  const core::ExpectedSuccess& success = *stored->kept->success;
  if (success.from == WallTime{}) return find("nothing is counted of the success that is expected");
  const WallTime since = std::max(success.from, stored->last_end->last_success.value_or(WallTime{}));
  const bool is_overdue = since + expects.expect_success + told_within + quiet.late < quiet.until;
  if (is_overdue && !success.overdue && !changed_hands(job.group, from, until))
    find("nobody is told that it is overdue");
}

}  // namespace ballot
