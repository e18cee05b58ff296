#include "core/job/runs/adoption.hpp"

#include <algorithm>

#include "core/job/runs/run_notices.hpp"
#include "core/notify.hpp"

namespace ballot::core {
namespace {

constexpr Millis foreign_slack{
    1000};  // past the end of the session of a dead term, which its `terminate` runs do not outlive

enum class Word { nothing, runs, ended };

/// Ends a run by the runner's report of it from before this daemon.
Word end_by_runner(Context& c, const JobFacts& job, LiveRun& run) {
  const auto* ended = find_attempt(c.inventory.ended, run.id());
  const auto* running = find_attempt(c.inventory.running, run.id());
  if (!ended && !running) return Word::nothing;
  run.known_to_runner = true;
  run.state = LiveRun::State::running;
  if (ended) return conclude(c, job, run, *ended), Word::ended;
  run.row.status = Status::running;
  run.row.started_at = running->started_at;
  c.out.push_back(RecordRow{run.row});
  c.out.push_back(run_notice(Level::info, "adopted", run));
  return Word::runs;
}

bool is_lost(const Context& c, LiveRun& run) {
  conclude(run.row, Status::lost, Reason::node_died, c.now.wall);
  return true;
}

/// How it ended, as published; but whoever resigned for a dead daemon took for lost what the runner did not know, as it
/// knows no function, and this node's ledger may know better.
const Row& better_known(const Context& c, const LiveRun& run, const Row& outcome) {
  const auto own = c.recorded.find(run.id());
  const bool knows = run.open.node == c.settings.node && own != c.recorded.end();
  return knows && outcome.status == Status::lost ? own->second : outcome;
}

/// Of a dead term: its node may have it still.
void wait_for_its_node(Context& c, const Term& term, LiveRun& run) {
  const bool finishes = run.open.on_leadership_lost == OnLeadershipLost::finish;
  run.state = LiveRun::State::foreign;
  run.goes_on = finishes && term.left_clean == run.open.epoch;
  run.foreign_until = std::max(term.old_deadline.value_or(c.now.steady + foreign_slack), c.now.steady) +
                      (finishes ? run.open.lost_after : Millis(0));
  c.wants.silent_nodes.insert(run.open.node);
}

/// Its end may be a record in the store, which is read now.
void wait_for_its_record(Context& c, LiveRun& run) {
  run.state = LiveRun::State::foreign;
  run.foreign_until = std::max(run.foreign_until, c.now.steady + foreign_slack);
  c.wants.published = true;
}

/// The delay before an attempt that waits, for which its run's delay has grown by the factor since; the longest one,
/// where it has grown to that.
Millis delay_before(const OpenRun& open) {
  if (open.retry_delay >= open.retry_max_delay) return open.retry_max_delay;
  return Millis(static_cast<std::int64_t>(static_cast<double>(open.retry_delay.count()) / open.retry_backoff) + 1);
}

/// Where another node has decided on a wait, only the wall clock says how long it still is, and that may be wrong: it
/// is no longer than the policies allow.
Millis longest_wait(const JobFacts& job, const OpenRun& open) {
  if (open.queued) return Millis(0);
  const JobDetails* const details = job.definition ? &*job.definition->job.details : nullptr;
  if (open.attempt == 1) return details ? std::max(details->retry_delay, Millis(1)) : Millis(0);
  // A ballot before this one has written no delays of the last attempt.
  const bool is_known = open.retry_max_delay > Millis(0);
  const Millis delay = is_known ? delay_before(open) : details ? details->retry_max_delay : Millis(0);
  return delay + delay / 10;
}

}  // namespace

LiveRun run_of(const JobFacts& job, const OpenRun& open) {
  LiveRun run;
  run.open = open;
  run.row = claimed_row(open, job.name, job.stored.group);
  return run;
}

LiveRun run_of(const JobFacts& job, const Row& row) {
  LiveRun run;
  run.open.id = *row.run;
  run.open.slot = row.slot;
  run.open.trigger = row.trigger;
  run.open.attempt = row.attempt;
  run.open.epoch = row.epoch;
  run.open.node = row.node;
  run.open.on_leadership_lost = OnLeadershipLost::finish;
  if (job.definition) {
    const Job& policies = job.definition->job;
    run.open.on_leadership_lost = policies.on_leadership_lost;
    run.open.kill_grace = policies.kill_grace;
    run.open.success_codes = policies.details->success_codes;
    run.definition = job.definition;
  }
  run.unclaimed = true;
  run.row = row;
  return run;
}

void conclude(Context& c, const JobFacts& job, LiveRun& run, const runner::Ended& end) {
  conclude(run.row, end, run.open.success_codes);
  if (end.output.total_bytes > 0) c.out.push_back(RecordOutput{end.id, end.output, is_mailed(definition_of(job, run))});
}

void conclude(Context& c, const JobFacts& job, LiveRun& run, const runner::CannotStart& event) {
  const std::string why = why_not_started(run, event);
  Notice notice = run_notice(Level::error, why, run);
  notice.fields.emplace_back("errno", std::to_string(event.error));
  c.out.push_back(std::move(notice));
  Output output{"[ballot: " + why + "]\n", {}, 0};
  run.row.output_bytes = output.total_bytes = static_cast<std::int64_t>(output.head.size());
  c.out.push_back(RecordOutput{event.id, std::move(output), is_mailed(definition_of(job, run))});
}

bool adopt(Context& c, const JobFacts& job, LiveRun& run) {
  if (run.open.waits_until) {
    run.state = LiveRun::State::waiting;
    run.again_at =
        c.now.steady + std::clamp(*run.open.waits_until - c.now.wall, Millis(0), longest_wait(job, run.open));
    return false;
  }
  if (const auto outcome = c.outcomes.find(run.id()); outcome != c.outcomes.end()) {
    run.published = true;
    conclude(run.row, better_known(c, run, outcome->second));
    return true;
  }
  const bool own = run.open.node == c.settings.node;
  if (own) {
    const Word word = end_by_runner(c, job, run);
    if (word != Word::nothing) return word == Word::ended;
    if (const auto end = c.recorded.find(run.id()); end != c.recorded.end())
      return conclude(run.row, end->second), true;
  }
  if (own && (job.repair || job.read_again)) return wait_for_its_record(c, run), false;
  if (own || !job.term) return is_lost(c, run);
  wait_for_its_node(c, *job.term, run);
  if (job.read_again || job.repair) wait_for_its_record(c, run);
  return false;
}

bool adopt_unclaimed(Context& c, const JobFacts& job, LiveRun& run) {
  const Word word = end_by_runner(c, job, run);
  return word == Word::nothing ? is_lost(c, run) : word == Word::ended;
}

}  // namespace ballot::core
