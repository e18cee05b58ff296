// SimWorld: machines and nodes in virtual time, one store, and an oracle outside all faults that sees every START and
// END.
//
//   SimWorld world(seed);
//   SimNode& a = world.add("a");                 // on a machine of its own
//   SimNode& b = world.add("b", a.machine);      // another daemon of the same host
//   a.jobs = {define({.name = "nightly", .schedule = {"0 2 * * *"}})};
//   a.start();
//   world.run_for(24h);
//   EXPECT_EQ(world.unaccounted(*a.jobs[0], from, until), "");
//   EXPECT_EQ(world.broken_promises(), "");
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/sim/action_stream.hpp"
#include "support/sim/judge/sim_judge.hpp"
#include "support/sim/judge/sim_oracle.hpp"
#include "support/sim/sim_node.hpp"

namespace ballot {

/// A definition as config would make it. Requires: a schedule that parses.
schedule::DefinitionPtr define(Job job);
/// The instance that a node has of a job which runs on each, as config would make it.
schedule::DefinitionPtr define_on(const std::string& node, Job job);
/// Due every minute.
Job minutely(const std::string& name = "job");

class SimWorld {
 public:
  explicit SimWorld(std::uint64_t seed = 1, SimStore::Settings settings = {});
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  SimNode& add(const std::string& name);
  SimNode& add(const std::string& name, SimMachine& machine);
  void run_for(Millis span);
  /// Runs until `done`; false when that takes longer than `limit`.
  bool run_while_not(const std::function<bool()>& done, Millis limit);
  WallTime wall() const { return SimClock::default_wall + loop.now().time_since_epoch(); }

  // what happens to a machine and all nodes on it
  void reboot(SimMachine& machine);
  void suspend(SimMachine& machine);
  void resume(SimMachine& machine);
  void step_clock(SimMachine& machine, Millis by);

  /// The rows of all nodes, merged by the rules of the semantics.
  std::vector<Row> merged() const { return ballot::merged(ledgers()).rows(); }
  /// Every slot of the plan in (after, until] has exactly one disposition, and nothing else has one, and no run is
  /// of one that nobody claimed: "" or what is wrong.
  std::string unaccounted(const schedule::Definition& job, WallTime after, WallTime until) const;
  /// The same of all jobs, by what their registers have passed; of the last moments what is known may be under way. And
  /// what an audit finds in a ledger.
  std::string unaccounted() const;
  /// Of what needs to be seen from the end: the judge's findings are among the broken promises then.
  void judge_ends() { judge.judge_ends(ballot::merged(ledgers())); }
  /// What may never be, seen so far: "" or what is wrong.
  std::string broken_promises() const;
  std::size_t starts_of(const std::string& job) const;
  std::string story(const std::string& job, WallTime slot) const { return oracle.story(job, slot, ledgers()); }

  SimLoop loop;
  ActionStream stream;
  SimStore store;
  SimOracle oracle;
  SimJudge judge;
  std::vector<Start>& starts = oracle.starts;
  std::vector<std::unique_ptr<SimMachine>> machines;
  std::vector<std::unique_ptr<SimNode>> nodes;

 private:
  void watch();
  std::vector<const SimLedger*> ledgers() const;
  void watch(SimNode& node);
  std::vector<SimNode*> nodes_on(const SimMachine& machine) const;
};

}  // namespace ballot
