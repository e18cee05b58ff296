#include "core/job/live_run.hpp"

#include <algorithm>
#include <utility>

namespace ballot::core {
namespace {

Status status_of(Reason reason) {
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

bool holds(const JobRegister& r, const OpenRun& run) {
  return std::any_of(r.runs.begin(), r.runs.end(), [&](const OpenRun& open) {
    return open.id == run.id && open.attempt == run.attempt && open.epoch == run.epoch && !open.waits_until;
  });
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
  const bool good =
      end.exit_code && std::find(success_codes.begin(), success_codes.end(), *end.exit_code) != success_codes.end();
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
