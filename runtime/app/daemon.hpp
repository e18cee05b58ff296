// Daemon: what `ballot serve` is: a node made from the configuration's files and flags, and what a program has
// beside it: signals, the service manager, the control socket, and the session's file for `ballot resign`.
//
// Thread: the main one, which becomes the loop's in run().
//
//   Daemon daemon(config, {.dry_run = false}, log);
//   return daemon.run();
#pragma once

#include <memory>
#include <string>

#include "app/control_answers.hpp"
#include "app/exit.hpp"
#include "app/kept_session.hpp"
#include "ballot/log.hpp"
#include "config/config.hpp"
#include "io/control_server.hpp"
#include "io/sd_notify.hpp"
#include "library/job_folder.hpp"
#include "library/node.hpp"

namespace ballot::app {

class Daemon {
 public:
  Daemon(config::Config config, bool dry_run, Log log);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Until a signal stops it. configuration: the plugin or its table is refused; failed: it cannot start, or rows that
  /// waited in memory could be stored nowhere at its end.
  Exit run();

 private:
  enum class Stop { none, closes, leaves };  // leaves: its terms and runs stay for a restart

  Result<void> start();
  library::Resume take_session();
  void keep_session(const std::string& handle);
  void listen_to_signals();
  void stop(config::OnStop how);
  void tell_status();
  void keep_watchdog();
  Exit fail(const Error& error) const;

  const config::Config config_;
  const Log log_;
  KeptSession session_;
  library::Node node_;
  library::JobFolder jobs_;
  ControlAnswers answers_;
  io::BootTimer watchdog_, status_due_;
  const library::StateViews views_;
  std::string told_status_;
  const io::SdNotify notify_;
  std::unique_ptr<io::ControlServer> control_;  // last: whoever asks it asks the others
  Stop stop_ = Stop::none;
};

}  // namespace ballot::app
