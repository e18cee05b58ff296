// Daemon: what `ballot serve` is: a Runtime made from the configuration's files and flags, and what a program has
// beside it: signals, the service manager, the umask and an exit code.
//
// Thread: the main one, which waits for signals and for the runtime's end. The runtime has its own.
//
//   Daemon daemon(config, {.dry_run = true}, log);
//   return daemon.run();
#pragma once

#include <memory>
#include <string>

#include "app/exit.hpp"
#include "ballot/log.hpp"
#include "ballot/runtime.hpp"
#include "config/config.hpp"
#include "io/main_loop.hpp"
#include "io/sd_notify.hpp"
#include "io/wall_timer.hpp"

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
  void listen_to_signals();
  void stop(config::OnStop how);
  void tell_status();
  void keep_watchdog();
  Exit fail(const Error& error) const;

  const config::Config config_;
  const Log log_;
  const io::SdNotify notify_;
  io::MainLoop loop_;
  io::BootTimer watchdog_, status_due_;
  std::string told_status_;
  bool is_stopping_ = false;
  const std::unique_ptr<Runtime> runtime_;  // last: it says on the loop that it has ended
};

}  // namespace ballot::app
