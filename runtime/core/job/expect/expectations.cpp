#include "core/job/expect/expectations.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/job/runs/adoption.hpp"
#include "core/job/runs/run_notices.hpp"
#include "core/job/slots/slot_feed.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr Millis end_takes{100};            // from an end to its report: who ends in time is not noticed
constexpr std::size_t run_text_bytes = 80;  // of what a run is expected to keep
constexpr std::size_t other_text_bytes = 80;

const Expectations& of(const schedule::Definition& definition) { return *definition.job.details->expects; }

const OpenRun* find_open(const RareList<OpenRun>& runs, const RunId& run) {
  const auto it = std::find_if(runs.begin(), runs.end(), [&](const OpenRun& open) { return open.id == run; });
  return it == runs.end() ? nullptr : it;
}

/// The attempt has ended, and had taken longer than expected.
bool took_longer(const LiveRun& run) {
  const Millis within = run.open.expect_within;
  return within > Millis(0) && run.has_ended() && run.row.duration && *run.row.duration > within;
}

/// It goes on for certain. A run that the runner has not said to have begun, or one of a node that may be gone, does
/// not.
bool goes_on(const LiveRun& run) {
  using State = LiveRun::State;
  return run.state == State::running || (run.state == State::foreign && run.goes_on);
}

bool is_counted(const LiveRun& run) { return goes_on(run) && run.slow_after && !run.open.slow; }

/// While the runner is not there, what has become of its runs is not known.
bool goes_on_for_longer(const Context& c, const LiveRun& run) {
  const bool is_heard_of = c.runner || run.state == LiveRun::State::foreign;
  return is_heard_of && is_counted(run) && c.now.steady > *run.slow_after + end_takes;
}

/// The run is over, and no attempt of it had taken too long: a daemon that stood still has noticed it as slow before it
/// heard of its end.
bool was_in_time(const LiveRun& run) {
  return run.has_ended() && !run.repeat && !run.next && run.row.duration && *run.row.duration <= run.open.expect_within;
}

/// The register is to have what the files say.
bool has_definition(const JobFacts& job, const JobRegister& stored) {
  return job.definition && !stored.definition.empty() && stored.definition == job.definition->digest;
}

bool expects_success(const JobFacts& job, const JobRegister& stored) {
  return has_definition(job, stored) && job.definition->job.enabled && of(*job.definition).expect_success > Millis(0);
}

/// A run has succeeded, and the register does not say so yet, nor will it by what `closes`.
bool has_success_to_come(const RunList& runs, const std::vector<runner::AttemptId>& closes) {
  return runs.any([&](const LiveRun& run) {
    return run.has_ended() && run.row.status == Status::succeeded &&
           std::find(closes.begin(), closes.end(), run.id()) == closes.end();
  });
}

/// Whether it is to be noticed that there is no success. A pause, of whatever kind, expects none.
bool is_overdue(const Context& c, const JobFacts& job, const JobRegister& stored) {
  if (c.settings.dry_run || job.is_paused() || stored.paused || !expects_success(job, stored)) return false;
  const auto at = overdue_at(*job.definition, stored);
  return at && *at < c.now.wall;
}

/// The newest of what was expected anew, by whoever resumed the job.
void expect_from(ExpectedSuccess& success, WallTime at) {
  success.from = std::max(success.from, at);
  success.overdue.reset();
}

/// With this write, whose clock may be behind that by which it was noticed; or with one of a release before, which does
/// not know that it was.
bool has_succeeded_since(const ExpectedSuccess& noticed, const JobRegister& stored, const JobRegister& next) {
  const OptionalTime<WallTime> last = next.last_end->last_success;
  if (!noticed.overdue || !last) return false;
  return last != stored.last_end->last_success || *last >= *noticed.overdue;
}

