#include "app/stored_states.hpp"

#include "app/observer.hpp"
#include "core/record/register.hpp"

namespace ballot::app {
namespace {

std::string state_of(const Result<core::JobRegister>& stored) {
  if (!stored) return "halted";  // it cannot be read, by whoever leads either
  return stored->paused ? "paused" : "";
}

std::string state_of(const Result<core::GroupRegister>& stored) {
  if (!stored || !stored->halted.empty()) return "halted";
  return stored->paused ? "paused" : "";
}

}  // namespace

Result<StoredStates> StoredStates::read(const config::Config& config) {
  const auto observer = Observer::open(config);
  if (!observer) return observer.error();
  StoredStates states;
  for (const char* const prefix : {"j/", "g/"}) {
    const auto registers = (*observer)->list(prefix);
    if (!registers) return registers.error();
    const bool of_jobs = prefix[0] == 'j';
    for (const Register& one : *registers) {
      const std::string state =
          of_jobs ? state_of(core::parse_job_register(one.value)) : state_of(core::parse_group_register(one.value));
      if (!state.empty()) (of_jobs ? states.jobs_ : states.groups_)[one.name.substr(2)] = state;
    }
  }
  return states;
}

std::string StoredStates::of(const std::string& job, const std::string& group) const {
  const auto own = jobs_.find(job), all = groups_.find(group);
  for (const char* const state : {"halted", "paused"})
    if ((own != jobs_.end() && own->second == state) || (all != groups_.end() && all->second == state)) return state;
  return "active";
}

}  // namespace ballot::app
