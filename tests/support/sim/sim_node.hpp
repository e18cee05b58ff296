// SimNode: one node of a SimWorld: its files, its way to the store, its runner and its ledger, which outlive its
// daemon; the daemon is a Core with a SimBackend. Checks of each action what one node alone can break.
//
//   SimNode& a = world.add("a");
//   a.jobs = {define(minutely())};
//   a.takes["job"] = 30s;
//   a.start(); ... a.freeze(); ... a.thaw(); ... a.crash(); a.start();
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/core.hpp"
#include "support/sim/sim_backend.hpp"
#include "support/sim/sim_ledger.hpp"
#include "support/sim/sim_machine.hpp"
#include "support/sim/sim_resign.hpp"
#include "support/sim/sim_runner.hpp"

namespace ballot {

class SimWorld;

class SimNode final : private Host {
 public:
  SimNode(SimWorld& world, std::string name, SimMachine& machine);
  ~SimNode();

  const std::string name;
  SimMachine& machine;
  SimClock& clock;
  SimLink link;
  SimRunner runner;
  SimLedger ledger;
  std::vector<schedule::DefinitionPtr> jobs;  // its files; load() makes a running daemon read them
  std::vector<Group> groups;
  bool dry_run = false;
  bool spread = false;                   // of the next start()
  int max_running = 0;                   // of the next start(): runs at once; 0: no limit
  std::map<std::string, Millis>& takes;  // how long a job's child runs; else 1 s
  std::map<std::string, int>& exits;     // its code; else 0
  Millis gathers{0};                     // what the store says is taken up together, so long after the first of it
  std::string store_place = "sim";       // of the next start(): as its configuration says
  std::size_t most_writes = 5000;        // of the next start(): registers in flight at once
  std::vector<Row> rows() const { return ledger.rows(); }
  std::vector<TermRow> terms() const { return ledger.terms(); }
  std::vector<core::Notice> notices;
  std::vector<core::Reply> replies;
  std::vector<core::RunEnded> ends;
  std::vector<core::Notify> notified;  // what hooks, mail and pings would say
  // Called for what is recorded, where they are set.
  std::function<void(const core::RecordRow&)> on_row;
  std::function<void(const core::RecordTerm&)> on_term;

  void start();
  void crash();                     // kill -9 of the daemon; the runner and its children live
  void resign_after(Millis delay);  // somebody does, for a daemon that was killed
  void freeze();                    // SIGSTOP of the daemon; the runner goes on
  void thaw();
  void reboot();  // the machine: everything on it is gone but the ledgers
  void stop(Millis wait = Millis(30'000), bool leave = false);
  bool running() const { return core_ != nullptr; }
  bool stopping() const { return running() && stop_due_.has_value(); }
  bool stopped() const { return stopped_; }
  void load();
  void step_clock(Millis by);
  /// The store does: it may not lead the group ("": any) until it is found fit, by an empty `why`.
  void find_unfit(const std::string& group, const std::string& why);
  void feed(const core::Event& event);
  RunId trigger(const std::string& job);
  /// With variables, or alone.
  RunId trigger_with(const std::string& job, const std::string& env, bool alone = false);
  void pause(const std::string& job, bool paused);
  RunId ask(core::Request::Kind kind, const std::string& job, std::optional<RunId> id = std::nullopt);
  RunId ask(core::Request request, const std::string& run_suffix = "");
  core::Core& core() { return *core_; }
  bool leads(const std::string& group) const;
  const Row* row(const std::string& job, WallTime slot) const { return ledger.row(job, slot); }
  int open_children() const { return runner.open_children(); }
  std::size_t unanswered() const { return unanswered_.size(); }

  // for the world: the machine's power goes, it is suspended, it goes on
  void power_cut();
  void hold();
  void go_on(SteadyTime since);
  /// After each event of the loop.
  void watch();
  /// A fault is upon it, or upon its way to the store.
  bool is_disturbed() const;
  /// Nothing on its host reaches the store.
  bool is_cut_off() const;

 private:
  void post(BackendEvent event) noexcept override;
  void log(Level, std::string_view) noexcept override {}
  void work();
  void act(core::OpenSession& a);
  void act(core::CloseSession& a);
  void act(core::Renew& a);
  void act(core::Campaign& a);
  void act(core::Resign& a);
  void act(core::Write& a);
  void act(core::Read& a);
  void act(core::List& a);
  void act(core::Create& a);
  void act(core::Remove& a);
  void act(core::Watch& a);
  void act(core::Observe& a);
  void act(core::RunEnded& a);
  void act(core::Launch& a);
  void act(core::TermDeadline& a);
  void act(core::KillRun& a);
  void act(core::AwaitRecorded& a);
  void act(core::AwaitSettled& a);
  void act(core::Forget& a);
  void act(core::AskRunner& a);
  void act(core::RecordRow& a);
  void act(core::RecordTerm& a);
  void act(core::RecordDefinition& a) { ledger.record(std::move(a.row)); }
  void act(core::RecordKnown& a) { ledger.record(std::move(a.known)); }
  void act(core::RecordPause& a) { ledger.record(std::move(a.pause)); }
  void act(core::RecordRequest& a) { ledger.record(std::move(a.request)); }
  void act(core::RecordAnswer& a) { ledger.record(std::move(a.answer)); }
  void act(core::RecordOutput& a);
  void act(core::Notify& a);
  void act(core::Reply& a);
  void act(core::Notice& a);
  void act(core::Stopped& a);
  void await(core::RowsDurable recorded);
  void check(const core::Launch& launch);
  void check(const core::Write& write);
  void check(const core::RecordRow& record);
  void take_posted();
  bool stands_still() const { return frozen_ || machine.suspended; }
  void set_frozen();
  void rearm();
  bool spins(Now now);

  SimWorld& world_;
  SimLoop::Owner daemon_ = 0;
  std::unique_ptr<core::Core> core_;
  std::unique_ptr<SimBackend> backend_;
  SimResign resign_;
  SimLoop::Timer timer_ = 0;
  bool frozen_ = false;
  SteadyTime frozen_since_{};
  std::optional<SteadyTime> stands_since_;
  std::optional<SteadyTime> stop_due_;  // a clean stop is complete by then,
  SteadyTime stop_commit_{};            // but for a commit that has begun before
  bool draining_ = false;               // the core knows of it
  bool stopped_ = false;                // and what it has recorded is durable
  bool stepping_ = false;
  SteadyTime spun_at_{};  // when it was last woken at once, and how often in a row
  int spun_ = 0;
  std::deque<core::Event> queue_;
  std::vector<BackendEvent> posted_;
  core::Asker last_asker_ = 0;
  std::map<core::Asker, core::Request> unanswered_;
  std::map<std::string, std::string> written_;                          // registers, as this daemon sent them last
  std::set<std::tuple<std::string, WallTime, std::uint64_t>> settled_;  // job, slot and epoch of rows without a run
  std::map<std::string, std::string> settled_twice_;                    // by job, as text: in this step
};

}  // namespace ballot
