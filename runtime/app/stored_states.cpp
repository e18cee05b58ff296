#include "app/stored_states.hpp"

#include <algorithm>

#include "app/observer.hpp"

namespace ballot::app {
namespace {

/// `from`: what says since when, and by whom.
template <class From>
StoredState paused(bool is_paused, Pause::Of of, const From& from) {
  if (!is_paused) return {};
  return {.word = "paused", .pauses = {{of, from.paused_at, from.paused_by}}};
}

/// What cannot be read here cannot be read by whoever leads either.
StoredState unreadable(const Error& why) { return {.word = "halted", .why = why.what}; }

StoredState state_of(const Result<core::JobRegister>& stored) {
  return stored ? paused(stored->paused, Pause::Of::job, *stored->interventions) : unreadable(stored.error());
}

StoredState state_of(const Result<core::GroupRegister>& stored) {
  if (!stored) return unreadable(stored.error());
  if (stored->halted.empty()) return paused(stored->paused, Pause::Of::group, *stored);
  return {.word = "halted", .why = stored->halted, .since = stored->halted_at};
}

}  // namespace

std::optional<StoredRun> find_stored_run(const config::Config& config, const std::string& suffix) {
  const auto observer = Observer::open_within(config, StoredStates::patience);
  const auto registers = observer ? (*observer)->list("j/") : observer.error();
  if (!registers) return std::nullopt;
  for (const Register& one : *registers) {
    const auto stored = core::parse_job_register(one.value);
    if (!stored) continue;
    for (const core::OpenRun& run : stored->runs)
      if (run.id.text().ends_with(suffix)) return StoredRun{one.name.substr(2), run.node};
  }
  return std::nullopt;
}

Result<StoredStates> StoredStates::read(const config::Config& config, Millis within) {
  const auto observer = Observer::open_within(config, within);
  if (!observer) return observer.error();
  StoredStates states;
  for (const char* const prefix : {"j/", "g/"}) {
    const auto registers = (*observer)->list(prefix);
    if (!registers) return registers.error();
    for (const Register& one : *registers) states.add(one);
  }
  return states;
}

Result<StoredState> StoredStates::read(const config::Config& config, const std::string& job, const std::string& group) {
  const auto observer = Observer::open_within(config, StoredStates::patience);
  if (!observer) return observer.error();
  const auto registers = (*observer)->read({core::job_register(job), core::group_register(group)});
  if (!registers) return registers.error();
  StoredStates states;
  for (const Register& one : *registers) states.add(one);
  return states.of(job, group);
}

const std::string& StoredState::over(const std::string& daemon) const {
  if (word == "halted") return word;
  const bool comes_first = daemon.starts_with("waiting") || daemon == "disabled";
  return word == "paused" && !comes_first ? word : daemon;
}

void StoredStates::add(const Register& stored) {
  const bool of_group = stored.name.starts_with("g/");
  StoredState state;
  if (of_group) {
    state = state_of(core::parse_group_register(stored.value));
  } else {
    const auto job = core::parse_job_register(stored.value);
    state = state_of(job);
    if (job) add_waiting(*job, stored.name.substr(2));
  }
  state.of_group = of_group;
  if (state.word != "active") states_.insert_or_assign(stored.name, std::move(state));
}

void StoredStates::add_waiting(const core::JobRegister& stored, const std::string& job) {
  const std::string& group = stored.group;
  for (const core::OpenRun& run : stored.runs)
    if (run.waits_until && !run.queued && run.attempt > 1)
      waiting_.push_back({job, group, run.id, run.slot, run.attempt, *run.waits_until});
  std::sort(waiting_.begin(), waiting_.end(), [](const auto& a, const auto& b) { return a.starts_at < b.starts_at; });
}

StoredStates StoredStates::of(const std::vector<Register>& registers) {
  StoredStates states;
  for (const Register& one : registers) states.add(one);
  return states;
}

std::vector<std::string> StoredStates::held() const {
  std::vector<std::string> names;
  for (const auto& [name, state] : states_) names.push_back(name);
  return names;
}

StoredState StoredStates::of(const std::string& job, const std::string& group) const {
  StoredState state;
  const std::string of_job = core::job_register(job), of_group = core::group_register(group);
  for (const std::string& name : {of_group, of_job})
    if (const auto found = states_.find(name); found != states_.end() && found->second.word == "halted")
      return found->second;
  for (const std::string& name : {of_job, of_group}) {
    const auto found = states_.find(name);
    if (found == states_.end()) continue;
    state.word = found->second.word;
    state.pauses.insert(state.pauses.end(), found->second.pauses.begin(), found->second.pauses.end());
  }
  return state;
}

}  // namespace ballot::app
