// SimResign: `ballot resign` for a node whose daemon is dead and whose runner lives, called by its supervisor or its
// runner: publishes the ends that the runner knows, leaves the groups that no run keeps, and the session where no group
// is left in it; and again at each later end of a run. Takes the delays of the node's way to the store. A daemon that
// is back, or a machine that goes, cuts it short wherever it is.
//
//   node.crash();
//   resign.begin(1s); ... resign.cut_short();
#pragma once

#include "core/store/left_runs.hpp"
#include "support/sim/sim_store.hpp"

namespace ballot {

class SimNode;
class SimWorld;

class SimResign {
 public:
  SimResign(SimWorld& world, SimNode& node) : world_(world), node_(node) {}
  ~SimResign() { cut_short(); }
  SimResign(const SimResign&) = delete;
  SimResign& operator=(const SimResign&) = delete;

  void begin(Millis delay);
  void cut_short();

 private:
  void inquire();
  void publish(const core::LeftRuns& left, SteadyTime asked_at);
  void leave(const core::LeftRuns& left);
  void inquire_later();
  Millis trip() const;

  SimWorld& world_;
  SimNode& node_;
  std::uint64_t owner_ = 0;
  bool again_ = false;    // something was in its way
  std::size_t ends_ = 0;  // as it has seen them
};

}  // namespace ballot
