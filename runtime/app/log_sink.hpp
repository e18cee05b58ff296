// The program's log: lines on stderr, each written before the call returns.
//
//   Log log = make_log(config.log);
//   log(Level::info, "started", {{"node", "host-1"}});
#pragma once

#include "ballot/log.hpp"
#include "config/config.hpp"

namespace ballot::app {

/// Colours where stderr is a terminal and the format is human. To be called from any thread.
Log make_log(const config::LogSettings& settings);

}  // namespace ballot::app
