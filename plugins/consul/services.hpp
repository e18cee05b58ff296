// Services: what groups have to do with services of this host's agent: a service whose checks are critical, or that is
// in maintenance, keeps this node from leading; the leader's has a tag, and no other one in the catalog; a key says
// where it is. On the plugin's thread.
//
//   services.configure(groups);  services.start(timeout);
//   services.report_all();                    // to a listener that listens from now on
//   services.lead("db", true);  ... services.environment("db")
//   services.finish([] { ... });              // tags are taken off
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "ballot/log.hpp"
#include "registration.hpp"
#include "session.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::consul {

class Services {
 public:
  Services(Agent& agent, const Session& session, support::KeyStore::Listener& listener, Host& host);

  void configure(const std::map<std::string, Options>& groups);
  /// Observes them from now on.
  void start();
  void report_all();
  void lead(const std::string& group, bool leads);
  std::vector<std::string> environment(const std::string& group) const;
  /// This node leads nothing any more: called back once no service says that it does, or within a moment.
  void finish(std::function<void()> done);

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  struct Group {
    GroupSettings settings;
    std::string why = "it is not known yet whether its service may lead";
    std::optional<Service> service = {};
    bool leads = false;
    bool watched = false;     // the catalog
    bool alone = false;       // no other service had the tag, since it leads
    std::uint64_t index = 0;  // of the catalog
    std::uint64_t turn = 0;   // of leading: answers of others are late
    std::uint64_t said = 0;   // the version of the key that says where it is; 0: it does not
  };
  void look();
  void on_looked(const http::json::value& services, const http::json::value& checks);
  void ask_where(const std::string& service, const http::json::value& services, const http::json::value& checks);
  void set_fit(const std::string& name, Group& group, const std::string& why);
  Group* find(const std::string& name);
  void settle();
  bool settle(const std::string& name, Group& group);
  void watch_catalog(const std::string& name, Group& group);
  void on_catalog(const std::string& name, Group& group, const Reply& reply);
  void tag(const std::string& name, const Group& group);
  void say(const std::string& name, const Group& group);
  void updated(const Reply& reply);
  void warn(const Reply& reply);
  void finish_now();

  Agent& agent_;
  const Session& session_;
  support::KeyStore::Listener& listener_;
  Host& host_;
  std::map<std::string, Group> groups_;
  std::string node_, node_address_;  // of this host's agent
  bool asked_where_ = false;
  bool started_ = false, reports_ = false;
  bool updating_ = false;  // something is being written: one at a time, as an agent takes a service as a whole
  std::string logged_;     // what went wrong last
  std::optional<SteadyTime> look_at_, finish_by_;
  std::function<void()> finished_;
};

}  // namespace ballot::consul
