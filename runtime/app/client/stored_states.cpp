#include "app/client/stored_states.hpp"

#include <iterator>
#include <vector>

#include "app/client/observer.hpp"
#include "base/instance.hpp"
#include "core/record/move_marks.hpp"
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
  for (const std::string_view prefix :
       {core::mark_prefix, std::string_view("p/"), std::string_view("j/"), std::string_view("g/")}) {
    const auto registers = (*observer)->list(std::string(prefix));
    if (!registers) return registers.error();
    states.add(*registers);
  }
  return states;
}

Result<StoredState> read_stored_state(const config::Config& config, const std::string& job, const std::string& group) {
  const auto observer = Observer::open_within(config, store_patience);
  if (!observer) return observer.error();
  std::vector<std::string> names{core::job_register(job), core::group_register(group),
                                 core::pause_record(common_name(job))};
  names.insert(names.end(), std::begin(core::holding_marks), std::end(core::holding_marks));
  const auto registers = (*observer)->read(names);
  if (!registers) return registers.error();
  return StoredStates::of(*registers, io::read_clocks().wall).of(job, group);
}

}  // namespace ballot::app
