// SimWorld: nodes in virtual time. A machine has clocks, a way to the store, a runner and a ledger, all of which
// outlive its daemon; a daemon is a Core with a SimBackend. The oracle stands outside all faults and sees every START
// and END.
//
//   SimWorld world(seed);
//   SimNode& a = world.add("a");
//   a.jobs = {define({.name = "nightly", .schedule = {"0 2 * * *"}})};
//   a.start();
//   world.run_for(24h);
//   EXPECT_EQ(world.unaccounted(*a.jobs[0], from, until), "");
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/core.hpp"
#include "support/sim_backend.hpp"

namespace ballot {

/// A definition as config would make it. Requires: a schedule that parses.
schedule::DefinitionPtr define(Job job);

/// What a child did, as it reports itself.
struct Start {
  std::string job, node;
  WallTime slot;
  int attempt = 0;
  RunId run;
  std::uint64_t fence = 0, epoch = 0;
  SteadyTime at;  // true time
  std::optional<SteadyTime> ended;
};

class SimWorld;

class SimNode final : private Host {
 public:
  SimNode(SimWorld& world, std::string name);
  ~SimNode();

  std::string name;
  std::vector<schedule::DefinitionPtr> jobs;  // its files; load() makes a running daemon read them
  bool dry_run = false;
  SimClock clock;
  SimLink link;
  std::map<std::string, Millis> takes;  // how long a job's child runs; else 1 s
  std::map<std::string, int> exits;     // its code; else 0
  std::vector<Row> rows() const;
  std::vector<TermRow> terms() const;
  std::vector<core::Notice> notices;
  std::vector<core::Reply> replies;
  std::vector<core::RunEnded> ends;

  void start();
  void crash();   // kill -9 of the daemon; the runner and its children live
  void reboot();  // the machine: everything on it is gone but the ledger
  void stop(Millis wait = Millis(30'000), bool leave = false);
  bool running() const { return core_ != nullptr; }
  bool stopping() const { return running() && stopping_; }
  bool stopped() const { return stopped_; }
  void load();
  void step_clock(Millis by);
  void feed(const core::Event& event);
  RunId trigger(const std::string& job);
  void pause(const std::string& job, bool paused);
  RunId ask(core::Request::Kind kind, const std::string& job, std::optional<RunId> id = std::nullopt);
  RunId ask(core::Request request, const std::string& run_suffix = "");
  core::Core& core() { return *core_; }
  bool leads(const std::string& group) const;
  const Row* row(const std::string& job, WallTime slot) const;
  int open_children() const { return static_cast<int>(children_.size()); }

 private:
  struct Child {
    runner::AttemptId id;
    std::string job;
    WallTime started_at;
    std::size_t start;  // of the oracle's
    std::uint64_t term;
    bool terminate;
    SimLoop::Timer ends = 0;
  };

  void post(BackendEvent event) noexcept override;
  void log(Level, std::string_view) noexcept override {}
  void perform(core::Action action);
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
  void act(core::Forget& a);
  void act(core::RecordRow& a);
  void act(core::RecordTerm& a);
  void act(core::RecordOutput& a);
  void act(core::Reply& a);
  void act(core::Notice& a);
  void act(core::Stopped& a);
  void launch(const core::Launch& launch);
  void finish(const runner::AttemptId& id, std::optional<int> code, Reason reason);
  void kill_past_deadline(std::uint64_t term);
  void record(Row row);
  void rearm();
  core::Inventory inventory() const;

  SimWorld& world_;
  SimLoop::Owner machine_, daemon_ = 0;
  int boots_ = 1;
  std::unique_ptr<core::Core> core_;
  std::unique_ptr<SimBackend> backend_;
  SimLoop::Timer timer_ = 0;
  bool stopping_ = false, stopped_ = false;
  bool stepping_ = false;
  std::deque<core::Event> queue_;
  core::Asker last_asker_ = 0;
  std::vector<Child> children_;
  std::vector<runner::Ended> unacknowledged_;
  std::map<std::uint64_t, SteadyTime> deadlines_;
  std::map<std::pair<RunId, int>, Row> runs_;
  std::map<std::pair<std::string, WallTime>, Row> slots_;
  std::map<std::pair<std::string, std::uint64_t>, TermRow> terms_;
};

class SimWorld {
 public:
  explicit SimWorld(std::uint64_t seed = 1, SimStore::Settings settings = {});
  ~SimWorld();

  SimNode& add(const std::string& name);
  void run_for(Millis span) { loop.run_for(span); }
  /// Runs until `done`; false when that takes longer than `limit`.
  bool run_while_not(const std::function<bool()>& done, Millis limit) { return loop.run_while_not(done, limit); }
  WallTime wall() const { return SimClock::default_wall + loop.now().time_since_epoch(); }

  /// The rows of all nodes, merged by the rules of the semantics.
  std::vector<Row> merged() const;
  /// Every slot of the plan in (after, until] has exactly one disposition, and nothing else has one: "" or what is
  /// wrong.
  std::string unaccounted(const schedule::Definition& job, WallTime after, WallTime until) const;
  /// At most one START for each slot and attempt; fences grow: "" or what is wrong.
  std::string broken_promises() const;
  std::size_t starts_of(const std::string& job) const;
  std::string story(const std::string& job, WallTime slot) const;

  SimLoop loop;
  SimStore store;
  std::vector<Start> starts;
  std::vector<std::unique_ptr<SimNode>> nodes;
};

}  // namespace ballot
