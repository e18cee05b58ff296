// SimResign: `ballot resign` for a node whose daemon is dead and whose runner lives, called by its supervisor or its
// runner: publishes the ends that the runner knows, leaves the groups that no run keeps, and the session where no group
// is left in it, and publishes what was never started; and again at each later end of a run. Takes the delays of the
// node's way to the store. A daemon that is back, or a machine that goes, cuts it short wherever it is.
//
//   node.crash();
//   resign.begin(1s); ... resign.cut_short();
#pragma once

#include <memory>
#include <string>
#include <vector>

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
  /// At the runner, and in the store.
  struct Found {
    core::RunnerView runner;
    core::LeftRuns left;
    core::LatestTerms terms;
    std::vector<std::string> groups;  // that it leads
    SteadyTime asked_at{};
  };

  void inquire();
  void publish(const std::shared_ptr<const Found>& found);
  void leave(const std::shared_ptr<const Found>& found);
  void publish_never_started(const std::shared_ptr<const Found>& found);
  void inquire_later();
  Millis trip() const;

  SimWorld& world_;
  SimNode& node_;
  std::uint64_t owner_ = 0;
  bool again_ = false;    // something was in its way
  std::size_t ends_ = 0;  // as it has seen them
};

}  // namespace ballot
