// SimMachine: a host in virtual time: its clocks, its boots, and whether it is suspended. Knows nothing of what runs on
// it. Nodes that share one machine share all of that, as daemons of one host do.
//
//   SimMachine machine(loop, "a");
//   machine.clock.step_wall(1h); machine.reboot();
//   machine.suspended = loop.now(); ... machine.suspended.reset();   // SimWorld::suspend does it for all of its nodes
#pragma once

#include <optional>
#include <string>

#include "support/sim/sim_loop.hpp"

namespace ballot {

class SimMachine {
 public:
  SimMachine(const SimLoop& loop, std::string name) : clock(loop, Millis(3'600'000)), name_(std::move(name)) {}
  SimMachine(const SimMachine&) = delete;
  SimMachine& operator=(const SimMachine&) = delete;

  SimClock clock;
  std::optional<SteadyTime> suspended;  // since when, in true time

  const std::string& name() const { return name_; }
  std::string boot_id() const { return name_ + "-boot-" + std::to_string(boots_); }
  void reboot() {
    ++boots_;
    clock.reboot();
    suspended.reset();
  }

 private:
  const std::string name_;
  int boots_ = 1;
};

}  // namespace ballot
