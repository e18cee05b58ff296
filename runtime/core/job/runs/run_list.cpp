#include "core/job/runs/run_list.hpp"

#include "core/job/chain/upstream.hpp"
#include "core/job/slots/settlement.hpp"
#include "core/request/request.hpp"

namespace ballot::core {
namespace {

template <class Predicate>
int count_runs(const RunList& runs, Predicate predicate) {
  return static_cast<int>(std::count_if(runs.begin(), runs.end(), predicate));
}

/// Later than a start takes: what delayed it, and not how long it runs, may be why the next slot is due beside it.
bool began_late(const JobFacts& job, const LiveRun& run, WallTime now) {
  if (has_slots_of_first(job.definition)) return false;  // its slot says nothing of when it was due
  const WallTime due = job.definition ? due_at(job.definition->job, run.open.slot) : run.open.slot;
  return run.row.started_at.value_or(now) - due > start_takes;
}

void earlier(std::optional<SteadyTime>& wake, SteadyTime candidate) {
  if (!wake || candidate < *wake) wake = candidate;
}

bool is_open_run(const LiveRun& run) { return !run.has_ended() && !run.is_waiting(); }

}  // namespace

int most_at_once(const schedule::DefinitionPtr& definition) {
  const bool allows = definition && definition->job.concurrency == Concurrency::allow;
  return allows ? std::min(definition->job.max_running, static_cast<int>(open_run_limit)) : 1;
}

const LiveRun* RunList::find(const runner::AttemptId& id) const {
  const auto it = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) { return run.id() == id; });
  return it == runs_.end() ? nullptr : &*it;
}

LiveRun* RunList::find(const runner::AttemptId& id) {
  const auto it = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) { return run.id() == id; });
  return it == runs_.end() ? nullptr : &*it;
}

const LiveRun* RunList::first_lost(const JobFacts& job) const {
  const bool paused = job.is_paused() && job.defined;
  const auto it = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) {
    return run.repeat && (run.is_by_hand() || !paused) && !(job.defined && joins_a_catch_up(run));
  });
  return it == runs_.end() ? nullptr : &*it;
}

const LiveRun* RunList::first_queued() const {
  const auto it = std::find_if(runs_.begin(), runs_.end(), [](const LiveRun& run) { return run.is_queued(); });
  return it == runs_.end() ? nullptr : &*it;
}

const LiveRun* RunList::first_ready(const JobFacts& job, std::optional<WallTime> due, SteadyTime now) const {
  const auto it = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& run) {
    if (!run.is_waiting() || run.again_at > now || (job.is_paused() && !run.is_by_hand())) return false;
    if (joins_a_catch_up(run)) return false;
    return run.open.queued ? has_room(job.definition) && (!due || run.open.slot <= *due) : may_go_on(job.definition);
  });
  return it == runs_.end() ? nullptr : &*it;
}

bool RunList::is_replacing() const {
  return any([](const LiveRun& run) { return run.kill_reason || run.replace_asked; });
}

void RunList::drop(const runner::AttemptId& id) {
  drop_if([&](const LiveRun& run) { return run.id() == id; });
}

RunList::Known RunList::ask_again(const RunId& run) {
  const auto known = std::find_if(runs_.begin(), runs_.end(), [&](const LiveRun& live) { return live.open.id == run; });
  if (known == runs_.end()) return Known::no;
  if (known->state == LiveRun::State::claiming) known->asked = true;
  const LiveRun* first = find({run, 1});
  return first && first->state == LiveRun::State::claiming ? Known::claiming : Known::yes;
}

std::vector<RunId> RunList::take_asked() {
  std::vector<RunId> asked;
  for (LiveRun& run : runs_)
    if (std::exchange(run.asked, false)) asked.push_back(run.open.id);
  return asked;
}

bool RunList::on_recorded(const runner::AttemptId& id) {
  if (LiveRun* run = find(id)) run->recorded = --run->awaited <= 0;
  return !any([&](const LiveRun& run) { return run.open.id == id.run && !(run.has_ended() && run.recorded); });
}

int RunList::begun() const {
  return count_runs(*this, [](const LiveRun& run) { return run.is_under_way() && !run.is_queued(); });
}

int RunList::backfilling() const {
  return count_runs(*this, [](const LiveRun& run) { return run.is_under_way() && run.is_of_backfill(); });
}

int RunList::queued() const {
  return count_runs(*this, [](const LiveRun& run) { return run.is_queued(); });
}

int RunList::open() const { return count_runs(*this, is_open_run); }

int RunList::open(WhichRuns which) const {
  return count_runs(*this, [&](const LiveRun& run) { return is_open_run(run) && which(run); });
}

int RunList::own() const {
  return count_runs(*this, [](const LiveRun& run) { return is_open_run(run) && run.state != LiveRun::State::foreign; });
}

