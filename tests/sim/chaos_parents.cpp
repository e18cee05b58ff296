// What befalls jobs that are overdue, and jobs that others come after, once all is healed: edits at the moments that
// matter to them. What is shown of them then.
#include <algorithm>
#include <utility>

#include "sim/chaos.hpp"

namespace ballot {

using namespace std::chrono_literals;

Millis Chaos::drawn(Millis most) {
  return Millis(1 + static_cast<std::int64_t>(parents_.below(static_cast<std::uint64_t>(most.count()))));
}

void Chaos::load_all() {
  for (const auto& node : world_.nodes) {
    equip(*node);
    if (node->running() && !node->stopping()) node->load();
  }
}

/// A job that is overdue may take longer from now on.
void Chaos::give_time() {
  for (Job& job : files_) {
    const auto* const known = world_.oracle.job_register(job.name);
    if (!known || !known->kept->success->overdue) continue;
    job.details.edit().expects.edit().expect_success += 1min + drawn(20min);
    world_.oracle.note("files", "job " + job.name + " is given more time");
    return load_all();
  }
}

/// While one of the jobs that `held` comes after takes long, the other one is edited: of its slots of before more ends
/// come than are kept.
void Chaos::hold_up() {
  if (!file_of("held") || parents_.below(2) == 0) return;
  std::vector<Millis> usual;
  for (const auto& node : world_.nodes) usual.push_back(std::exchange(node->takes["minutely"], 75s + drawn(45s)));
  watch_lags(drawn(60s));
  Job& edited = *file_of("fast");
  edited.description = *edited.description + ".";
  load_all();
  watch_lags(100s);
  for (std::size_t i = 0; i < usual.size(); ++i) world_.nodes[i]->takes["minutely"] = usual[i];
}

/// A job that has the slots of another one is edited while that one is halted: it keeps its phase, and waits for
/// nobody.
void Chaos::edit_behind_a_halt() {
  Job* const tail = file_of("tail");
  if (!tail || spoiled_.contains("tail") || parents_.below(3) != 0) return;
  if (!spoiled_.contains("finishes")) spoil("finishes");
  world_.run_for(95s);  // it is noticed with the write of its next slot
  tail->description = *tail->description + ".";
  world_.oracle.note("files", "job tail is edited");
  load_all();
}

/// Whoever comes after others may be known to lag behind them: what its leader shows is looked at each second.
void Chaos::watch_lags(Millis span) {
  for (Millis left = span; left > 0ms; left -= 1s) {
    world_.run_for(std::min(left, Millis(1s)));
    for (const auto& node : world_.nodes) {
      if (!node->running()) continue;
      for (const Job& job : files_) {
        if (job.details->after.empty()) continue;
        const auto view = node->core().views().find_job(node->clock.now().wall, job.name);
        if (view && view->leader == node->name && view->state == core::JobState::active)
          world_.judge.shown(node->name, job.name, view->behind);
      }
    }
  }
}

}  // namespace ballot
