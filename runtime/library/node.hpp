// Node: one scheduler with all its parts: a loop, the engine with its core, the backend from its plugin, the
// executor and the ledger, which it makes and ends in the right order. A process may have several. It knows nothing of
// files of configuration, command lines, signals and service managers: what it is made with are plain values, and it
// leaves the process's signal handlers, children, umask and log alone.
//
//   state    | call or event                   | next
//   made     | start()                         | started; after an error: made
//   started  | the first define()              | the session is opened; jobs run while run() runs
//   started  | stop()                          | stopping
//   started  | the store refuses this node     | ended: run() returns why
//   stopping | all is handed over and recorded | ended: run() returns
//
// Thread: that of run(), which is the loop's; before run() the one that made it. From any other thread only
// loop().post(). No callback comes after the destructor.
//
//   Node node({plugin_dir, "local", engine_settings, {.path = state_dir + "/history.db"}}, log);
//   if (auto started = node.start(Resume::allowed); !started) return fail(started.error());
//   node.define(jobs, {}, groups);
//   node.loop().on_signal(SIGTERM, [&] { node.stop({config::OnStop::Kind::kill, Millis(0)}); });
//   if (auto ran = node.run(); !ran) return fail(ran.error());
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/engine.hpp"
#include "io/main_loop.hpp"
#include "io/wall_timer.hpp"
#include "library/history/history_feed.hpp"
#include "storage/ledger.hpp"

namespace ballot::library {

struct NodeSettings {
  std::filesystem::path plugin_dir;
  std::string backend;        // its plugin is BACKEND.so there
  io::EngineSettings engine;  // `anew` is start()'s to say
  storage::LedgerOptions ledger;
  HistoryChoice history = {};  // that the ledger is handed on to
};

/// Whether the session of the process before may be gone on with, where there is one.
enum class Resume { allowed, refused };

class Node {
 public:
  Node(NodeSettings settings, Log log);
  /// Without stop() before: its session ends at once where the backend can end it, and its runs are the runner's.
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Called with the handle of each session that is opened, and with "" when it is over. Before start().
  void on_session(std::function<void(const std::string& handle)> changed) { session_changed_ = std::move(changed); }

  /// The URL by which other nodes ask this one; "": they cannot. Before start().
  void advertise(std::string url) { settings_.engine.api = std::move(url); }

  /// What is recorded, as it is. Before start().
  void add_observer(io::Engine::Observer observer) { observers_.push_back(std::move(observer)); }

  /// Whether start() could make the backend, by making one and letting it go: nothing is opened or written. Errors:
  /// the plugin's (not_found, refused, corrupt), invalid (its options), refused (as the backend says).
  Result<void> check_backend() const;

  /// Loads the plugins, opens the ledger, makes the backend and finds or starts the runner. Errors: the plugin's
  /// (not_found, refused, corrupt), invalid (its options), io.
  Result<void> start(Resume resume);

  /// Jobs that are new or defined otherwise, names of jobs that are not defined any more, and all groups. The first
  /// call opens the session. Requires: start() has succeeded.
  void define(std::vector<schedule::DefinitionPtr> jobs, std::vector<std::string> removed, std::vector<Group> groups);

  /// What is wrong with this node, by the word in front that monitoring looks for: "config". The other nodes see it;
  /// "": nothing any more. The node itself adds what is wrong with its ledger and its history. Requires: start() has
  /// succeeded.
  void report(const std::string& word, const std::string& text);
  /// As it was reported; "": nothing was.
  std::string reported(const std::string& word) const;

  /// Runs until it has stopped. Errors: conflict, where another node has this one's name.
  Result<void> run();
  /// After run(): ends all but the loop. Returns how many records the ledger could store nowhere; they are lost, and
  /// logged. Whoever does not ask leaves it to the destructor.
  std::int64_t close();
  /// Before close(): see io::Engine.
  bool close_functions(const std::function<SteadyTime()>& until) { return !engine_ || engine_->close_functions(until); }

  /// Begins the stop, which calls `stopped` and ends run(). A second call hurries the first.
  void stop(const config::OnStop& how, std::function<void()> stopped = {});
  bool is_stopping() const { return state_ == State::stopping; }

  /// Has somebody who leads do `request`: see Engine::ask.
  void ask(core::Request request, const std::string& run_suffix, Millis patience, io::Engine::OnAnswer answered,
           io::Engine::OnEnded ended, std::set<std::string> gone = {});
  /// The elections as the store shows them: see Engine::observe.
  void observe(Millis patience, const std::string& group, io::Engine::OnElections answered);
  /// Registers as the store has them: see Engine::read.
  void read(std::vector<std::string> names, Millis patience, io::Engine::OnRegisters answered);
  /// Calls `done` once all that was recorded is in the ledger's file.
  void flush(std::function<void()> done);

  /// Requires: start() has succeeded.
  const core::Core& core() const { return engine_->core(); }
  /// As of its engine.
  const std::string& why_held() const { return engine_->why_held(); }
  /// Why the store takes no writes of this node, and since when; "": it takes them.
  std::string why_refused() const;
  /// Until when this node's terms last, as far as it knows: also once the session is over.
  SteadyTime deadline() const { return engine_->deadline(); }
  storage::LedgerState ledger_state() const;
  /// From another thread: until then a reader may find the ledger's file half made, or of an older schema. `goes_on`
  /// (may be empty) is called often; false ends the wait.
  void wait_until_ledger_opened(const std::function<bool()>& goes_on) const;
  /// What the ledger's file does not have yet, and what was dropped, as it is now.
  storage::Spooled spooled() const { return ledger_->spooled(); }
  storage::Dropped dropped() const { return ledger_->dropped(); }
  /// How far the ledger is handed on to the fleet's history; none: it is not.
  std::optional<FeedState> feed_state() const { return feed_ ? std::optional(feed_->state()) : std::nullopt; }
  io::MainLoop& loop() { return loop_; }

 private:
  enum class State { made, defined, stopping, refused };
  struct LedgerReport;

  Result<const PluginInfo*> find_plugin() const;
  void open_ledger();
  Result<void> make_feed();
  core::Load prior(core::Load defined) const;
  void look_at_stores();

  NodeSettings settings_;
  const Log log_;
  std::function<void(const std::string&)> session_changed_;
  std::vector<io::Engine::Observer> observers_;
  io::MainLoop loop_;
  const std::shared_ptr<LedgerReport> ledger_report_;
  std::unique_ptr<HistoryFeed> feed_;
  std::unique_ptr<storage::Ledger> ledger_;
  std::unique_ptr<io::Engine> engine_;
  State state_ = State::made;
  std::string refusal_;                          // why
  std::map<std::string, std::string> troubles_;  // by word
  io::BootTimer look_again_;                     // at the ledger and the history
};

}  // namespace ballot::library
