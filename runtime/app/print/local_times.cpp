#include "app/print/local_times.hpp"

#include "app/jobs/loaded_jobs.hpp"
#include "app/options/flags.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {

void add_time_option(CLI::App& command, TimeOption& to) {
  add_switch(command, "--local-time", "in a table, times of each job's own zone", [&to] { to = TimeOption::local; });
}

LocalTimes::LocalTimes(TimeOption option, const config::Config& config) {
  if (option == TimeOption::utc) return;
  const config::JobsDir jobs = load_jobs(config);
  for (const schedule::DefinitionPtr& definition : jobs.set().definitions)
    if (const auto zone = zones::TimeZone::load(definition->job.timezone)) zones_.emplace(definition->job.name, *zone);
}

Cell LocalTimes::slot(const std::string& job, WallTime at) const {
  const auto zone = zones_.find(job);
  return zone == zones_.end() ? Cell(SlotTime{at}) : Cell(LocalSlot{local_text(at, zone->second)});
}

std::string slot_in_zone(WallTime at, const std::string& zone) {
  if (zone == "UTC") return format_slot(at);
  const auto loaded = zones::TimeZone::load(zone);
  return loaded ? local_text(at, *loaded) + " (" + format_slot(at) + ")" : format_slot(at);
}

}  // namespace ballot::app
