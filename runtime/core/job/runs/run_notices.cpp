#include "core/job/runs/run_notices.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/job/chain/upstream.hpp"
#include "core/job/expect/expectations.hpp"
#include "core/job/slots/settlement.hpp"
#include "core/notify.hpp"

namespace ballot::core {
namespace {

bool shows_run(const JobRegister& r, const RunId& run) {
  return std::any_of(r.runs.begin(), r.runs.end(), [&](const OpenRun& open) { return open.id == run; });
}

/// Not where another attempt is to come, nor where a term before has closed this one: as lost, and it was not.
bool closes_run(const JobRegister& before, const JobRegister& next, const LiveRun& run) {
  return shows_attempt(before, run) && !shows_run(next, run.open.id);
}

void tell_missed(Context& c, const JobFacts& job, const Disposition& d, const JobRegister& in) {
  if (d.status != Status::missed || !is_notified(job.definition)) return;
  Row row;
  row.job = job.name;
  row.group = in.group;
  row.slot = d.from;
  if (d.slots > 1) row.slot_until = d.to;
  row.slots = d.slots;
  row.status = d.status;
  row.reason = d.reason;
  row.node = c.settings.node;
  row.epoch = in.epoch;
  c.out.push_back(Notify{Notify::Event::missed, std::move(row), job.definition, false});
}

/// Of the run that keeps another one from being begun; "" where none is known.
std::string run_under_way(const RunList& runs) {
  const auto run =
      std::find_if(runs.begin(), runs.end(), [](const LiveRun& one) { return one.is_under_way() && !one.is_queued(); });
  if (run == runs.end()) return {};
  constexpr std::size_t shown_digits = 12;
  const std::string id = run->open.id.text();
  std::string text = ": run " + id.substr(id.size() - shown_digits) + " of slot " + format_slot(run->open.slot);
  if (!run->open.node.empty()) text += " on " + run->open.node;
  if (run->row.started_at) text += ", started " + format_millis(*run->row.started_at);
  return text + (run->is_waiting() || run->has_ended() ? ", which is to be tried again" : "");
}

std::string working_dir_of(const Job& job) {
  if (!job.details->working_dir.empty()) return job.details->working_dir;
  return job.identity ? job.identity->home : "to the home folder of the daemon's user";
}

}  // namespace

Notice run_notice(Level level, std::string text, const LiveRun& run) {
  Notice notice{level, std::move(text), {{"job", run.row.job}, {"slot", format_slot(run.open.slot)}}};
  notice.fields.emplace_back("run", run.open.id.text());
  if (run.open.attempt > 1) notice.fields.emplace_back("attempt", std::to_string(run.open.attempt));
  return notice;
}

Notice end_notice(const LiveRun& run) {
  const Row& row = run.row;
  std::string text = row.status.description();
  if (row.reason != Reason::none) text += ": " + row.reason.description();
  Notice notice = run_notice(row.status == Status::succeeded ? Level::info : Level::warn, std::move(text), run);
  if (row.exit_code) notice.fields.emplace_back("exit_code", std::to_string(*row.exit_code));
  if (row.signal) notice.fields.emplace_back("signal", std::to_string(*row.signal));
  if (row.duration) notice.fields.emplace_back("duration", format_duration(*row.duration));
  return notice;
}

std::string why_not_started(const LiveRun& run, const runner::CannotStart& event) {
  std::string text = "cannot start: " + event.stage;
  if (event.stage.find(": ") != std::string::npos) return text;  // what could not be read says why
  if (event.stage == "exec" && run.definition) text += " " + run.definition->job.command.front();
  if (event.stage == "chdir" && run.definition) text += " " + working_dir_of(run.definition->job);
  return event.error == 0 ? text : text + ": " + std::generic_category().message(event.error);
}

Notice settled_notice(const Disposition& d, const std::string& job) {
  const Level level = d.status == Status::missed ? Level::warn : Level::info;
  Notice notice{level, d.status.description() + ": " + d.reason.description(), {{"job", job}}};
  notice.fields.emplace_back("slot", format_slot(d.from));
  if (d.slots > 1) {
    notice.fields.emplace_back("slot_until", format_slot(d.to));
    notice.fields.emplace_back("slots", std::to_string(d.slots));
  }
  return notice;
}

std::string why_skipped(const JobFacts& job, Reason reason, const RunList& runs) {
  if (reason == Reason::dry_run) return "skipped: dry_run (the daemon runs with --dry-run)";
  if (reason == Reason::queue_full)
    return "skipped: queue_full (" + std::to_string(job.definition->job.details->queue_limit) +
           " wait already: queue_limit)";
  return "skipped: overlap (the job's previous run has not ended" + run_under_way(runs) + ")";
}

std::string why_queued(const RunList& runs) {
  const std::string before = run_under_way(runs);
  if (before.empty()) return "queued: it waits for its turn";
  const int others = runs.queued() - 1;
  return "queued behind" + before.substr(1) +
         (others > 0 ? ", and " + std::to_string(others) + " that " + (others == 1 ? "waits" : "wait") + " already"
                     : "");
}

const schedule::DefinitionPtr& definition_of(const JobFacts& job, const LiveRun& run) {
  return run.definition ? run.definition : job.definition;
}

std::optional<Millis> lateness_of(const JobFacts& job, const LiveRun& run) {
  const schedule::DefinitionPtr& definition = definition_of(job, run);
  const bool counts = run.open.trigger == Trigger::schedule || run.open.trigger == Trigger::catch_up;
  if (!counts || run.open.attempt > 1 || !definition || has_slots_of_first(definition)) return std::nullopt;
  return *run.row.started_at - due_at(definition->job, run.open.slot);
}

/// Of further attempts nothing is reported but how the run ends.
void tell_started(Context& c, const JobFacts& job, const LiveRun& run) {
  const schedule::DefinitionPtr& definition = definition_of(job, run);
  if (run.open.attempt > 1 || !is_notified(definition)) return;
  c.out.push_back(Notify{Notify::Event::started, run.row, definition, false});
}

void remember_ends(const JobFacts& job, PendingWrite& write, const RunList& runs) {
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* run = runs.find(id);
    if (!run || !closes_run(job.stored, write.next, *run)) continue;
    JobRegister& next = write.next;
    next.last_end = Defaulted(last_end_of(run->row, *next.last_end));
    if (is_failure(run->row)) next.failing = true;
    if (run->row.status == Status::missed && is_of_slot(run->row)) next.count_missed(1);
    if (run->row.status != Status::succeeded) continue;
    next.failing = false;
    if (!run->row.ended_at) continue;
    LastEnd& end = next.last_end.edit();
    end.last_success = std::max(end.last_success.value_or(WallTime{}), *run->row.ended_at);
  }
}

void tell_written(Context& c, const JobFacts& job, const PendingWrite& write, const RunList& runs) {
  for (const Disposition& d : std::span(write.next.dispositions).last(write.decided))
    tell_missed(c, job, d, write.next);
  tell_expectations(c, job, write, runs);
  const bool is_over = job.stored.kept->success->overdue && !write.next.kept->success->overdue;
  bool failing = job.stored.failing || is_over;
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* run = runs.find(id);
    if (!run || !closes_run(job.stored, write.next, *run)) continue;
    const bool recovered = failing && run->row.status == Status::succeeded;
    failing = is_failure(run->row) || (failing && !recovered);
    const schedule::DefinitionPtr& definition = definition_of(job, *run);
    if (!is_notified(definition)) continue;
    const auto event = run->row.status == Status::missed ? Notify::Event::missed : Notify::Event::ended;
    c.out.push_back(Notify{event, run->row, definition, recovered});
  }
}

}  // namespace ballot::core
