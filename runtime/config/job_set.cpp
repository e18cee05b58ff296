#include "config/job_set.hpp"

#include <set>

#include "base/instance.hpp"

namespace ballot::config {

std::vector<Group> groups_in_force(const JobSet& set) {
  std::vector<Group> groups;
  std::set<std::string_view> seen;
  for (const auto& [name, group] : set.groups) groups.push_back(group);
  for (const schedule::DefinitionPtr& definition : set.definitions) {
    const std::string& name = definition->job.group;
    const auto common = is_instance(name) ? set.groups.find(common_name(name)) : set.groups.end();
    if (common == set.groups.end() || common->second.max_running == 0 || !seen.insert(name).second) continue;
    Group& group = groups.emplace_back();
    group.name = name;
    group.max_running = common->second.max_running;
  }
  return groups;
}

Diagnostics fading(const std::vector<CalendarInForce>& calendars, WallTime now) {
  constexpr std::chrono::days soon(30);
  const schedule::local_days today(std::chrono::floor<std::chrono::days>(now).time_since_epoch());
  Diagnostics warnings;
  for (const CalendarInForce& one : calendars) {
    if (!one.last_date || *one.last_date - today >= soon) continue;
    const bool is_over = *one.last_date < today;
    warnings.push_back({Severity::warning, one.file, one.position.line, one.position.column,
                        "calendar " + in_quotes(one.name) + (is_over ? " ended with " : " ends with ") +
                            schedule::text_of(*one.last_date) + ", and jobs go by it: add the dates that follow"});
  }
  return warnings;
}

}  // namespace ballot::config
