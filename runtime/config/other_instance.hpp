// Another node's instance of a job that runs on each node, as this node's files define it: for who asks about a node
// that does not answer. What is in force there is what that node's own files say.
//
// Pure functions.
//
//   const auto definition = definition_on(jobs.set(), config.node, "backup@host-3");
//   if (definition) slot = definition->plan.next(now, {});
#pragma once

#include <string_view>

#include "config/job_set.hpp"

namespace ballot::config {

/// Null: `job` is no instance, or one of `self`; `self` has none of that job; its group is not for that node.
schedule::DefinitionPtr definition_on(const JobSet& set, std::string_view self, std::string_view job);

}  // namespace ballot::config
