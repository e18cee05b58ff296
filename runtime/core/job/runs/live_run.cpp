#include "core/job/runs/live_run.hpp"

#include <algorithm>
#include <utility>

#include "core/job/chain/upstream.hpp"
#include "core/job/slots/settlement.hpp"

namespace ballot::core {
namespace {

/// Of one that only a newer runner knows: it was ended on purpose, and is not tried again for it.
Status status_of(Reason reason) {
  if (!is_known(reason)) return Status::killed;
  switch (reason) {
    case Reason::deadline: return Status::timed_out;
    case Reason::operator_:
    case Reason::replaced:
    case Reason::leadership_lost:
    case Reason::shutdown: return Status::killed;
    default: return Status::failed;
  }
}

}  // namespace

bool contains(const JobRegister& r, const OpenRun& run) {
  return std::any_of(r.runs.begin(), r.runs.end(), [&](const OpenRun& open) {
    return open.id == run.id && open.attempt == run.attempt && open.epoch == run.epoch && !open.waits_until;
  });
}

bool shows_attempt(const JobRegister& r, const LiveRun& run) {
  return std::any_of(r.runs.begin(), r.runs.end(),
                     [&](const OpenRun& open) { return open.id == run.open.id && open.attempt == run.open.attempt; });
}

void bind(OpenRun& run, const Job& job, std::uint64_t epoch, const std::string& node) {
  run.epoch = epoch;
  run.node = node;
  run.on_leadership_lost = job.on_leadership_lost;
  run.kill_grace = job.kill_grace;
  run.lost_after = job.details->lost_after;
  run.at_least_once = job.guarantee == Guarantee::at_least_once;
  run.lost_limit = job.details->lost_limit;
  run.success_codes = job.details->success_codes;
  if (run.attempt == 1) {
    run.retries = job.retries;
    run.retry_delay = job.details->retry_delay;
    run.retry_max_delay = job.details->retry_max_delay;
    run.retry_backoff = job.details->retry_backoff;
    run.on_success = job.on_success;
    run.on_error = job.on_error;
  }
}

bool ends_with_term(const LiveRun& run) { return run.open.on_leadership_lost == OnLeadershipLost::terminate; }

bool ends_with_process(const LiveRun& run) {
  return run.definition && !run.definition->job.details->function.empty() && run.state != LiveRun::State::foreign;
}

WhichRuns ended_by_stop(bool leaves_terms) {
  if (leaves_terms) return ends_with_process;
  return [](const LiveRun& run) { return ends_with_term(run) || ends_with_process(run); };
}

bool is_late(const LiveRun& run, WallTime now) {
  if (run.open.attempt > 1 || run.has_no_deadline() || has_slots_of_first(run.definition)) return false;
  const Job& job = run.definition->job;
  return now - due_at(job, run.open.slot) > job.start_deadline;
}

Launch launch_of(const LiveRun& run, SteadyTime not_after) {
  const bool terminate = run.open.on_leadership_lost == OnLeadershipLost::terminate;
  return {run.id(),       run.row.group, run.definition, run.open.slot, run.open.trigger,
          run.open.epoch, run.row.fence, terminate,      not_after,     run.open.variables};
}

KillRun kill_of(const LiveRun& run) {
  const int signal = run.definition ? run.definition->job.details->kill_signal : 15;
  return {run.id(), *run.kill_reason, signal, run.open.kill_grace};
}

Row claimed_row(const OpenRun& open, const std::string& job, const std::string& group) {
  Row row;
  row.run = open.id;
  row.job = job;
  row.group = group;
  row.slot = open.slot;
  row.trigger = open.trigger;
  row.attempt = open.attempt;
  row.status = Status::claimed;
  row.node = open.node;
  row.epoch = open.epoch;
  row.fence = open.fence;
  return row;
}

void conclude(Row& row, const runner::Ended& end, const std::vector<int>& success_codes) {
  row.exit_code = end.exit_code;
  row.signal = end.signal;
  row.started_at = end.started_at;
  row.ended_at = end.ended_at;
  row.duration = end.duration;
  row.leftover = end.leftover;
  row.output_bytes = end.output.total_bytes;
  const bool good = end.exit_code
                        ? std::find(success_codes.begin(), success_codes.end(), *end.exit_code) != success_codes.end()
                        : !end.signal;
  if (end.reason != Reason::none) {
    row.status = status_of(end.reason);
    row.reason = end.reason;
  } else if (good) {
    row.status = Status::succeeded;
    row.reason = Reason::none;
  } else {
    row.status = Status::failed;
    row.reason = end.signal ? Reason::signal : Reason::exit_code;
  }
}

void conclude(Row& row, const Row& outcome) {
  Row ended = outcome;
  ended.run = row.run;
  ended.attempt = row.attempt;
  ended.job = row.job;
  ended.group = row.group;
  ended.slot = row.slot;
  ended.trigger = row.trigger;
  ended.fence = row.fence;
  row = std::move(ended);
}

void conclude(Row& row, Status status, Reason reason, std::optional<WallTime> ended_at) {
  row.status = status;
  row.reason = reason;
  row.ended_at = ended_at;
}

}  // namespace ballot::core
