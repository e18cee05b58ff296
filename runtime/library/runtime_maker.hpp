// RuntimeMaker: makes a Runtime of a configuration that is read already: for `ballot serve`, whose flags and variables
// say more than settings do, and whose programs may lie in a build tree.
//
//   const auto runtime = library::RuntimeMaker::make({config, programs, "[control] socket"}, {.log = log});
#pragma once

#include <memory>

#include "ballot/runtime.hpp"
#include "library/runtime_config.hpp"

namespace ballot::library {

struct RuntimeMaker {
  /// Of the settings count those that are in no configuration: functions, handover_program, credentials_dir, dry_run
  /// and log.
  static std::unique_ptr<Runtime> make(RuntimeOrigin origin, RuntimeSettings settings);
};

}  // namespace ballot::library
