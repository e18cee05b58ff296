#include "library/held/stored_states.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/instance.hpp"
#include "core/job/slots/slot_feed.hpp"
#include "core/record/move_marks.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::library {
namespace {

/// `from`: what says since when, and by whom.
template <class From>
StoredState paused(bool is_paused, Pause::Of of, const From& from) {
  if (!is_paused) return {};
  return {.word = "paused",
          .pauses = {{of, from.paused_at, from.paused_by, from.pause_terms.ends, from.pause_terms.reason}}};
}

StoredState paused_by(const core::StandingPause& pause) {
  return {.word = "paused", .pauses = {{Pause::Of::job, pause.at, pause.by, pause.terms.ends, pause.terms.reason}}};
}

/// What cannot be read here cannot be read by whoever leads either.
StoredState unreadable(const Error& why) { return {.word = "halted", .why = why.what}; }

StoredState state_of(const Result<core::JobRegister>& stored, bool all_are_paused) {
  if (!stored) return unreadable(stored.error());
  return paused(stored->is_paused_yet(all_are_paused), Pause::Of::job, *stored->interventions);
}

StoredState state_of(const Result<core::GroupRegister>& stored) {
  if (!stored) return unreadable(stored.error());
  if (stored->halted.empty()) return paused(stored->paused, Pause::Of::group, *stored);
  const std::string_view moves = core::move_word(stored->halted);
  if (moves.empty()) return {.word = "halted", .why = stored->halted, .since = stored->halted_at};
  return {.word = std::string(moves),
          .why = stored->halted.substr(core::halted_by_move.size()),
          .since = stored->halted_at};
}

}  // namespace

bool StoredState::is_halted() const { return word == "halted" || is_move(word); }

const std::string& StoredState::over(const std::string& daemon) const {
  if (is_halted()) return word;
  const bool comes_first = daemon.starts_with("waiting") || daemon == "disabled";
  return word == "paused" && !comes_first ? word : daemon;
}

void StoredStates::add(std::span<const Register> registers) {
  for (const Register& one : registers)
    if (auto job = core::paused_job(one)) pauses_.emplace(*std::move(job), core::standing_pause_of(one));
  for (const Register& one : registers)
    if (one.name.starts_with(core::mark_prefix))
      add_mark(one);
    else if (!one.name.starts_with(core::pause_prefix))
      add(one);
}

/// The mark of a namespace that was moved counts before that of a move under way.
void StoredStates::add_mark(const Register& mark) {
  if (std::find(std::begin(core::holding_marks), std::end(core::holding_marks), mark.name) ==
      std::end(core::holding_marks))
    return;
  if (move_ && move_->word == "moved") return;
  const auto known = core::parse_move_mark(mark.value);
  StoredState state{.word = "moving", .of_group = true};
  if (known) state.since = known->at;
  if (mark.name == core::moved_mark) {
    state.word = "moved";
    state.why = std::string(core::was_moved) + (known && !known->to.empty() ? known->to : "another store");
  } else {
    state.why = mark.name == core::export_mark ? core::is_being_moved : core::import_not_ended;
  }
  move_ = std::move(state);
}

void StoredStates::add(const Register& stored) {
  const bool of_group = stored.name.starts_with("g/");
  StoredState state;
  if (of_group) {
    state = state_of(core::parse_group_register(stored.value));
  } else {
    const auto job = core::parse_job_register(stored.value);
    const std::string name = stored.name.substr(2);
    known_.insert(name);
    const core::StandingPause* const all = pause_of_all(name);
    state = state_of(job, all != nullptr);
    // Its node is away, or about to: an instance follows such a pause once, and none that is over.
    if (job && is_to_come(all) && state.word == "active" && job->interventions->standing_pause != all->id)
      state = paused_by(*all);
    if (job) add_waiting(*job, name);
    const auto is_slow = [](const core::OpenRun& run) { return run.slow; };
    const bool slow = job && std::any_of(job->runs.begin(), job->runs.end(), is_slow);
    if (slow || (job && job->kept->success->overdue)) unmet_[name] = {job->kept->success->overdue, slow};
    if (job && !job->anchors.empty()) counting_[name].anchors = job->anchors;
  }
  state.of_group = of_group;
  if (state.word != "active") states_.insert_or_assign(stored.name, std::move(state));
}

/// Of an instance: the pause of all that stands; null: there is none.
const core::StandingPause* StoredStates::pause_of_all(const std::string& job) const {
  const auto found = is_instance(job) ? pauses_.find(std::string(common_name(job))) : pauses_.end();
  return found == pauses_.end() ? nullptr : &found->second;
}

std::optional<std::vector<WallTime>> StoredStates::phase(const std::string& job, const schedule::Plan& plan) const {
  const auto found = counting_.find(job);
  return found == counting_.end() ? std::nullopt : core::phase_of(plan, found->second);
}

void StoredStates::add_waiting(const core::JobRegister& stored, const std::string& job) {
  const std::string& group = stored.group;
  for (const core::OpenRun& run : stored.runs)
    if (run.waits_until && !run.queued && run.attempt > 1)
      waiting_.push_back({job, group, run.id, run.slot, run.attempt, *run.waits_until});
}

std::vector<WaitingRun> StoredStates::waiting() const {
  std::vector<WaitingRun> runs = waiting_;
  // An attempt waits for the end of a pause, too.
  std::erase_if(runs, [&](const WaitingRun& run) { return of(run.job, run.group).word != "active"; });
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.starts_at < b.starts_at; });
  return runs;
}

StoredStates StoredStates::of(const std::vector<Register>& registers, WallTime now) {
  StoredStates states(now);
  states.add(registers);
  return states;
}

std::vector<std::string> StoredStates::held() const {
  std::vector<std::string> names;
  for (const auto& [name, state] : states_) names.push_back(name);
  return names;
}

StoredState StoredStates::of(const std::string& job, const std::string& group) const {
  StoredState state = held(job, group);
  const auto unmet = unmet_.find(job);
  if (unmet != unmet_.end()) std::tie(state.overdue_since, state.is_slow) = unmet->second;
  return state;
}

StoredState StoredStates::held(const std::string& job, const std::string& group) const {
  StoredState state;
  const std::string of_job = core::job_register(job), of_group = core::group_register(group);
  for (const std::string& name : {of_group, of_job})
    if (const auto found = states_.find(name); found != states_.end() && found->second.is_halted())
      return found->second;
  if (move_) return *move_;
  // An instance that nobody has led yet has no register.
  const core::StandingPause* const all = known_.contains(job) ? nullptr : pause_of_all(job);
  if (is_to_come(all)) state = paused_by(*all);
  for (const std::string& name : {of_job, of_group}) {
    const auto found = states_.find(name);
    if (found == states_.end()) continue;
    state.word = found->second.word;
    state.pauses.insert(state.pauses.end(), found->second.pauses.begin(), found->second.pauses.end());
  }
  return state;
}

}  // namespace ballot::library
