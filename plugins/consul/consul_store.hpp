// ConsulStore: a KeyStore in Consul, by the agent of this host. Every write is fenced: one transaction asserts that the
// key which is bound to the session is still its, that the term's key is as it was, and writes. On the plugin's thread.
//
//   KeyDriver driver(outlet, place, [=](KeyStore::Listener& to, Outlet& outlet) {
//     return std::make_unique<ConsulStore>(settings, root, name_space, to, outlet); });
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "commits.hpp"
#include "feed.hpp"
#include "key_paths.hpp"
#include "overdue.hpp"
#include "reads.hpp"
#include "services.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"

namespace ballot::consul {

class ConsulStore final : public support::KeyStore {
 public:
  /// Throws std::runtime_error where there can be no client.
  ConsulStore(const Settings& settings, const std::string& token, const std::string& name_space, Listener& listener,
              support::Outlet& outlet);

  Capability capability() const override { return Capability::fenced; }
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  void renew(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  void end(Done<support::KeyAnswer> done) override;
  void abandon() noexcept override { agent_.abandon(); }

  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done) override;
  void get(std::vector<std::string> keys, Done<support::KeyRead> done) override;
  void list(const std::string& prefix, Done<support::KeyRead> done) override;

  void follow(const std::string& prefix) override;
  void watch(const std::string& prefix) override;
  SteadyTime observed_until() const override;

  std::uint64_t revision() const override { return agent_.revision(); }
  void configure(const std::map<std::string, Options>& groups) override { services_.configure(groups); }
  void lead(const std::string& group, std::uint64_t epoch) override { services_.lead(group, epoch != 0); }
  std::vector<std::string> environment(const std::string& group) const override { return services_.environment(group); }
  void state(Done<StoreState> done) override;

  void receive() override { agent_.receive(); }
  void tick(SteadyTime now) override;
  std::optional<SteadyTime> due() const override;

 private:
  void on_connected();

  Listener& listener_;
  const KeyPaths paths_;
  Agent agent_;
  Session session_;
  Reads reads_;
  Commits commits_;
  Services services_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::optional<Overdue> overdue_;  // while sessions are followed
};

}  // namespace ballot::consul
