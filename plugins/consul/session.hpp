// Session: this node's session in Consul: bound to a check with a time to live that it passes at this host's agent, and
// so ended as soon as it was not passed for T; by the servers' own timer where the agent is gone too. The check is that
// of a service of its own, `ballot`: a critical check of the node would make all services of this host unhealthy. On
// the plugin's thread.
//
//   Session session(agent, paths, name_space);
//   session.begin(timeout, resumed, done);  session.bind(key, value, done);
//   session.renew([](const KeyAnswer& answer) { ... });      // the timers run anew: now something is to be committed
//   session.end(done);
//
// Not bound to the node's health as gossip sees it (serfHealth): that would end it before this node knows.
#pragma once

#include <optional>
#include <string>

#include "agent.hpp"
#include "keys.hpp"
#include "requests.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class Session {
 public:
  template <class Answer>
  using Done = support::KeyStore::Done<Answer>;

  Session(Agent& agent, const KeyPaths& paths, std::string name_space);

  // As of KeyStore.
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done);
  void bind(const std::string& key, const std::string& value, Done<support::KeyAnswer> done);
  void end(Done<support::KeyAnswer> done);
  /// Restarts its timers. not_leader: it is over.
  void renew(Done<support::KeyAnswer> done);

  const Guard& guard() const noexcept { return guard_; }
  std::string bound_path() const { return paths_.path(guard_.key); }
  Millis timeout() const noexcept { return timeout_; }

 private:
  void probe(Done<support::SessionBegun> done);
  void resume(const support::Handle& handle, Done<support::SessionBegun> done);
  void create(SteadyTime until, const Done<support::SessionBegun>& done);
  void restart_timers(Done<support::KeyAnswer> done);
  void on_timers(const Reply& passed, const Reply& renewed, const Done<support::KeyAnswer>& done);
  void give_up(Done<support::KeyAnswer> done);
  std::string secret() const { return std::to_string(timeout_.count()) + ":" + check_; }

  Agent& agent_;
  const KeyPaths& paths_;
  const std::string name_space_;
  std::string check_;  // also the service's ID; "": there is none
  Guard guard_;
  Millis timeout_{4000};
};

}  // namespace ballot::consul
