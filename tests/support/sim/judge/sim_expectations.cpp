// What is expected of runs and jobs. Nobody is told of what was as expected; whatever was otherwise has been told, in
// quiet time and of runs that are over.
#include <algorithm>

#include "base/wall_text.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

constexpr Millis told_within{2000};    // the end of an attempt is known, written and confirmed
constexpr Millis told_of_end{30'000};  // after the write, whose answer may be lost
constexpr Millis known_gone{12'000};   // past T: for a store that lets a session live longer than it promised
constexpr std::size_t few = 4;         // runs and ends that a register shows
constexpr Millis on_its_way{50};       // for what is under way between two of a machine's processes

SteadyTime true_time_of(WallTime wall) { return SteadyTime(wall - SimClock::default_wall); }

const core::OpenRun* find_run(const core::JobRegister& stored, const RunId& id) {
  const auto it = std::find_if(stored.runs.begin(), stored.runs.end(), [&](const auto& run) { return run.id == id; });
  return it == stored.runs.end() ? nullptr : &*it;
}

}  // namespace

void SimJudge::notified(const std::string& node, const core::Notify& notice) {
  const core::JobRegister* const stored = oracle_.job_register(notice.row.job);
  if (!stored || stored->interventions->repair > 0) return;  // what was known may have been forgotten
  if (notice.event == core::Notify::Event::slow) judge_slow(node, notice);
  if (notice.event == core::Notify::Event::overdue) judge_overdue(node, notice);
}

/// One that has ended had taken longer, to the millisecond; of a node that is gone none is known to go on.
void SimJudge::judge_slow(const std::string& node, const core::Notify& notice) {
  const Row& row = notice.row;
  const Start* const start = oracle_.start_of({*row.run, row.attempt});
  // Another node counts from its claim while it goes on.
  const bool is_own = start && start->node == node && !any_since(deaths_, node, start->at) &&
                      !disturbed_since(node, start->at);  // a daemon that is stopped hears of the end later
  const bool is_in_time = is_own && is_final(row.status) && row.duration && *row.duration <= notice.expected;
  if (is_in_time && oracle_.seems_to_go_on_until(*start) - start->at <= notice.expected)
    return find("told of as slow, and it had ended in time", row, node);
  if (is_final(row.status) || !start || !start->ended || start->node == node) return;
  const auto took = std::chrono::duration_cast<Millis>(*start->ended - start->at);
  const bool has_heard = !disturbed_since(node, *start->ended) && !any_since(stops_, node, *start->ended);
  if (took < notice.expected - on_its_way && *start->ended + store_.settings().timeout + known_gone < loop_.now() &&
      has_heard)
    find("told of as slow, and it had ended in time, with its node or before", row, node);
}

/// As it was noticed, which the notification says: no pause was in force, none had ended so lately, and no run that
/// the node itself knew of had succeeded.
void SimJudge::judge_overdue(const std::string& node, const core::Notify& notice) {
  const Row& row = notice.row;
  const auto noticed = true_time(node, row.slot);
  if (!noticed || !clocks_right_since(*noticed - notice.expected)) return;
  if (is_paused_for_certain(row.job, row.group, *noticed)) find("told of as overdue, and it is paused", row, node);
  if (was_resumed_within(row, *noticed, notice.expected - on_its_way))
    find("told of as overdue, and it was resumed since", row, node);
  for (const Success& success : successes_[{node, row.job}]) {
    const runner::AttemptId id{success.run, success.attempt};
    const Start* const start = oracle_.start_of(id);
    const bool is_known = start && start->ended && success.recorded + on_its_way < *noticed &&
                          !any_since(deaths_, node, success.recorded) && !oracle_.is_taken_for_lost(id);
    if (is_known && start->fence > 0 && *noticed - *start->ended < notice.expected - on_its_way)
      find("told of as overdue, and run " + success.run.text() + " has succeeded since", row, node);
  }
}

/// Of a pause that was in force for certain.
bool SimJudge::was_resumed_within(const Row& row, SteadyTime noticed, Millis expected) const {
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
    const Asked& resume = one.second;
    const core::Request& request = resume.request;
    const bool concerns = request.job == row.job || (!request.group.empty() && request.group == row.group);
    return request.kind == core::Request::Kind::resume && concerns && resume.done && *resume.answered < noticed &&
           noticed - resume.at < expected && is_paused_for_certain(row.job, row.group, resume.at - 2 * on_its_way);
  });
}

