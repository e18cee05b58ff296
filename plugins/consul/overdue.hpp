// Overdue: ends sessions of other nodes that were not renewed for their T. An agent that lives ends those of its host
// itself; where it has gone with its host, the servers would take two of their own times, 20 s, to do it. Each session
// looks after the next two in the order of names. One that is seen unchanged for its T has not been renewed since the
// first look, so its terms are over by its own clock; that it still is unchanged is asserted as its key is removed, so
// no later renewal succeeds. On the plugin's thread.
//
//   Overdue overdue(agent, keys, session, feed);    overdue.tick(now);      // feed: of all open sessions
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agent.hpp"
#include "feed.hpp"
#include "keys.hpp"
#include "session.hpp"

namespace ballot::consul {

class Overdue {
 public:
  Overdue(Agent& agent, Keys& keys, const Session& session, const Feed& sessions)
      : agent_(agent), keys_(keys), session_(session), sessions_(sessions) {}

  void tick(SteadyTime now);
  SteadyTime due() const { return look_at_; }

 private:
  struct Seen {
    std::uint64_t session = 0, member = 0;  // the versions of its keys
    SteadyTime since{};                     // when they were first seen to be these
  };
  void look_at(const std::string& key, SteadyTime asked);
  void end(const support::KeyEntry& session, const support::KeyEntry& member);

  Agent& agent_;
  Keys& keys_;
  const Session& session_;
  const Feed& sessions_;
  std::map<std::string, Seen> seen_;  // by the session's key
  SteadyTime look_at_{};
};

}  // namespace ballot::consul
