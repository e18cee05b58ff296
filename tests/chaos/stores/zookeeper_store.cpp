// ZooKeeper: one server, or an ensemble.
#include "base/duration.hpp"
#include "chaos/stores/served_store.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::chaos {
namespace {

constexpr Millis quick_tick{400}, shipped_tick{2000}, longest_timeout{30'000};

class ZookeeperStore : public ServedStore<testing::ZookeeperEnsemble> {
 public:
  explicit ZookeeperStore(const StoreSettings& asked)
      : ServedStore(asked.servers, settings(asked)), tick_(tick(asked)) {}

  std::string configuration(const std::string& node, const std::string& name_space, Millis timeout) override {
    return coordination("zookeeper", name_space, timeout) + "[zookeeper]\ntick = \"" + format_duration(tick_) +
           "\"\nservers = \"" + addresses(node) + "/chaos\"\n";
  }
  Millis grain() const override { return tick_; }
  /// A leader that hears nobody any more stands for election, and the others, who hear it, elect it again and again.
  /// Where it is not heard, its followers have been seen to take from 4 s to 25 s to elect another.
  bool serves_beside(Place place, testing::Lost) const override { return place == Place::follower; }

 private:
  static Millis tick(const StoreSettings& asked) { return asked.as_shipped ? shipped_tick : quick_tick; }
  static testing::ZookeeperServer::Settings settings(const StoreSettings& asked) {
    return {.tick = tick(asked),
            .more = "maxSessionTimeout=" + std::to_string(longest_timeout.count()) + "\n",
            .relayed = asked.parted,
            .synced = asked.as_shipped};
  }

  const Millis tick_;
};

std::string zookeeper_cannot(Need need) {
  switch (need) {
    case Need::renewals: return "a renewal is a write; that pings are answered while writes are not is S8";
    case Need::weak_updates: return "a transaction of ZooKeeper is atomic";
    default: return "";
  }
}

}  // namespace

Backend zookeeper_backend() {
  return {.name = "zookeeper",
          .shortest_timeout = Millis(3000),
          .default_timeout = Millis(10'000),
          .open = [](const StoreSettings& asked) -> std::unique_ptr<Store> {
            return std::make_unique<ZookeeperStore>(asked);
          },
          .cannot = zookeeper_cannot};
}

}  // namespace ballot::chaos
