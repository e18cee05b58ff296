// Consul: a server that is every node's agent; or three of them, and an agent of its own for each node, as there is one
// on each host. Servers speak UDP among themselves too, so one is cut off by the kernel's filter, in a network
// namespace of this process and its children.
#include <sched.h>
#include <unistd.h>

#include "chaos/stores/served_store.hpp"
#include "support/process/run_program.hpp"
#include "support/servers/consul_server.hpp"

namespace ballot::chaos {
namespace {

constexpr const char *nft = "/usr/sbin/nft", *ip = "/usr/sbin/ip";

void run(const std::vector<std::string>& words) {
  if (const auto ran = testing::run_program(words); ran.code != 0) throw std::runtime_error(words[0] + ": " + ran.err);
}

/// The servers of a cluster; the nodes' agents beside them are never let down.
class ConsulServers {
 public:
  static constexpr std::size_t nodes = 3;

  explicit ConsulServers(const StoreSettings& asked)
      : hosts_(asked.parted ? make_hosts(asked.servers) : std::vector<std::string>{}),
        cluster_(asked.servers, asked.servers > 1 ? nodes : 0, "", hosts_) {}
  testing::ConsulAgent& operator[](std::size_t i) { return cluster_.server(i); }
  std::size_t size() const { return cluster_.servers(); }
  void start() { cluster_.start(); }
  testing::ConsulAgent& leader() { return cluster_.leader(); }
  /// What programs ask of it is still answered. Packets are lost on arrival: one that is refused where it is sent is
  /// a fault of the sender's to gossip, which then never suspects the other side.
  void cut_off(std::size_t i) {
    cut_way(i, testing::Lost::sent);
    cut_way(i, testing::Lost::received);
  }
  void cut_way(std::size_t i, testing::Lost lost) {
    const bool sent = lost == testing::Lost::sent;
    const std::string host = hosts_.at(i), own = sent ? "saddr " : "daddr ", other = sent ? "daddr " : "saddr ";
    run({nft,
         "add table ip chaos; add chain ip chaos in { type filter hook input priority 0; }; add rule ip chaos in ip " +
             own + host + " ip " + other + "!= " + host + " drop"});
    cut_ = true;
  }
  void heal() {
    if (std::exchange(cut_, false)) run({nft, "delete table ip chaos"});
  }

  /// Of the n-th node.
  testing::ConsulAgent& agent_of(std::size_t node) { return cluster_.agent_of(node); }

 private:
  /// In a network of our own.
  static std::vector<std::string> make_hosts(std::size_t servers) {
    if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("no network namespace");
    run({ip, "link", "set", "lo", "up"});
    std::vector<std::string> all;
    for (std::size_t i = 0; i < servers; ++i) all.push_back("127.0.0." + std::to_string(i + 2));
    return all;
  }

  const std::vector<std::string> hosts_;  // where servers find each other
  testing::ConsulCluster cluster_;
  bool cut_ = false;
};

class ConsulStore : public ServedStore<ConsulServers> {
 public:
  explicit ConsulStore(const StoreSettings& asked) : ServedStore(asked), parted_(asked.parted) {}

  std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) override {
    return coordination("consul", name_space, timeout) + "[consul]\naddress = \"" + addresses(node) +
           "\"\nprefix = \"chaos\"\n";
  }
  void lose(const std::string& node, Half half) override {
    lose_requests(node, half == Half::renewals ? "/v1/agent/check/" : "/v1/txn");
  }
  /// Agents leave a server that is cut off when gossip has told them.
  Millis grain() const override { return Millis(parted_ ? 5'000 : 0); }

 private:
  std::vector<int> ports_for(std::size_t node) override { return {servers_.agent_of(node).port()}; }

  const bool parted_;
};

std::string consul_cannot(Need need) {
  switch (need) {
    case Need::parting:
      if (::access(nft, X_OK) != 0 || ::access(ip, X_OK) != 0) return "nftables and iproute2 are missing";
      return ::geteuid() == 0 ? "" : "its servers are cut off by the kernel's filter: needs root";
    case Need::weak_updates: return "a transaction of Consul is atomic";
    case Need::clock: return "Consul tells no time";
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
