// The program's log: lines on stderr, each written before the call returns.
//
//   Log log = make_log({.level = Level::debug, .format = LogFormat::json});
//   log(Level::info, "started", {{"node", "host-1"}});
#pragma once

#include "app/log_line.hpp"
#include "ballot/log.hpp"

namespace ballot::app {

struct LogSettings {
  Level level = Level::info;
  LogFormat format = LogFormat::human;
};

/// Colours where stderr is a terminal and the format is human. To be called from any thread.
Log make_log(LogSettings settings);

}  // namespace ballot::app
