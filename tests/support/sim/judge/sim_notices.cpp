// Who is notified of what: each once, and never without cause, as the processes themselves show it.
#include <algorithm>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "support/sim/judge/sim_oracle.hpp"

namespace ballot {
namespace {

constexpr Millis cause_slack{50};  // between a start and its report

bool has_succeeded(const Start& start) {
  return start.ended && start.outcome && start.outcome->exit_code == 0 && start.outcome->reason == Reason::none;
}

}  // namespace

/// Of a run or of a slot without one, each notification is sent once, and that of its end only when the store says so
/// too.
void SimOracle::notified(const std::string& node, const core::Notify& notice) {
  const Row& row = notice.row;
  const std::string what = row.run ? "run " + row.run->text() : "slot " + row.job + "@" + format_slot(row.slot);
  const core::JobRegister* now = job_register(row.job);
  if (now && now->interventions->repair > 0) return;  // that a run was notified of may have been forgotten with it
  if (row.reason == Reason::halted) return;           // as of slots that an older register shows as open: of a repair
  // A resumption expects success anew, and the instant may be the same.
  const std::string key =
      notice.event == Event::overdue && now ? what + " from " + format_millis(now->kept->success->from) : what;
  if (!notified_.emplace(key, notice.event).second) find(node + " notifies a second time of " + what);
  if (notice.event == Event::late || notice.event == Event::slow || notice.event == Event::overdue)
    return judge_cause(node, notice, what);
  if (!row.run || notice.event == Event::started) return;
  const auto recovers = recovers_.find(*row.run);
  const bool is_recovery = row.status == Status::succeeded && recovers != recovers_.end() && recovers->second;
  if (notice.event == Event::ended && recovers != recovers_.end() && notice.recovered != is_recovery)
    find(node +
         (is_recovery ? " does not say that its job is well again: "
                      : " says without cause that its job is well again: ") +
         what);
  const core::JobRegister* stored = job_register(row.job);
  if (stored &&
      std::any_of(stored->runs.begin(), stored->runs.end(), [&](const auto& run) { return run.id == row.run; }))
    find(node + " notifies of the end of a run that is open: " + what);
}

/// Of a slot without a run that a repair has undone the next decision is told of, too.
void SimOracle::forget_notified(const std::string& job, const Undone& undone) {
  const std::string after = format_slot(undone.after), until = format_slot(undone.until);
  const std::string prefix = "slot " + job + "@";
  std::erase_if(notified_, [&](const auto& one) {
    const std::string& what = one.first;
    if (!what.starts_with(prefix)) return false;
    const std::string slot = what.substr(prefix.size());
    return slot > after && slot <= until;
  });
}

/// Of a run whose end alone is in the write: it is a recovery if its job had failed, or was overdue and is no more.
void SimOracle::watch_recovery(const core::JobRegister& before, const core::JobRegister& next) {
  std::vector<RunId> over;
  for (const core::OpenRun& run : before.runs)
    if (std::none_of(next.runs.begin(), next.runs.end(), [&](const core::OpenRun& one) { return one.id == run.id; }))
      over.push_back(run.id);
  const bool was_overdue = before.kept->success->overdue && !next.kept->success->overdue;
  if (over.size() == 1) recovers_[over.front()] = before.failing || was_overdue;
}

/// By whoever has not seen it begin: its claim, by the wall clock.
SteadyTime SimOracle::counted_from(const Start& start) const {
  const Claims* const claims = claims_of(start.job);
  const auto claim = claims ? claims->find({start.run, start.attempt}) : Claims::const_iterator();
  if (!claims || claim == claims->end() || claim->second.run.begun_at == WallTime{}) return start.at;
  return std::min(start.at, SteadyTime(claim->second.run.begun_at - SimClock::default_wall));
}

const SimOracle::Break* SimOracle::break_at_end(const Start& start) const {
  const auto breaks = breaks_.find(start.node);
  if (!start.ended || breaks == breaks_.end()) return nullptr;
  const auto it = std::find_if(breaks->second.begin(), breaks->second.end(),
                               [&](const Break& one) { return one.from <= *start.ended && *start.ended <= one.up; });
  return it == breaks->second.end() ? nullptr : &*it;
}

SteadyTime SimOracle::seems_to_go_on_until(const Start& start) const {
  const Break* const broken = break_at_end(start);
  return std::min(loop_.now(), broken ? std::max(broken->noticed, *start.ended) : *start.ended);
}

/// A clock that was wrong makes another one of a time that is over several terms, at most by as much as two clocks were
/// apart: behind at its beginning, and ahead at its end.
void SimOracle::judge_cause(const std::string& node, const core::Notify& notice, const std::string& what) {
  const Row& row = notice.row;
  const Millis least = notice.expected - cause_slack - (most_ahead_ + most_behind_);
  const auto without_cause = [&](const std::string& why) {
    find(node + " notifies without cause that " + what + " is not as expected (" + format_duration(notice.expected) +
         "): " + why);
  };
  if (notice.event == Event::late) {
    if (wall() - row.slot < least) without_cause("its slot did not begin late");
    return;
  }
  Millis longest{0};
  std::optional<SteadyTime> succeeded;
  for (const Start& start : starts) {
    if (start.job != row.job) continue;
    // What another node's run has done may not be known yet.
    const bool is_seen = start.node == node && !start.orphaned;
    const SteadyTime until = is_seen && start.ended ? seems_to_go_on_until(start) : loop_.now();
    if (row.run && start.run == *row.run && start.outcome)  // the boot clock goes on while a machine is suspended
      longest = std::max(longest, start.outcome->duration);
    if (row.run && start.run == *row.run)
      longest = std::max(longest, std::chrono::duration_cast<Millis>(until - counted_from(start)));
    const core::JobRegister* const stored = job_register(row.job);
    const bool is_open = stored && std::any_of(stored->runs.begin(), stored->runs.end(),
                                               [&](const core::OpenRun& open) { return open.id == start.run; });
    const bool is_lost = taken_for_lost_.contains({start.run, start.attempt});
    if (has_succeeded(start) && !is_open && !is_lost && start.fence > 0) succeeded = std::max(succeeded, start.ended);
  }
  if (notice.event == Event::slow) {
    if (longest < least) without_cause("no attempt of it took so long");
  } else if (succeeded && loop_.now() - *succeeded < least) {
    without_cause("a run has succeeded since");
  }
}

/// That a job is overdue stays noticed until it is over: by a success, a pause that ends, or another definition.
void SimOracle::watch_expectations(const std::string& job, const core::JobRegister& before,
                                   const core::JobRegister& next) {
  if (before.interventions->repair != next.interventions->repair) return;  // what could not be read is forgotten
  const core::ExpectedSuccess &was = *before.kept->success, &is = *next.kept->success;
  for (const core::OpenRun& run : next.runs)
    for (const core::OpenRun& old : before.runs)
      if (run.id == old.id && ((old.slow && !run.slow) || (old.late && !run.late)))
        find("job " + job + ", run " + run.id.text() + ": what was noticed of it is forgotten");
  if (!was.overdue) return;
  const bool succeeded = next.last_end->last_success.value_or({}) > before.last_end->last_success.value_or({});
  const bool is_over = succeeded || is.from > was.from || before.definition != next.definition;
  if (!is.overdue && !is_over) find("that job " + job + " is overdue is forgotten");
  if (is.overdue && *is.overdue != *was.overdue && !is_over) find("that job " + job + " is overdue is noticed again");
}

}  // namespace ballot
