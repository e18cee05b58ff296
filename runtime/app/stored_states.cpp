#include "app/stored_states.hpp"

#include "app/observer.hpp"
#include "base/instance.hpp"
#include "core/record/register.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::app {

using library::StoredState;
using library::StoredStates;

std::optional<StoredRun> find_stored_run(const config::Config& config, const std::string& suffix) {
  const auto observer = Observer::open_within(config, store_patience);
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

Result<StoredStates> read_stored_states(const config::Config& config, Millis within) {
  const auto observer = Observer::open_within(config, within);
  if (!observer) return observer.error();
  StoredStates states(io::read_clocks().wall);
  for (const char* const prefix : {"p/", "j/", "g/"}) {
    const auto registers = (*observer)->list(prefix);
    if (!registers) return registers.error();
    states.add(*registers);
  }
  return states;
}

Result<StoredState> read_stored_state(const config::Config& config, const std::string& job, const std::string& group) {
  const auto observer = Observer::open_within(config, store_patience);
  if (!observer) return observer.error();
  const auto registers =
      (*observer)->read({core::job_register(job), core::group_register(group), core::pause_record(common_name(job))});
  if (!registers) return registers.error();
  return StoredStates::of(*registers, io::read_clocks().wall).of(job, group);
}

}  // namespace ballot::app
