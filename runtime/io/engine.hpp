// Engine: the shell around the core. It feeds the core with events (time, the backend, the runner, people) and performs
// what the core answers: it owns the way to the backend and the executor, and writes to the ledger and the log.
//
// Thread: the loop's; nothing here may be called from another one. No callback comes after the destructor.
//
//   Engine engine(loop, {...}, plugin, ledger, log);
//   if (auto started = engine.start(); !started) return fail(started.error());
//   engine.load({jobs, groups});
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/plugin.hpp"
#include "base/ledger_sink.hpp"
#include "core/core.hpp"
#include "io/backend_port.hpp"
#include "io/durable_rows.hpp"
#include "io/function_executor.hpp"
#include "io/main_loop.hpp"
#include "io/notify/notifier.hpp"
#include "io/pending_answers.hpp"
#include "io/runner_executor.hpp"
#include "io/runner_watch.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

struct EngineSettings {
  std::string node;
  std::string version;
  std::string control;        // the path of the control socket, for other nodes to see
  std::string api;            // the URL by which other nodes ask this one; "": they cannot
  Millis session_timeout{0};  // 0: the backend's own
  bool dry_run = false;
  int max_running = 0;      // runs of this node at once; 0: no limit
  Identity identity;        // the daemon's, for jobs that name no user
  std::string credentials;  // the folder of secrets with relative paths; "": there is none
  BackendSettings backend;
  RunnerSettings runner;                             // without a socket_path: there is none, and no command can be run
  std::shared_ptr<const FunctionTable> functions{};  // of the program that embeds the engine
  std::shared_ptr<FunctionOutputs> function_outputs{};
  int function_threads = 1;
  std::string sendmail;  // programs, for mail and pings
  std::string ping;
  bool anew = false;  // the session before is not gone on with: see SessionRequest::anew
};

class Engine {
 public:
  using OnAnswer = std::function<void(const core::Reply&)>;
  using OnEnded = std::function<void(const Row&)>;
  using OnElections = PendingAnswers<std::vector<Election>>::OnAnswer;
  using Registers = std::optional<std::vector<Register>>;
  using OnRegisters = PendingAnswers<Registers>::OnAnswer;

  Engine(MainLoop& loop, EngineSettings settings, const PluginInfo& plugin, LedgerSink& ledger, Log log);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Called when the store does not have this node, because another daemon has its name. Nothing is led or launched.
  void on_refused(std::function<void(const std::string& text)> refused) { listeners_.refused = std::move(refused); }

  /// Called with the handle of each session that is opened, and with "" when it is over: see SessionOpened::handle.
  void on_session(std::function<void(const std::string& handle)> changed) {
    listeners_.session_changed = std::move(changed);
  }

  /// Callbacks for the program that embeds the engine, on the loop's thread: each row and each term as it is recorded,
  /// what people are to be notified of, until when terms last, and that the core has read what nodes publish. Members
  /// that are empty are not called.
  struct Observer {
    std::function<void(const core::RecordRow&)> on_row;
    std::function<void(const core::RecordTerm&)> on_term;
    std::function<void(SteadyTime)> on_deadline;
    std::function<void(const std::string& group)> on_handback;  // before the store is asked to; "": of all groups
    std::function<void(const core::Notify&)> on_notify{};
    std::function<void()> on_nodes{};
  };
  /// Observers are called in the order in which they were added.
  void add_observer(Observer observer) { listeners_.observers.push_back(std::move(observer)); }

  /// Makes the backend and finds or starts the runner. The session is opened once load() was called too.
  Result<void> start();

  /// All jobs and groups that are defined now. Anything that is not in it is not defined any more.
  void load(core::Load defined);

  /// Changes since: jobs that are new or defined otherwise, jobs that are not defined any more, all groups.
  void reload(std::vector<schedule::DefinitionPtr> jobs, std::vector<std::string> removed, std::vector<Group> groups);

  /// What is wrong with this node, for the other nodes to see: see core::Troubles.
  void set_troubles(std::vector<std::string> reasons) { feed(core::Troubles{std::move(reasons)}); }

  /// Has somebody who leads do `request`, whose id is chosen here where it has none. `run_suffix` (kill, forget): the
  /// last digits of the run. `answered` is called once, at the latest after `patience`; `ended`, where the request
  /// waits for the run that it triggers and was done, once after it.
  void ask(core::Request request, const std::string& run_suffix, Millis patience, OnAnswer answered, OnEnded ended,
           std::set<std::string> gone = {});

