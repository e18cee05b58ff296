#include <thread>

#include "chaos/stores/served_store.hpp"
#include "support/servers/nats_server.hpp"

namespace ballot::chaos {
namespace {

struct NatsServers {
  static constexpr const char* is_up = "\"current\": true";

  NatsServers(std::size_t servers, bool relayed) : cluster(servers, {.relayed = relayed}) {}
  testing::NatsServer& operator[](std::size_t i) { return cluster[i]; }
  std::size_t size() const { return cluster.size(); }
  void start() { cluster.start(); }
  /// Of the registers.
  testing::NatsServer& leader() { return cluster.leader_of("KV_" + bucket); }
  /// Whether both others have all that the stream's leader has, as that says.
  bool is_current(const std::string& stream) {
    const std::string state = cluster.leader_of(stream).ask("/jsz?streams=true"), name = "\"name\": \"";
    const auto at = state.find(name + stream + "\"");
    if (at == std::string::npos) return false;
    const std::string of_it = state.substr(at, state.find(name + "KV_", at + 1) - at);
    std::size_t current = 0;
    for (auto one = of_it.find(is_up); one != std::string::npos; one = of_it.find(is_up, one + 1)) ++current;
    return current == size() - 1 && of_it.find("\"lag\": ") == std::string::npos;
  }
  void cut_off(std::size_t i) { cluster.cut_off(i); }
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
  void bind_to_follower(const std::string&) override {}
  void part_from_others(const std::string& node) override {
    ServedStore::bind_to_follower(node);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // it is connected again
    ServedStore::part_from_others(node);
  }
  /// Returns when each replica of the registers has all of them: a server that is killed before that takes along what
  /// was acknowledged, as an operator knows who restarts one after the other.
  void start() override {
    ServedStore::start();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const std::string stream = "KV_" + servers_.bucket;
    while (servers() > 1 && !(servers_.is_current(stream) && servers_.is_current(stream + "-sessions")))
      if (std::chrono::steady_clock::now() > end)
        throw std::runtime_error("a replica of " + stream + " does not catch up");
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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
