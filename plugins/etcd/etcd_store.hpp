// EtcdStore: etcd as a KeyStore, through its JSON gateway: sessions are leases, versions are mod_revisions, conditions
// are compared in the transaction that writes. Hands what is asked on to its parts, and what they find to the listener.
// Used on the plugin's thread only.
//
//   return std::make_unique<EtcdStore>(listener, outlet, EtcdStore::Place{settings, password, "ballot/prod/"});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster_state.hpp"
#include "commits.hpp"
#include "feed.hpp"
#include "gateway.hpp"
#include "lease.hpp"
#include "reads.hpp"
#include "requests.hpp"
#include "support/keys/key_store.hpp"
#include "support/session_driver.hpp"

namespace ballot::etcd {

class EtcdStore final : public support::KeyStore {
 public:
  struct Place {
    Settings settings;
    std::string password;
    std::string root;  // before each key
  };

  /// Throws std::runtime_error where there is no client to be had.
  EtcdStore(Listener& listener, support::Outlet& outlet, const Place& place);

  Capability capability() const override { return Capability::fenced; }
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Done<support::SessionBegun> done) override;
  void bind(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  bool keep(Done<support::KeyAnswer> done) override {
    lease_.keep(std::move(done));
    return true;
  }
  void renew(const std::string& key, const std::string& value, Done<support::KeyAnswer> done) override;
  void end(Done<support::KeyAnswer> done) override;
  void abandon() noexcept override;
  void commit(std::vector<support::KeyChange> changes, Done<std::vector<support::KeyAnswer>> done) override;
  void get(std::vector<std::string> keys, Done<support::KeyRead> done) override;
  void list(const std::string& prefix, Done<support::KeyRead> done) override;
  bool name_keys(const std::string& prefix, std::size_t most, Done<support::KeysThere> done) override;
  void follow(const std::string& prefix) override { feed_.follow(prefix); }
  void watch(const std::string& prefix) override { feed_.watch(prefix); }
  SteadyTime observed_until() const override { return feed_.observed_until(); }
  void state(Done<StoreState> done) override { state_.ask(lease_.patience(), std::move(done)); }
  void receive() override;
  void tick(SteadyTime now) override;
  std::optional<SteadyTime> due() const override;

 private:
  Listener& listener_;
  Keyspace keyspace_;
  Gateway gateway_;
  Reads reads_;
  Commits commits_;
  Feed feed_;
  Lease lease_;
  ClusterState state_;
  bool abandoned_ = false;
};

}  // namespace ballot::etcd