  /// The elections as the store shows them: the group's, or all where it is "". `answered` is called once: with none
  /// where the store does not answer within `patience`, or at once where there is no session.
  void observe(Millis patience, const std::string& group, OnElections answered);

  /// The registers of these names, as the store has them now, for somebody who wants to see them. `answered` is called
  /// once: with none where the store does not answer within `patience`, or at once where there is no session.
  void read(std::vector<std::string> names, Millis patience, OnRegisters answered);

  /// Stops cleanly; `stopped` is called when all is handed over, closed and in the ledger. A second call hurries the
  /// first.
  void stop(Millis wait, bool leave, std::function<void()> stopped);

  /// After the stop: waits until every function has returned, at most until then. False: some had not. Nothing that
  /// runs is heard of any more.
  bool close_functions(const std::function<SteadyTime()>& until) { return functions_.close(until); }

  /// Until when this node's terms last, as far as it knows: also once the session is over.
  SteadyTime deadline() const { return core_.session().deadline(); }

  const core::Core& core() const { return core_; }

  /// Why nothing of the namespace may be led: it moves to another store, or has moved; "": it may.
  const std::string& why_held() const { return port_.name_space().why; }
  /// The namespace was moved to another store.
  bool is_moved() const { return port_.name_space().use == core::NamespaceState::Use::moved; }

 private:
  void feed(core::Event event);
  void feed_all(std::vector<core::Event> events);
  void feed_of_runner(std::vector<core::Event> events);
  bool has_runner() const { return !settings_.runner.socket_path.empty(); }
  void arm();
  void take_posted();
  void report_session(const BackendEvent& event) const;
  template <class Called, class... Values>
  void tell(Called Observer::*what, const Values&... values) const;
  void leave();

  void perform(core::OpenSession& a);
  template <ForBackend Action>
  void perform(Action& a) {
    port_.perform(a);
  }
  void perform(core::Resign& a);
  void perform(core::CloseSession& a);
  void perform(core::Launch& a);
  void perform(core::TermDeadline& a);
  void perform(core::KillRun& a);
  void perform(core::AwaitRecorded& a) { durable_.await(a.id); }
  void perform(core::AwaitSettled& a) { durable_.await(std::move(a.settled)); }
  void perform(core::Forget& a);
  void perform(core::AskRunner& a);
  void perform(core::RecordRow& a);
  void perform(core::RecordTerm& a);
  void perform(core::RecordDefinition& a);
  void perform(core::RecordKnown& a) { ledger_.record(std::move(a.known)); }
  void perform(core::RecordPause& a) { ledger_.record(std::move(a.pause)); }
  void perform(core::RecordRequest& a) { ledger_.record(std::move(a.request)); }
  void perform(core::RecordAnswer& a) { ledger_.record(std::move(a.answer)); }
  void perform(core::RecordOutput& a);
  void perform(core::Notify& a);
  void perform(core::Reply& a);
  void perform(core::RunEnded& a);
  void perform(core::Notice& a);
  void perform(core::Stopped& a);

  struct Listeners {
    std::function<void(const std::string&)> refused, session_changed;
    std::vector<Observer> observers;
  };
  struct Waiting {
    OnAnswer answered;
    OnEnded ended;
  };

  MainLoop& loop_;
  const EngineSettings settings_;
  const PluginInfo& plugin_;
  LedgerSink& ledger_;
  const Log log_;
  core::Core core_;
  std::shared_ptr<Engine*> self_;  // null once it is gone: what the backend's threads post comes later
  WallTimer wall_timer_;
  BootTimer boot_timer_;
  core::Wake armed_;
  RunnerExecutor executor_;
  FunctionExecutor functions_;
  std::map<std::string, std::unique_ptr<RunnerWatch>> runner_watches_;  // of other nodes of this host
  Notifier notifier_;
  DurableRows durable_;
  PendingAnswers<std::vector<Election>> observations_;
  PendingAnswers<Registers> reads_;
  bool keeps_runs_ = false;  // a stop leaves them to the runner
  bool feeding_ = false;
  std::vector<core::Event> queue_;
  core::Asker last_asker_ = 0;
  std::map<core::Asker, Waiting> waiting_;
  std::function<void()> stopped_;
  Listeners listeners_;
  BackendPort port_;  // last: it posts until it is gone
};

}  // namespace ballot::io
