// The environment of a job's hook: that of the run's child, and what became of the run.
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "core/action.hpp"

namespace ballot::io {

/// NAME=VALUE, the whole of it. Where a slot was missed, nothing of a run is in it; where several were, the last one
/// and how many.
/// `credentials` and errors: as of child_environment().
Result<std::vector<std::string>> hook_environment(const core::Notify& notice, const Identity& daemon,
                                                  const std::string& credentials);

/// Without the job's env_file and secrets: for programs that are not the job's own, and where these cannot be read.
std::vector<std::string> bare_hook_environment(const core::Notify& notice, const Identity& daemon);

/// The row's slot, as a child sees it.
std::string hook_slot(const Row& row);

}  // namespace ballot::io
