// What a child gets to know: the fixed small environment, the job's own, and the facts of its run. Never the daemon's.
#pragma once

#include <string>
#include <vector>

#include "ballot/job.hpp"
#include "core/action.hpp"

namespace ballot::io {

/// NAME=VALUE, the whole of it. `daemon` is who runs it where the job names no user; `now` is when it is launched: from
/// it BALLOT_DEADLINE counts, which is absent for a job without a deadline.
std::vector<std::string> child_environment(const core::Launch& launch, const Identity& daemon, const std::string& node,
                                           WallTime now);

}  // namespace ballot::io
