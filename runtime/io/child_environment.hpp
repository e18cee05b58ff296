// A child's environment: the fixed small one, the job's own, and the facts of its run. Never the daemon's.
// A later variable replaces an earlier one: fixed ones, env_file, env, secrets, those of its trigger, the facts of the
// run.
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "base/env_words.hpp"
#include "core/action.hpp"

namespace ballot::io {

/// NAME=VALUE, the whole of it. `daemon` is who runs it where the job names no user; `now` is when it is launched: from
/// it BALLOT_DEADLINE counts, which is absent for a job without a deadline. `credentials` is the folder that secrets'
/// relative paths lie under; empty: there is none. Reads the job's env_file and secrets; an error says which cannot be
/// read and why, and never what is in it.
Result<std::vector<std::string>> child_environment(const core::Launch& launch, const Identity& daemon,
                                                   const std::string& node, WallTime now,
                                                   const std::string& credentials);

/// The variables that whoever triggered the run has given it. refused: the job's trigger_env does not allow one of
/// them, by the definition that it is launched by; corrupt: they cannot be read.
Result<ballot::Variables> trigger_variables(const core::Launch& launch);

/// As whom and where a child of the job runs, `daemon` where the job names no user.
void set_identity(runner::Start& start, const Job& job, const Identity& daemon);

}  // namespace ballot::io
