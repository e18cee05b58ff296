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

}  // namespace ballot::config
