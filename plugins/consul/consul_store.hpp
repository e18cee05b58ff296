// ConsulStore: a KeyStore in Consul, by the agent of this host. Every write is fenced: one transaction asserts that the
// key which is bound to the session is still its, that the term's key is as it was, and writes. On the plugin's thread.
//
//   KeyDriver driver(outlet, place, [=](KeyStore::Listener& to, Outlet& outlet) {
//     return std::make_unique<ConsulStore>(settings, token, name_space, to, outlet); });
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent.hpp"
#include "feed.hpp"
#include "keys.hpp"
#include "overdue.hpp"
#include "requests.hpp"
#include "services.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "store_facts.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"

namespace ballot::consul {

class ConsulStore final : public support::KeyStore {
 public:
  /// Throws std::runtime_error where there can be no client.
  ConsulStore(const Settings& settings, const std::string& token, const std::string& name_space, Listener& listener,
              support::Outlet& outlet);

  Capability capability() const override { return Capability::fenced; }
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done) override {
    session_.begin(timeout, resumed, std::move(done));
  }
  void bind(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override {
    session_.bind(key, value, std::move(done));
  }
  bool keep(Done<support::KeyAnswer> done) override {
    session_.renew(std::move(done));
    return true;
  }
  void renew(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  void end(Done<support::KeyAnswer> done) override {
    services_.finish([this, done = std::move(done)] { session_.end(done); });
  }
  void abandon() noexcept override { agent_.abandon(); }

  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done) override {
    keys_.commit(std::move(changes), std::move(done));
  }
  void get(std::vector<std::string> keys, Done<support::KeyRead> done) override { keys_.get(keys, std::move(done)); }
  void list(const std::string& prefix, Done<support::KeyRead> done) override { keys_.list(prefix, std::move(done)); }
  bool name_keys(const std::string& prefix, std::size_t most, Done<support::KeysThere> done) override {
    keys_.name(prefix, most, std::move(done));
    return true;
  }

  void follow(const std::string& prefix) override;
  void watch(const std::string& prefix) override {
    feeds_.emplace_back(agent_, paths_, prefix, Feed::Wants::changes, listener_);
  }
  SteadyTime observed_until() const override;

  void configure(const std::map<std::string, Options>& groups) override { services_.configure(groups); }
  void lead(const std::string& group, std::uint64_t epoch) override { services_.lead(group, epoch != 0); }
  std::vector<std::string> environment(const std::string& group) const override { return services_.environment(group); }
  void state(Done<StoreState> done) override { ask_facts(agent_, std::move(done)); }

  void receive() override { agent_.receive(); }
  void tick(SteadyTime now) override;
  std::optional<SteadyTime> due() const override;

 private:
  Listener& listener_;
  const KeyPaths paths_;
  Agent agent_;
  Session session_;
  Keys keys_;
  Services services_;
  std::deque<Feed> feeds_;
  std::optional<Overdue> overdue_;  // while sessions are followed
};

}  // namespace ballot::consul
