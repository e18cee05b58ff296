// The runner's Start for a launch of the core.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "base/runner_wire.hpp"
#include "core/action.hpp"

namespace ballot::io {

/// The daemon that the run belongs to.
struct RunOwner {
  std::string node;
  Identity identity;        // for jobs that name no user
  std::string credentials;  // the folder of secrets with relative paths; "": there is none
};

/// An error says which file of the environment cannot be read, and why.
Result<runner::Start> run_start(const core::Launch& launch, const RunOwner& owner, WallTime now);

}  // namespace ballot::io
