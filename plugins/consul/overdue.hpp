// Overdue: ends sessions of other nodes that were not renewed for their T. An agent that lives ends those of its host
// itself; where it has gone with its host, the servers would take two of their own times, 20 s, to do it. Each session
// looks after the next two in the order of names. One that is seen unchanged for its T has not been renewed since the
// first look, so its terms are over by its own clock; that it still is unchanged is asserted as its key is removed, so
// no later renewal succeeds. On the plugin's thread.
//
//   overdue.tick(now, feed.keys());        // of all open sessions
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "key_paths.hpp"
#include "session.hpp"

namespace ballot::consul {

class Overdue {
 public:
  using Names = std::function<std::vector<std::string>()>;

  /// `names`: the keys of all open sessions.
  Overdue(Agent& agent, const KeyPaths& paths, const Session& session, Names names);

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const { return look_at_; }

 private:
  struct Seen {
    std::uint64_t session = 0, member = 0;  // the versions of its keys
    SteadyTime since{};                     // when they were first seen to be these
  };
  void look_at(const std::string& key, SteadyTime asked);
  void consider(const std::string& key, const std::string& session, Millis timeout, SteadyTime asked,
                const Seen& found);
  void end(const std::string& key, const std::string& session, const Seen& seen);
  std::string member_path(const std::string& key) const;

  Agent& agent_;
  const KeyPaths& paths_;
  const Session& session_;
  const Names names_;
  std::map<std::string, Seen> seen_;  // by the session's key
  std::optional<SteadyTime> look_at_;
};

}  // namespace ballot::consul
