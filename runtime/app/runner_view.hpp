// RunnerView: what a runner has, as it tells somebody who watches: a look at one moment. Blocking, with a time limit.
//
// Threads: one.
#pragma once

#include <string>

#include "core/store/left_runs.hpp"

namespace ballot::app {

using core::RunnerView;

/// As `ballot resign`: it tells the runner so.
RunnerView look_at_runner(const std::string& socket, SteadyTime until);

}  // namespace ballot::app
