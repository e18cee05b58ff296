// NATS JetStream: one server or several; its leader is the one of the bucket with registers.
#include <algorithm>

#include "chaos/stores/served_store.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/nats_server.hpp"

namespace ballot::chaos {
namespace {

struct NatsServers {
  NatsServers(std::size_t servers, bool relayed) : cluster(servers, {.relayed = relayed}) {}
  testing::NatsServer& operator[](std::size_t i) { return cluster[i]; }
  std::size_t size() const { return cluster.size(); }
  void start() { cluster.start(); }
  /// Of the registers.
  testing::NatsServer& leader() { return cluster.leader_of("KV_" + bucket); }
  void cut_off(std::size_t i) { cluster.cut_off(i); }
  void cut_way(std::size_t i, testing::Lost lost) { cluster.cut_way(i, lost); }
  void heal() { cluster.heal(); }

  testing::NatsCluster cluster;
  std::string bucket;
};

class NatsStore : public ServedStore<NatsServers> {
 public:
  explicit NatsStore(const StoreSettings& asked) : ServedStore(asked.servers, asked.parted) {}

  std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) override {
    if (!name_space.empty()) servers_.bucket = "chaos-" + name_space;
    return coordination("nats", name_space, timeout) + "[nats]\nservers = \"" + addresses(node) + "\"\nbucket = \"" +
           servers_.bucket + "\"\n";
  }
  /// Servers that have lost a leader elect one.
  Millis grain() const override { return servers() > 1 ? Millis(9000) : Millis(0); }
  /// There is no leader yet, of a bucket that nobody has used.
  void bind(const std::string&, Place place) override { place_ = place; }
  void part_from_others(const std::string& node) override {
    bind_now(node);
    ServedStore::part_from_others(node);
  }
  void part_one_way(const std::string& node, testing::Lost lost) override {
    bind_now(node);
    ServedStore::part_one_way(node, lost);
  }
  /// Its election has no round before the vote: a server that hears no leader stands for election again and again, and
  /// whoever hears it gives up the leader that it has.
  bool serves_beside(Place, testing::Lost lost) const override { return lost == testing::Lost::sent; }
  /// A replica of 2.9.10 may lag for good behind the leader that it comes back to, which calls it current all the same
  /// (/jsz of each server has other sequences): when that leader is killed, what it had acknowledged may be lost.
  int leader_kills() const override { return 1; }

 private:
  void bind_now(const std::string& node) {
    ServedStore::bind(node, place_);
    // A client that is still looking for a server would find the cut one only.
    testing::wait_until([&] {
      return std::any_of(way(node).relays.begin(), way(node).relays.end(),
                         [](const TcpRelay& relay) { return relay.connections() > 0; });
    });
  }

  Place place_ = Place::follower;
};

std::string nats_cannot(Need need) {
  return need == Need::renewals ? "a renewal is an update of a key, as all writes are, on the same connection" : "";
}

}  // namespace

Backend nats_backend() {
  return {
      .name = "nats",
      .shortest_timeout = Millis(3000),
      .default_timeout = Millis(10'000),
      .open = [](const StoreSettings& asked) -> std::unique_ptr<Store> { return std::make_unique<NatsStore>(asked); },
      .cannot = nats_cannot};
}

}  // namespace ballot::chaos
