// Tidy: removes markers of removed keys, once nobody can create a key any more by a message that was under way when it
// was removed. Each session removes its own; those of a session that is gone are removed by whoever finds old ones.
//
//   Tidy tidy(bucket, feed, window);
//   tidy.removed(key, version);   tidy.filled();   ... tidy.tick(now);
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "bucket.hpp"

namespace ballot::nats {

class Tidy {
 public:
  /// The others outlive it. `window`: how long a marker stays.
  Tidy(Bucket& bucket, Feed& feed, Millis window) : bucket_(bucket), feed_(feed), window_(window) {}

  /// By this session.
  void removed(const std::string& key, std::uint64_t version);
  /// The feed shows all that there is.
  void filled();
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  struct Marker {
    std::string key;
    std::uint64_t version = 0;
    SteadyTime due{};
  };

  Bucket& bucket_;
  Feed& feed_;
  const Millis window_;
  std::deque<Marker> markers_;  // in order of due, but for old ones
  SteadyTime next_{};
};

}  // namespace ballot::nats
