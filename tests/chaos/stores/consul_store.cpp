// Consul: a server that is every node's agent; or three of them, and an agent of its own for each node, as there is one
// on each host.
#include "chaos/stores/served_store.hpp"
#include "support/servers/consul_server.hpp"

namespace ballot::chaos {
namespace {

/// The servers of a cluster; the nodes' agents beside them are never let down.
struct ConsulServers {
  static constexpr std::size_t nodes = 3;

  explicit ConsulServers(std::size_t servers) : cluster(servers, servers > 1 ? nodes : 0) {}
  testing::ConsulAgent& operator[](std::size_t i) { return cluster.server(i); }
  std::size_t size() const { return cluster.servers(); }
  void start() { cluster.start(); }
  testing::ConsulAgent& leader() { return cluster.leader(); }
  void cut_off(std::size_t) {}
  void heal() {}

  testing::ConsulCluster cluster;
};

class ConsulStore : public ServedStore<ConsulServers> {
 public:
  explicit ConsulStore(const StoreSettings& asked) : ServedStore(asked.servers) {}

  std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) override {
    return coordination("consul", name_space, timeout) + "[consul]\naddress = \"" + addresses(node) +
           "\"\nprefix = \"chaos\"\n";
  }
  void lose(const std::string& node, Half half) override {
    lose_requests(node, half == Half::renewals ? "/v1/agent/check/" : "/v1/txn");
  }

 private:
  std::vector<int> ports_for(std::size_t node) override { return {servers_.cluster.agent_of(node).port()}; }
};

std::string consul_cannot(Need need) {
  switch (need) {
    case Need::parting: return "to do";
    case Need::weak_updates: return "a transaction of Consul is atomic";
    default: return "";
  }
}

}  // namespace

Backend consul_backend() {
  return {
      .name = "consul",
      .shortest_timeout = Millis(3000),
      .default_timeout = Millis(10'000),
      .open = [](const StoreSettings& asked) -> std::unique_ptr<Store> { return std::make_unique<ConsulStore>(asked); },
      .cannot = consul_cannot};
}

}  // namespace ballot::chaos
