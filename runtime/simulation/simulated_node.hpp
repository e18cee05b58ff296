// SimulatedNode: a node of a simulated fleet: a real core in virtual time, whose children are spans of time. What it
// records is durable at once. It asks a FleetStore, tells a Tally what happens, and launches nothing.
//
//   SimulatedNode node(world, files, tally);
//   node.start(); ... node.lose(); ... node.start();
//
// One thread, the loop's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/core.hpp"
#include "simulation/fleet.hpp"
#include "simulation/fleet_store.hpp"
#include "simulation/tally.hpp"

namespace ballot::simulation {

class SimulatedNode {
 public:
  /// All must outlive it.
  struct World {
    VirtualLoop& loop;
    const VirtualClock& clock;
    FleetStore& store;
    const Fleet& fleet;
    Tally& tally;
  };
  SimulatedNode(World world, const FleetNode& files) : world_(world), files_(files) {}
  ~SimulatedNode() { world_.loop.drop(owner_); }
  SimulatedNode(const SimulatedNode&) = delete;
  SimulatedNode& operator=(const SimulatedNode&) = delete;

  /// The node's host has just begun to run. Requires: it does not run.
  void start();
  /// Requires: it runs.
  void lose();
  bool is_running() const { return core_ != nullptr; }
  const std::string& name() const { return files_.name; }
  /// Requires: it runs.
  const core::Core& core() const { return *core_; }
  /// Of its cores.
  std::uint64_t steps() const { return steps_; }

 private:
  struct Child {
    WallTime started_at{};
    VirtualLoop::Timer end = 0;
  };

  void feed(core::Event event);
  void work();
  void wake();
  void rearm();
  void end(const runner::AttemptId& id, Reason reason);

  void act(core::OpenSession& a);
  void act(core::CloseSession&) { world_.store.close(session_); }
  void act(core::Renew& a) { world_.store.renew(session_, a.request); }
  void act(core::Campaign& a) { world_.store.campaign(session_, a.group); }
  void act(core::Resign& a) { world_.store.resign(session_, a.group); }
  void act(core::Write& a) { world_.store.write(session_, a.request, a.batch); }
  void act(core::Read& a) { world_.store.read(session_, a.request, a.names); }
  void act(core::List& a) { world_.store.list(session_, a.request, a.prefix); }
  void act(core::Create& a) { world_.store.create(session_, a.request, a.records); }
  void act(core::Remove& a) { world_.store.remove(session_, a.request, a.names); }
  void act(core::Watch& a) { world_.store.watch(session_, a.prefix); }
  void act(core::Observe& a) { world_.store.observe(session_, a.request, a.group); }
  void act(core::Launch& a);
  void act(core::KillRun& a) { end(a.id, a.reason); }
  void act(core::AwaitRecorded& a) { queue_.push_back(core::RowsDurable{{a.id}, {}}); }
  void act(core::AwaitSettled& a) { queue_.push_back(core::RowsDurable{{}, {a.settled}}); }
  void act(core::RecordRow& a) { world_.tally.on_row(a, world_.clock.wall()); }
  void act(core::RecordTerm& a) { world_.tally.on_term(a.term); }
  void act(core::RecordDefinition& a) { world_.tally.on_definition(a.row); }
  // A runner never dies but with its host, and nobody asks, pauses, is notified or reads a log.
  void act(core::TermDeadline&) {}
  void act(core::Forget&) {}
  void act(core::AskRunner&) {}
  void act(core::RecordKnown&) {}
  void act(core::RecordPause&) {}
  void act(core::RecordRequest&) {}
  void act(core::RecordAnswer&) {}
  void act(core::RecordOutput&) {}
  void act(core::Notify&) {}
  void act(core::Reply&) {}
  void act(core::RunEnded&) {}
  void act(core::Notice&) {}
  void act(core::Stopped&) {}

  const World world_;
  const FleetNode& files_;
  VirtualLoop::Owner owner_ = 0;
  int boots_ = 0;
  std::unique_ptr<core::Core> core_;
  FleetStore::SessionId session_ = 0;
  std::deque<core::Event> queue_;
  enum class Work { none, called_for, under_way } work_ = Work::none;
  VirtualLoop::Timer timer_ = 0;
  std::optional<SteadyTime> wakes_at_;
  std::map<runner::AttemptId, Child> children_;
  std::uint64_t steps_ = 0;
};

}  // namespace ballot::simulation
