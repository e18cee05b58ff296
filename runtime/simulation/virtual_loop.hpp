// VirtualLoop: virtual time, and a queue of events in it. It jumps from event to event, in order of (time, sequence),
// so that the same events give the same run. Knows nothing of what the events do. One thread.
//
//   VirtualLoop loop;
//   const auto node = loop.new_owner();         // one a process: loop.drop(node) forgets all that it had waiting
//   loop.after(20ms, node, [&] { ... loop.now() ... });
//   loop.run_until(loop.now() + 10s);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ballot/time.hpp"

namespace ballot::simulation {

class VirtualLoop {
 public:
  using Timer = std::uint64_t;  // 0 is none
  using Owner = std::uint64_t;  // whose event it is; 0: nobody's, never dropped
  using Task = std::function<void()>;

  SteadyTime now() const noexcept { return now_; }

  Owner new_owner() noexcept { return ++last_owner_; }
  /// A time that has passed means now. Never runs `task` before returning.
  Timer at(SteadyTime time, Owner owner, Task task);
  Timer after(Millis delay, Owner owner, Task task) { return at(now_ + delay, owner, std::move(task)); }
  /// Harmless when it has run.
  void cancel(Timer timer) noexcept;
  void drop(Owner owner) noexcept;

  /// When the next event is; none: there is none.
  std::optional<SteadyTime> next_at() const noexcept;
  /// Jumps to the next event and runs it. False: there is none.
  bool run_next();
  /// Runs every event up to `time`, which it is afterwards.
  void run_until(SteadyTime time);
  void run_for(Millis span) { run_until(now_ + span); }

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
};

}  // namespace ballot::simulation