std::size_t RunList::closable(const JobRegister& stored) const {
  return static_cast<std::size_t>(count_runs(
      *this, [&](const LiveRun& run) { return run.may_close() && !run.next && shows_attempt(stored, run); }));
}

std::size_t RunList::leaving() const {
  return static_cast<std::size_t>(
      count_runs(*this, [](const LiveRun& run) { return run.has_ended() && !run.is_under_way() && !run.unclaimed; }));
}

bool RunList::has_room(const schedule::DefinitionPtr& definition) const { return begun() < most_at_once(definition); }

bool RunList::may_start() const {
  return any([](const LiveRun& run) {
    const bool under_way = run.state == LiveRun::State::claiming || run.state == LiveRun::State::ready ||
                           run.state == LiveRun::State::starting;
    return under_way && run.open.trigger != Trigger::manual;
  });
}

bool RunList::is_starting() const {
  return any(
      [](const LiveRun& run) { return run.state == LiveRun::State::starting && run.open.trigger != Trigger::manual; });
}

bool RunList::executes(const RunId& run) const {
  return any([&](const LiveRun& live) {
    return live.open.id == run && live.state != LiveRun::State::foreign && !live.has_ended();
  });
}

bool RunList::has_begun(const RunId& run) const {
  return any([&](const LiveRun& live) { return live.open.id == run && live.state == LiveRun::State::running; });
}

bool RunList::has_foreign(const std::string& node) const {
  return any([&](const LiveRun& run) { return run.state == LiveRun::State::foreign && run.open.node == node; });
}

bool RunList::is_catching_up() const {
  return any([](const LiveRun& run) { return run.is_under_way() && run.open.trigger == Trigger::catch_up; });
}

/// Two of them are in the register where the first one's end could not be written, and the second one was started ahead
/// of its claim.
bool RunList::joins_a_catch_up(const LiveRun& run) const {
  return run.open.trigger == Trigger::catch_up && any([&](const LiveRun& other) {
           return other.open.id != run.open.id && other.open.trigger == Trigger::catch_up && is_open_run(other);
         });
}

std::vector<OpenRun> RunList::going_on() const {
  std::vector<OpenRun> runs;
  for (const LiveRun& run : runs_) {
    const bool goes_on = run.state == LiveRun::State::starting || run.state == LiveRun::State::running;
    if (goes_on && !run.unclaimed) runs.push_back(run.open);
  }
  return runs;
}

std::vector<WallTime> RunList::waiting() const {
  std::vector<WallTime> slots;
  for (const LiveRun& run : runs_)
    if (run.is_waiting()) slots.push_back(run.open.slot);
  return slots;
}

OpenRun RunList::take_waiting(const runner::AttemptId& id) {
  OpenRun run = find(id)->open;
  run.waits_until.reset();
  run.queued = false;
  drop(id);
  return run;
}

OpenRun RunList::take_lost(const runner::AttemptId& id) {
  LiveRun* lost = find(id);
  lost->repeat = false;
  OpenRun run = lost->open;
  ++run.attempt;
  ++run.lost;
  return run;
}

/// Known to go on is a run that the register shows or will show: of another one, started in an earlier term without a
/// claim, the slot is still to be run. Beside a run of a backfill slots wait, as if its fate were not known: what is
/// due now is not skipped for what was due long ago.
Overlap RunList::overlap(const JobFacts& job, WallTime now) const {
  Overlap overlap;
  overlap.busy = any([&](const LiveRun& run) {
    return run.is_under_way() && !run.is_queued() && !run.is_in_question() &&
           (!run.unclaimed || job.is_ahead(run.id()));
  });
  overlap.fate_unknown =
      any([](const LiveRun& run) { return run.is_in_question() || (run.is_of_backfill() && run.is_under_way()); });
  overlap.catching_up = any([&](const LiveRun& run) {
    if (!run.is_under_way() || run.open.trigger == Trigger::catch_up) return run.is_under_way();
    return run.open.trigger == Trigger::schedule && run.open.attempt == 1 && began_late(job, run, now);
  });
  overlap.room = (has_room(job.definition) ? 1 : 0) - queued();
  return overlap;
}

std::optional<SteadyTime> RunList::foreign_wake(SteadyTime now, bool next_is_due) const {
  std::optional<SteadyTime> wake;
  for (const LiveRun& run : runs_) {
    if (run.state != LiveRun::State::foreign) continue;
    earlier(wake, run.foreign_until);
    if (run.replace_asked && next_is_due && *run.replace_asked + node_patience > now)
      earlier(wake, *run.replace_asked + node_patience);  // else whatever prevents it wakes
  }
  return wake;
}

/// Where its time has come and it cannot be claimed, whatever prevents it wakes.
std::optional<SteadyTime> RunList::waiting_wake(SteadyTime now) const {
  std::optional<SteadyTime> wake;
  for (const LiveRun& run : runs_)
    if (run.is_waiting() && run.again_at > now) earlier(wake, run.again_at);
  return wake;
}

}  // namespace ballot::core
