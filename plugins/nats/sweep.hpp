// Sweep: what goes by the clock. Keys of other sessions, which the store removes when they were silent for its maximum
// age, and says nothing: once one is due its removal is written down. Then all learn of it, and a renewal of it that is
// still under way is no more than a duplicate, so that a session that was seen to be over stays over. And markers of
// removed keys, once nobody can create a key any more by a message that was under way when it was removed: each session
// removes its own; those of a session that is gone are removed by whoever finds old ones.
//
//   Sweep sweep(registers, sessions, window);
//   sweep.set_max_age(max_age);   sweep.removed(key, version);   sweep.filled();   ... sweep.tick(now);
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "bucket.hpp"

namespace ballot::nats {

class Sweep {
 public:
  /// The others outlive it. `window`: how long a marker stays.
  Sweep(Bucket& registers, Bucket& sessions, Millis window)
      : registers_(registers), sessions_(sessions), window_(window) {}

  /// Of sessions. Requires: it is set before their feed is live.
  void set_max_age(Millis max_age) noexcept { max_age_ = max_age; }
  /// A register, by this session.
  void removed(const std::string& key, std::uint64_t version);
  /// The feed of registers shows all that there is.
  void filled();
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  struct Marker {
    std::string key;
    std::uint64_t version = 0;
    SteadyTime due{};
  };

  std::optional<SteadyTime> bury_due() const;
  std::optional<SteadyTime> erase_due() const;
  void bury(SteadyTime now);
  void on_buried(const KeyAnswer& answer);
  void erase(SteadyTime now);
  SteadyTime over_at(const Stored& session) const;

  Bucket &registers_, &sessions_;
  const Millis window_;
  Millis max_age_{0};
  std::size_t burying_ = 0;  // under way
  SteadyTime bury_again_{}, look_again_{};
  std::deque<Marker> markers_;  // in order of due, but for old ones
  SteadyTime erase_again_{};
};

}  // namespace ballot::nats
