// Feed: what is under a prefix of keys, followed: first all of it, then what has changed. A bell, a blocking query that
// is answered with next to nothing, rings when something has changed; then each folder that the prefix is spread over
// is asked for its index, and read where that is another one. check() asks without waiting, so that a bell that hangs
// keeps nothing silent. On the plugin's thread.
//
//   Feed feed(agent, paths, "t/", Feed::Wants::contents, listener);
//   feed.check([] { ... });    ... feed.observed_until()
//
//   | state   | what is under way                         | next                                                      |
//   | ------- | ----------------------------------------- | --------------------------------------------------------- |
//   | waiting | the bell                                  | looking: it rang; pausing: it failed, or rang for nothing |
//   | looking | indexes and contents of folders           | pausing                                                   |
//   | pausing | nothing: as long as what was read took    | waiting                                                   |
//
// A check that finds something changed while the bell waits begins a look too. Of a prefix that is only watched nothing
// is read: that something has changed is all that is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent.hpp"
#include "requests.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class Feed {
 public:
  enum class Wants { contents, changes };

  Feed(Agent& agent, const KeyPaths& paths, std::string prefix, Wants wants, support::KeyStore::Listener& listener);

  bool is_followed() const noexcept { return wants_ == Wants::contents; }
  std::vector<std::string> keys() const;
  SteadyTime observed_until() const noexcept { return observed_; }
  /// Asks at once whether something has changed, and calls back when that is answered; what has changed is looked for.
  void check(std::function<void()> done);
  /// Something may have been missed.
  void touch() {
    if (!is_followed()) listener_.on_touched(prefix_);
  }

  void tick(SteadyTime now) {
    if (again_at_ && now >= *again_at_) wait();
  }
  std::optional<SteadyTime> due() const { return again_at_; }

 private:
  enum class State { waiting, looking, pausing };
  struct Folder {
    std::string path;
    std::uint64_t index = 0;
    std::unordered_map<std::string, std::uint64_t> versions = {};  // of its keys
  };
  void wait();
  void on_bell(const Reply& reply);
  void look(std::uint64_t index);
  void look_at(Folder& folder);
  void read(Folder& folder);
  void report(Folder& folder, const std::vector<support::KeyEntry>& entries);
  void end_part();
  void pause(Millis time);
  bool is_empty() const;

  Agent& agent_;
  const KeyPaths& paths_;
  const std::string prefix_;
  const Wants wants_;
  support::KeyStore::Listener& listener_;
  State state_ = State::waiting;
  std::vector<Folder> folders_;
  bool bell_waits_ = false;  // it is under way, in any state
  std::uint64_t index_ = 0;  // of the last look; 0: all is to be read, and reported as a list
  struct Look {
    SteadyTime begun{};
    bool lists = false;
    bool failed = false;                          // one of its parts has
    std::size_t parts = 0;                        // under way
    std::size_t bytes = 0;                        // that it has read
    std::vector<support::KeyEntry> entries = {};  // that it has found, where it lists
  } look_;
  SteadyTime observed_{};
  std::vector<std::function<void()>> waiting_;  // checks that wait for it
  std::optional<SteadyTime> again_at_;
};

}  // namespace ballot::consul