void note_success(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs,
                  std::optional<WallTime> resumed_at) {
  JobRegister& next = write.next;
  if (has_definition(job, next) && !expects_success(job, next)) {
    if (next.kept->success == Defaulted<ExpectedSuccess>()) return;
    next.kept.edit().success.reset();
    return next.kept.tidy();
  }
  const bool is_expected = expects_success(job, next);
  if (!is_expected && next.kept->success->from == WallTime{}) return;
  ExpectedSuccess& success = next.kept.edit().success.edit();
  // It had no group for longer than a move from one to another takes.
  const bool is_anew = write.is<Define>() && job.stored.released && next.since != job.stored.cursor;
  if (success.from == WallTime{} || is_anew) success = {c.now.wall, {}};
  if (resumed_at) expect_from(success, *resumed_at);
  if (has_succeeded_since(success, job.stored, next) && !is_overdue(c, job, next)) success.overdue.reset();
  const bool is_edited = write.is<Define>() && success.overdue && is_expected;
  if (is_edited && !is_overdue(c, job, next)) success.overdue.reset();  // it is not, by what is expected now
  if (!success.overdue && !has_success_to_come(runs, write.closes) && is_overdue(c, job, next))
    success.overdue = c.now.wall;
}

/// Of each run that the register goes on to show; of those that it shows no more tell_expectations() goes by their
/// ends.
void note_runs(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs) {
  for (OpenRun& open : write.next.runs) {
    if (const OpenRun* const before = find_open(job.stored.runs, open.id))
      open.late = open.late || before->late, open.slow = open.slow || before->slow;
    const LiveRun* const run = runs.find({open.id, open.attempt});
    open.slow = open.slow || (run && goes_on_for_longer(c, *run));
  }
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* const run = runs.find(id);
    if (!run || !took_longer(*run)) continue;
    for (OpenRun& open : write.next.runs)
      if (open.id == id.run) open.slow = true;
  }
}

Notify::Event event_of_run(bool is_late) { return is_late ? Notify::Event::late : Notify::Event::slow; }

void tell_run(Context& c, const JobFacts& job, const OpenRun& open, const LiveRun* run, bool is_late) {
  const LiveRun shown = run ? *run : run_of(job, open);
  const auto& definition = definition_of(job, shown);
  const Millis expected = is_late && definition ? of(*definition).late_after : open.expect_within;
  Notice notice = run_notice(
      Level::warn, is_late ? "late: its slot began later than expected" : "slow: it takes longer than expected", shown);
  notice.fields.emplace_back(is_late ? "late_after" : "expect_within", format_duration(expected));
  c.out.push_back(std::move(notice));
  if (definition) c.out.push_back(Notify{event_of_run(is_late), shown.row, definition, false, expected});
}

void tell_overdue(Context& c, const JobFacts& job, const JobRegister& next) {
  const OptionalTime<WallTime> last = next.last_end->last_success;
  Notice notice{Level::warn, "overdue: no run has succeeded in time", {{"job", job.name}}};
  notice.fields.emplace_back("last_success", last ? format_millis(*last) : "none");
  if (!job.definition) return c.out.push_back(std::move(notice));
  const Millis expected = of(*job.definition).expect_success;
  notice.fields.emplace_back("expect_success", format_duration(expected));
  c.out.push_back(std::move(notice));
  Row row;
  row.job = job.name;
  row.group = next.group;
  row.node = c.settings.node;
  row.epoch = next.epoch;
  row.slot = *next.kept->success->overdue;
  c.out.push_back(Notify{Notify::Event::overdue, std::move(row), job.definition, false, expected, last});
}

std::size_t unknown_bytes(const JobRegister& r) {
  std::size_t bytes = 0;
  for (const SlotEnd& end : r.kept->ends) bytes += to_text(end).size() + sizeof "ended ";
  if (const Backfill* const backfill = r.backfill()) bytes += to_text(*backfill).size() + sizeof "backfill ";
  for (const ChainedSlot& slot : r.kept->chained) bytes += to_text(slot).size() + sizeof "chained ";
  for (const OpenRun& run : r.runs) {
    const std::string& upstream = run.variables->upstream;
    bytes += upstream.empty() ? 0 : upstream.size() + sizeof " upstream=";
    for (const std::string_view word : words_of(run.variables->env)) bytes += word.size() + sizeof " env=";
  }
  return bytes;
}

/// A release before this one halts a job whose register has more that it does not know than so much.
bool has_room(const JobRegister& beside) {
  std::size_t bytes = other_text_bytes + run_text_bytes + unknown_bytes(beside);
  for (const OpenRun& run : beside.runs)
    if (run.expect_within > Millis(0) || run.late || run.slow) bytes += run_text_bytes;
  return bytes <= unknown_limit;
}

}  // namespace