/// By what its process did, where whoever has closed it in the register had its end.
bool SimJudge::has_taken_longer(const core::OpenRun& run) const {
  const runner::AttemptId id{run.id, run.attempt};
  const Start* const start = oracle_.start_of(id);
  return run.expect_within > Millis(0) && !run.slow && !run.waits_until && start && start->outcome &&
         start->outcome->duration > run.expect_within && !oracle_.is_taken_for_lost(id);
}

void SimJudge::changed(const std::string& job, const core::JobRegister& before, const core::JobRegister& next) {
  const bool is_repaired = before.interventions->repair != next.interventions->repair;
  if (is_repaired) repaired_[job] = loop_.now();
  if (is_repaired || spoiled_.contains(job)) return;
  judge_late(job, before, next);
  for (const core::OpenRun& run : before.runs) {
    const core::OpenRun* const now = find_run(next, run.id);
    if (!has_taken_longer(run) || (now && now->attempt == run.attempt && !now->waits_until)) continue;
    if (now && !now->slow)
      oracle_.find("job " + job + ", run " + run.id.text() + ": an attempt took longer than expected, unnoticed");
    const Term* const term = oracle_.term(next.group, next.epoch);
    if (!now && term) owed_.push_back({run.id, next.group, term->node, next.epoch, loop_.now()});
  }
  if (next.kept->success->overdue) judge_overdue_still(job, before, next);
}

/// The claim of a slot arrives so long after it was due, and was on its way for a moment only. A register that has much
/// else may have no room to say so.
void SimJudge::judge_late(const std::string& job, const core::JobRegister& before, const core::JobRegister& next) {
  if (!clocks_right_since(loop_.now())) return;
  const core::KeptSlots& kept = *next.kept;
  if (next.backfill() || kept.ends.size() + kept.chained.size() + next.runs.size() > few) return;
  for (const core::OpenRun& run : next.runs) {
    const bool is_of_slot = run.trigger == Trigger::schedule || run.trigger == Trigger::catch_up;
    if (!is_of_slot || run.attempt != 1 || run.late || run.at_least_once || find_run(before, run.id)) continue;
    const schedule::Definition* const file = definition_of(run.node, job);
    if (!file || file->digest != next.definition || !file->job.details->after.empty()) continue;
    const Millis late_after = file->job.details->expects->late_after;
    const auto late = std::chrono::duration_cast<Millis>(loop_.now() - true_time_of(run.slot)) - file->job.jitter;
    if (late_after == Millis(0) || late <= late_after + told_within) continue;
    if (!disturbed_since(run.node, loop_.now() - told_of_end))
      oracle_.find("job " + job + ", run " + run.id.text() + ": its slot began later than expected, unnoticed");
  }
}

/// After an edit, by whichever node's file it is, and after a success, which may be known so late that it was too long
/// ago. Days that are left out leave more time.
void SimJudge::judge_overdue_still(const std::string& job, const core::JobRegister& before,
                                   const core::JobRegister& next) {
  const core::ExpectedSuccess& success = *next.kept->success;
  const auto last = next.last_end->last_success;
  const bool is_edited = before.definition != next.definition;
  const bool succeeded = success.overdue == before.kept->success->overdue && last && *last >= *success.overdue;
  if ((!is_edited && !succeeded) || !clocks_right_since(loop_.now())) return;
  for (const auto& [node, files] : files_) {
    const auto file = files.jobs.find(job);
    if (file == files.jobs.end() || file->second->digest != next.definition) continue;
    const Job& expected = file->second->job;
    const Millis within = expected.details->expects->expect_success;
    const WallTime since = std::max(success.from, last.value_or(WallTime{}));
    const WallTime now = SimClock::default_wall + loop_.now().time_since_epoch();
    const bool has_time_left = expected.enabled && within > Millis(0) && now + on_its_way < since + within;
    if (has_time_left && succeeded)
      oracle_.find("job " + job + " is overdue still, and a run of it has succeeded since");
    else if (has_time_left)
      oracle_.find("job " + job + " is overdue still, and by its file has time left");
    return;
  }
}

/// Once the write is confirmed; nobody, where its term or its daemon has ended meanwhile.
void SimJudge::judge_owed() {
  while (!owed_.empty() && owed_.front().since + told_of_end < loop_.now()) {
    const Owed owed = owed_.front();
    owed_.erase(owed_.begin());
    const Term* const term = oracle_.term(owed.group, owed.epoch);
    const bool goes_on = term && !term->ended && !any_since(deaths_, owed.node, owed.since) &&
                         !any_since(stops_, owed.node, owed.since - told_of_end) &&
                         !disturbed_since(owed.node, owed.since);
    if (goes_on && !oracle_.was_notified(owed.run, core::Notify::Event::slow))
      oracle_.find("run " + owed.run.text() + " took longer than expected, and nobody is told");
  }
}

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
