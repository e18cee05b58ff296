// SimLoop: virtual time (simulation/virtual_loop.hpp) with a seed, from which all is drawn that a test leaves to
// chance, so that a run is a function of it. SimClock: one machine's clocks on it, which may be wrong. One thread.
//
//   SimLoop loop(seed);
//   SimClock clock(loop);                       // one a machine; clock.step_wall(1h) lies about the time
//   const auto node = loop.new_owner();         // one a process: loop.drop(node) forgets all that it had waiting
//   loop.after(20ms, node, [&] { ... clock.now() ... });
//   loop.run_until(loop.now() + 10s);
#pragma once

#include <cstdint>
#include <functional>

#include "ballot/time.hpp"
#include "base/random.hpp"
#include "simulation/virtual_loop.hpp"

namespace ballot {

/// Its now() is true time, which no node sees but through its SimClock.
class SimLoop : public simulation::VirtualLoop {
 public:
  explicit SimLoop(std::uint64_t seed) : random_(seed) {}

  Random& random() noexcept { return random_; }
  /// From `low` to `high`, both included.
  Millis between(Millis low, Millis high);
  /// True `in_1000` times of 1,000. Draws nothing where the answer is certain.
  bool chance(unsigned in_1000);

  /// Runs until `done`, which is asked after each event. False: it was not so within `limit`.
  bool run_while_not(const std::function<bool()>& done, Millis limit);

 private:
  Random random_;
};

/// Requires: outlived by its loop.
class SimClock {
 public:
  static constexpr WallTime default_wall{std::chrono::milliseconds(1'767'225'600'000)};  // 2026-01-01T00:00:00Z

  /// `booted`: what the boot clock shows at the loop's time 0.
  explicit SimClock(const SimLoop& loop, Millis booted = Millis(0)) : loop_(&loop), booted_(booted) {}

  Now now() const noexcept { return {default_wall + loop_->now().time_since_epoch() + offset_, steady(loop_->now())}; }
  /// A true time as this machine's boot clock shows it.
  SteadyTime steady(SteadyTime true_time) const noexcept { return true_time + booted_; }
  void step_wall(Millis by) noexcept { offset_ += by; }
  Millis wall_offset() const noexcept { return offset_; }
  /// The boot clock starts again at 0, as now: for a node whose SessionRequest then has another boot id.
  void reboot() noexcept { booted_ = -loop_->now().time_since_epoch(); }

 private:
  const SimLoop* loop_;
  Millis booted_;
  Millis offset_{0};
};

}  // namespace ballot
