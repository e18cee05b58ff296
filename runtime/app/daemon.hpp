// Daemon: what `ballot serve` is. It owns every part and the order in which they come and go; what they do is theirs.
//
// Thread: the main one, which becomes the loop's in run().
//
//   Daemon daemon(config, {.dry_run = false}, log);
//   return daemon.run();
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/exit.hpp"
#include "app/kept_session.hpp"
#include "ballot/log.hpp"
#include "config/config.hpp"
#include "config/jobs_dir.hpp"
#include "io/control_server.hpp"
#include "io/engine.hpp"
#include "io/file_watch.hpp"
#include "io/main_loop.hpp"
#include "io/sd_notify.hpp"
#include "storage/ledger.hpp"

namespace ballot::app {

class Daemon {
 public:
  Daemon(config::Config config, bool dry_run, Log log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Until a signal stops it. configuration: the plugin or its table is refused; failed: it cannot start.
  Exit run();

 private:
  Result<void> make_folders() const;
  const PluginInfo* find_plugin();
  Result<void> start(const PluginInfo& plugin);
  io::EngineSettings engine_settings() const;
  void take_session();
  void keep_session(const std::string& handle);
  void open_ledger();
  void watch_jobs();
  void load_jobs(const config::Changes& changes);
  std::vector<Row> open_rows() const;
  void listen_to_signals();
  void stop();
  void keep_watchdog();
  void answer(const io::Request& request, io::Reply reply);
  void answer_request(core::Request::Kind kind, const io::Request& asked, const io::Reply& reply);
  std::shared_ptr<void> admit(uid_t uid);
  void answer_jobs(const io::Reply& reply) const;
  void answer_waiting(const std::string& job, const io::Reply& reply) const;
  void tell_jobs(const io::Reply& reply, const std::map<std::string, std::string>& leaders) const;
  void answer_status(const io::Reply& reply) const;
  std::vector<std::string> degraded(const std::vector<core::JobView>& jobs,
                                    const std::vector<core::GroupView>& groups) const;

  struct LedgerStanding {  // told by the ledger's thread
    std::mutex mutex;
    storage::LedgerState state;
  };

  const config::Config config_;
  const bool dry_run_;
  const Log log_;
  config::JobsDir jobs_;
  KeptSession session_;
  bool anew_ = false;  // the session before is left to whoever resigns for it
  io::MainLoop loop_;
  const std::shared_ptr<LedgerStanding> ledger_state_ = std::make_shared<LedgerStanding>();
  const std::shared_ptr<std::map<uid_t, int>> asking_ = std::make_shared<std::map<uid_t, int>>();  // requests, by user
  std::unique_ptr<storage::Ledger> ledger_;
  std::unique_ptr<io::Engine> engine_;
  std::unique_ptr<io::FileWatch> watch_;
  std::unique_ptr<io::ControlServer> control_;
  std::unique_ptr<io::BootTimer> watchdog_, reread_;
  const io::SdNotify notify_;
  bool loaded_ = false;
  bool stopping_ = false;
  bool leaves_ = false;  // it stops, and its terms and runs stay for a restart
  Exit exit_ = Exit::done;
};

}  // namespace ballot::app
