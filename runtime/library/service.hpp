// Service: a node with what is beside it on its loop: the jobs that it is given, the control socket and the API where
// people ask it, and the session's file for whoever has to leave on its behalf. Of processes, threads and signals it
// knows nothing.
//
//   state    | call or event                     | next
//   made     | start()                           | started; after an error: made
//   started  | run(), then stop()                | stopping: it closes its session, or leaves it to a restart
//   started  | the store refuses this node       | ended: run() returns why
//   stopping | all is handed over, or loop().stop() | ended: run() returns
//
// Thread: that of run(), which is the loop's; before run() the one that made it. From any other thread only
// loop().post().
//
//   Service service(config, {node_settings, job_settings}, log);
//   if (auto started = service.start(); !started) return started;
//   auto ran = service.run();
//   const std::int64_t lost_rows = service.close();
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/config.hpp"
#include "config/job_file.hpp"
#include "http/http_server.hpp"
#include "io/control_server.hpp"
#include "io/roles.hpp"
#include "io/wall_timer.hpp"
#include "library/control_answers.hpp"
#include "library/job_folder.hpp"
#include "library/kept_session.hpp"
#include "library/ledger_lock.hpp"
#include "library/metrics/record_counter.hpp"
#include "library/metrics/scrape.hpp"
#include "library/node.hpp"

namespace ballot::library {

struct ServiceSettings {
  NodeSettings node;  // `successor` of its runner is the service's to say
  config::JobSettings jobs;
  std::string handover_program = {};  // `ballot`, which the runner starts after a crash to resign; "": nobody does
  std::string control_key = {};       // what sets the control socket, for who reads an error of it
  std::string ledger_keys = "state_dir or a [history] path";  // what sets the ledger's place, likewise
};

class Service {
 public:
  Service(const config::Config& config, ServiceSettings settings, Log log);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void add_observer(io::Engine::Observer observer) { node_.add_observer(std::move(observer)); }

  /// Makes its folders and the control socket, and starts the node with its jobs. Errors: conflict (another daemon has
  /// the control socket, or another runtime the folder or the ledger), io, refused, and those of Node::start(). It may
  /// be called again after an error, or after what it throws: std::system_error, where there are no threads or
  /// descriptors.
  Result<void> start();
  /// See Node::run(). Nobody can ask it anything afterwards.
  Result<void> run();
  /// See Node::close().
  std::int64_t close();

  /// Begins the stop; a second call hurries the first.
  void stop(config::OnStop how);

  /// Reads job files again, and looks up users and groups, those with roles too.
  void reload(const std::string& why);

  /// The same status as over the control socket.
  void status(std::function<void(const NodeStatus&)> done) const { answers_.status(std::move(done)); }

  /// What the control socket is asked, asked by the program itself.
  void answer(const io::Question& question, const io::Reply& reply) { answers_.answer(question, reply); }

  const StateViews& views() const { return answers_.views(); }
  /// Where its ledger is read, and what its runs print.
  const LedgerPlace& ledger_place() const { return ledger_place_; }
  Node& node() { return node_; }
  JobFolder& jobs() { return jobs_; }
  io::MainLoop& loop() { return node_.loop(); }

 private:
  enum class Stop { none, closes, leaves };  // leaves: its terms and runs stay for a restart

  Result<void> start_parts();
  void undo_start();
  void release_folder();
  Result<void> listen();
  Result<void> listen_http();
  void answer_http(const io::Question& question, const io::Reply& reply);
  Result<Resume> take_session();
  Result<void> take_ledger();
  Result<void> check_runner_place();
  Result<void> read_history();
  void keep_session(const std::string& handle);
  void write_session();
  void warn_of_groups(const std::vector<std::string>& unknown) const;

  const config::Config& config_;
  const std::string control_key_;
  const Log log_;
  KeptSession session_;
  LedgerLock ledger_lock_;
  const LedgerPlace ledger_place_;
  web::Metrics metrics_;  // these two before the node, which tells them until it is gone
  RecordCounter counter_;
  Node node_;
  io::BootTimer keep_again_;  // while somebody else leaves on behalf of the daemon before
  std::string handle_;        // to be kept
  JobFolder jobs_;
  io::Roles roles_;
  std::unique_ptr<HistoryReaders> history_;  // before whoever asks them
  ControlAnswers answers_;
  Scrape scrape_;
  std::unique_ptr<io::ControlServer> control_;  // these two last: whoever asks them asks the others
  std::unique_ptr<web::HttpServer> http_;
  Stop stop_ = Stop::none;
};

}  // namespace ballot::library
