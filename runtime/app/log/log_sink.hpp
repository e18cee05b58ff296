// The program's log: lines on stderr, each written before the call returns, or lost where nobody reads them; entries
// with fields where stderr is systemd's journal.
//
//   Log log = make_log(config.log, config.node);
//   log(Level::info, "started", {{"node", "host-1"}});
#pragma once

#include <string>

#include "app/log/journal.hpp"
#include "ballot/log.hpp"
#include "config/config.hpp"

namespace ballot::app {

/// Colours where stderr is a terminal and the format is human. What the journal does not take at once goes to stderr,
/// if that takes it at once, or is lost. A stderr that is not the journal is waited for 100 ms, once. The line after
/// lost ones says how many were. To be called from any thread.
Log make_log(const config::LogSettings& settings, const std::string& node, const std::string& journal = journal_socket);

}  // namespace ballot::app
