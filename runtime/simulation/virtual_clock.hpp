// VirtualClock: the clocks of all hosts of a simulated fleet, which are right. One thread.
#pragma once

#include "simulation/virtual_loop.hpp"

namespace ballot::simulation {

class VirtualClock {
 public:
  /// The wall clock shows `begin` at the loop's time 0, and the boot clock the loop's time. Requires: outlived by it.
  VirtualClock(const VirtualLoop& loop, WallTime begin) : loop_(&loop), begin_(begin) {}

  Now now() const noexcept { return {wall(), loop_->now()}; }
  WallTime wall() const noexcept { return begin_ + loop_->now().time_since_epoch(); }
  SteadyTime steady(WallTime at) const noexcept { return SteadyTime(at - begin_); }
  WallTime begin() const noexcept { return begin_; }

 private:
  const VirtualLoop* loop_;
  WallTime begin_;
};

}  // namespace ballot::simulation
