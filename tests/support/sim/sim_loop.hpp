// SimLoop: virtual time. It jumps from event to event, in order of (time, sequence), so that a run is a function of its
// seed. SimClock: one machine's clocks on it, which may be wrong. Knows nothing of what the events do. One thread.
//
//   SimLoop loop(seed);
//   SimClock clock(loop);                       // one a machine; clock.step_wall(1h) lies about the time
//   const auto node = loop.new_owner();         // one a process: loop.drop(node) forgets all that it had waiting
//   loop.after(20ms, node, [&] { ... clock.now() ... });
//   loop.run_until(loop.now() + 10s);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "ballot/time.hpp"
#include "base/random.hpp"

namespace ballot {

class SimLoop {
 public:
  using Timer = std::uint64_t;  // 0 is none
  using Owner = std::uint64_t;  // whose event it is; 0: nobody's, never dropped
  using Task = std::function<void()>;

  explicit SimLoop(std::uint64_t seed) : random_(seed) {}

  /// True time, which no node sees but through its SimClock.
  SteadyTime now() const noexcept { return now_; }
  Random& random() noexcept { return random_; }
  /// From `low` to `high`, both included.
  Millis between(Millis low, Millis high);
  /// True `in_1000` times of 1,000. Draws nothing where the answer is certain.
  bool chance(unsigned in_1000);

  Owner new_owner() noexcept { return ++last_owner_; }
  /// A time that has passed means now. Never runs `task` before returning.
  Timer at(SteadyTime time, Owner owner, Task task);
  Timer after(Millis delay, Owner owner, Task task) { return at(now_ + delay, owner, std::move(task)); }
  /// Harmless when it has run.
  void cancel(Timer timer) noexcept;
  void drop(Owner owner) noexcept;

  /// Jumps to the next event and runs it. False: there is none.
  bool run_next();
  /// Runs every event up to `time`, which it is afterwards.
  void run_until(SteadyTime time);
  void run_for(Millis span) { run_until(now_ + span); }
  /// Runs until `done`, which is asked after each event. False: it was not so within `limit`.
  bool run_while_not(const std::function<bool()>& done, Millis limit);

  std::size_t waiting() const noexcept { return events_.size(); }
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  using Key = std::pair<SteadyTime, std::uint64_t>;
  struct Event {
    Owner owner;
    Task task;
  };

  SteadyTime now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
  Owner last_owner_ = 0;
  std::map<Key, Event> events_;
  std::unordered_map<Timer, SteadyTime> times_;  // of what waits, by sequence
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
