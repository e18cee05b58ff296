// etcd: one server or several, asked through their JSON gateways.
#include "chaos/stores/served_store.hpp"
#include "support/servers/etcd_server.hpp"

namespace ballot::chaos {
namespace {

class EtcdStore : public ServedStore<testing::EtcdCluster> {
 public:
  explicit EtcdStore(const StoreSettings& asked)
      : ServedStore(asked.servers, testing::EtcdServer::Settings{.synced = asked.as_shipped, .relayed = asked.parted}) {
  }

  std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) override {
    return coordination("etcd", name_space, timeout) + "[etcd]\nservers = \"" + addresses(node) +
           "\"\nprefix = \"chaos\"\n";
  }
  void lose(const std::string& node, Half half) override {
    lose_requests(node, half == Half::renewals ? "/v3/lease/keepalive" : "/v3/kv/txn");
  }
};

std::string etcd_cannot(Need need) {
  switch (need) {
    case Need::weak_updates: return "a transaction of etcd is atomic";
    case Need::clock: return "etcd tells no time";
    default: return "";
  }
}

}  // namespace

Backend etcd_backend() {
  return {
      .name = "etcd",
      .shortest_timeout = Millis(3000),
      .default_timeout = Millis(10'000),
      .open = [](const StoreSettings& asked) -> std::unique_ptr<Store> { return std::make_unique<EtcdStore>(asked); },
      .cannot = etcd_cannot};
}

}  // namespace ballot::chaos
