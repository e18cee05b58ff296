// Services: what groups have to do with services of this host's agent: a service whose checks are critical, or that is
// in maintenance, keeps this node from leading; the leader's has a tag, and no other one in the catalog; a key says
// where it is. On the plugin's thread.
//
//   services.configure(groups);                // observes them from now on
//   services.lead("db", true);  ... services.environment("db")
//   services.finish([] { ... });              // tags are taken off
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "ballot/log.hpp"
#include "registration.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class Services {
 public:
  Services(Agent& agent, const Session& session, support::KeyStore::Listener& listener, Host& host)
      : agent_(agent), session_(session), listener_(listener), host_(host) {}

  void configure(const std::map<std::string, Options>& groups);
  void lead(const std::string& group, bool leads);
  std::vector<std::string> environment(const std::string& group) const;
  /// This node leads nothing any more: called back once no service says that it does, or within a moment.
  void finish(std::function<void()> done);

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  /// Of a group while this node leads it.
  struct Leading {
    bool watched = false;     // the catalog
    bool alone = false;       // no other service had the tag
    std::uint64_t index = 0;  // of the catalog
  };
  struct Group {
    GroupSettings settings = {};
    std::string why = {};            // it may not lead; "": it may
    std::string told = {};           // the listener, of that
    http::json::value service = {};  // as this host's agent has it; null: it has not
    std::shared_ptr<Leading> leading = {};
    std::uint64_t said = 0;  // the version of the key that says where it is; 0: it does not
  };
  void look();
  void on_looked(const http::json::value& services, const http::json::value& checks);
  std::string address_of(const Group& group) const;
  void settle();
  bool settle(const std::string& name, Group& group);
  void watch_catalog(const std::string& name, const Group& group);
  void on_catalog(const Group& group, const Reply& reply);
  void say(const std::string& name, const Group& group);
  void updated(const Reply& reply);
  void look_soon();
  Millis look_pause() const;
  void warn(const Reply& reply);
  void finish_now();

  Agent& agent_;
  const Session& session_;
  support::KeyStore::Listener& listener_;
  Host& host_;
  std::map<std::string, Group> groups_;
  std::string node_, node_address_;  // of this host's agent
  bool asked_node_ = false, looking_ = false;
  bool updating_ = false;    // something is being written: one at a time, as an agent takes a service as a whole
  std::size_t updates_ = 0;  // since nothing was to be written, or a look had no cause
  std::string logged_;       // what went wrong last
  std::optional<SteadyTime> look_at_, finish_by_;
  std::function<void()> finished_;
};

}  // namespace ballot::consul
