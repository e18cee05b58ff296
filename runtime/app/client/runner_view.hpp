// RunnerView: what a runner has, as it reports it to somebody who watches, at one moment. Blocking, with a time limit.
//
// Threads: one.
#pragma once

#include <string>

#include "core/store/left_runs.hpp"

namespace ballot::app {

using core::RunnerView;

/// As `ballot resign`: the runner knows.
RunnerView read_runner(const std::string& socket, SteadyTime until);

}  // namespace ballot::app