void expect(Context& c, OpenRun& run, const Job& job, const JobRegister& beside) {
  run.expect_within = job.details->expects->expect_within;
  run.begun_at = {};
  if (run.expect_within > Millis(0)) run.begun_at = std::chrono::ceil<std::chrono::seconds>(c.now.wall);
  if ((run.expect_within == Millis(0) && !run.late) || has_room(beside)) return;
  c.out.push_back(Notice{Level::warn,
                         "nothing is expected of the run: the register has no room for it beside others",
                         {{"job", job.name}, {"run", run.id.text()}}});
  run.expect_within = Millis(0);
  run.begun_at = {};
  run.late = false;
}

bool begins_late(const schedule::DefinitionPtr& definition, WallTime due, WallTime now) {
  if (!definition) return false;
  const Millis late_after = of(*definition).late_after;
  return late_after > Millis(0) && now - due > late_after;
}

void count_time(LiveRun& run, const Now& now) {
  if (run.open.expect_within == Millis(0) || run.slow_after || !goes_on(run)) return;
  const Millis left = run.open.begun_at + run.open.expect_within - now.wall;
  run.slow_after = now.steady + std::clamp(left, Millis(0), run.open.expect_within);
}

bool is_to_notice(const Context& c, const JobFacts& job, const RunList& runs) {
  const auto is_slow = [&](const LiveRun& run) { return goes_on_for_longer(c, run) && shows_attempt(job.stored, run); };
  if (runs.any(is_slow)) return true;
  const ExpectedSuccess& success = *job.stored.kept->success;
  if (success.from == WallTime{} || success.overdue || has_success_to_come(runs, {})) return false;
  return is_overdue(c, job, job.stored);
}

std::optional<SteadyTime> slow_wake(const RunList& runs, SteadyTime now) {
  std::optional<SteadyTime> wake;
  for (const LiveRun& run : runs) {
    if (!is_counted(run)) continue;
    const SteadyTime at = *run.slow_after + end_takes + Millis(1);
    if (at > now && (!wake || at < *wake)) wake = at;
  }
  return wake;
}

std::optional<WallTime> overdue_wake(const Context& c, const JobFacts& job) {
  const ExpectedSuccess& success = *job.stored.kept->success;
  if (success.from == WallTime{} || success.overdue || !job.defined || job.is_paused()) return std::nullopt;
  const auto at = overdue_at(*job.definition, job.stored);
  return at && *at >= c.now.wall ? std::optional(*at + Millis(1)) : std::nullopt;
}

void note_expectations(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs,
                       std::optional<WallTime> resumed_at) {
  note_runs(c, job, write, runs);
  note_success(c, job, write, runs, resumed_at);
}

void tell_expectations(Context& c, const JobFacts& job, const PendingWrite& write, const RunList& runs) {
  for (const OpenRun& open : write.next.runs) {
    const OpenRun* const before = find_open(job.stored.runs, open.id);
    const LiveRun* const run = runs.find({open.id, open.attempt});
    if (open.late && !before) tell_run(c, job, open, run, true);
    const auto ended = std::find_if(write.closes.begin(), write.closes.end(),
                                    [&](const runner::AttemptId& id) { return id.run == open.id; });
    if (open.slow && !(before && before->slow) && !(run && was_in_time(*run)))
      tell_run(c, job, open, ended == write.closes.end() ? run : runs.find(*ended), false);
  }
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* const run = runs.find(id);
    const OpenRun* const before = find_open(job.stored.runs, id.run);
    const bool leaves = before && before->attempt == id.attempt && !find_open(write.next.runs, id.run);
    if (run && leaves && !before->slow && took_longer(*run)) tell_run(c, job, *before, run, false);
  }
  if (write.next.kept->success->overdue && !job.stored.kept->success->overdue) tell_overdue(c, job, write.next);
}

bool is_to_expect_from(const JobRegister& stored, WallTime resumed_at) {
  const WallTime from = stored.kept->success->from;
  return from != WallTime{} && from < resumed_at;
}

std::optional<WallTime> overdue_at(const schedule::Definition& definition, const JobRegister& stored) {
  const Millis within = of(definition).expect_success;
  const WallTime from = std::max(stored.kept->success->from, stored.last_end->last_success.value_or(WallTime{}));
  if (within == Millis(0)) return std::nullopt;
  const schedule::Plan& plan = definition.plan;
  const auto phase = phase_of(plan, stored);
  return plan.elapse(from, within, phase.value_or(std::vector<WallTime>(plan.everies().size(), stored.since)));
}

}  // namespace ballot::core
