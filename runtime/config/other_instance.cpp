#include "config/other_instance.hpp"

#include <string>
#include <utility>
#include <variant>

#include "base/candidates.hpp"
#include "base/instance.hpp"

namespace ballot::config {

/// `H` falls elsewhere on each node, so its plan is compiled anew.
schedule::DefinitionPtr definition_on(const JobSet& set, std::string_view self, std::string_view job) {
  const std::string_view node = node_of_instance(job);
  if (node.empty() || node == self) return nullptr;
  const auto own = set.definitions.find(instance_name(common_name(job), self));
  if (own == set.definitions.end()) return nullptr;
  const std::string group(common_name(*(*own)->job.group));
  const auto settings = set.groups.find(group);
  if (settings != set.groups.end() && !may_lead(settings->second, node)) return nullptr;
  schedule::Definition other = **own;
  other.job.name = job;
  other.job.group = instance_name(group, node);
  auto made = schedule::Plan::make({other.job.schedule, other.job.timezone, other.job.not_before, other.job.not_after,
                                    other.job.group, other.job.name, (*own)->plan.days()});
  auto* const plan = std::get_if<schedule::Plan>(&made);
  if (!plan) return nullptr;
  other.plan = std::move(*plan);
  return std::make_shared<schedule::Definition>(std::move(other));
}

}  // namespace ballot::config
