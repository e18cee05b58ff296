#include "support/servers/store_place.hpp"

#include <map>
#include <utility>

#include "base/duration.hpp"
#ifdef BALLOT_WITH_CONSUL
#include "support/servers/consul_server.hpp"
#endif
#ifdef BALLOT_WITH_ETCD
#include "support/servers/etcd_server.hpp"
#endif
#ifdef BALLOT_WITH_NATS
#include "support/servers/nats_server.hpp"
#endif
#ifdef BALLOT_WITH_ZOOKEEPER
#include "support/servers/zookeeper_place.hpp"
#endif

namespace ballot::testing {
namespace {

/// Starts its one server, where it does not run, and says where it listens.
using Serve = int (*)();

template <class Cluster>
int serve() {
  static Cluster cluster(1);
  cluster.start();
  return cluster[0].port();
}

#ifdef BALLOT_WITH_CONSUL
int serve_consul() {
  static ConsulCluster cluster(1);
  cluster.start();
  return cluster.server(0).port();
}
#endif
#ifdef BALLOT_WITH_ZOOKEEPER
int serve_zookeeper() {
  ZookeeperPlace::start_server();
  return ZookeeperPlace::server().port();
}
#endif

const std::map<std::string, Serve>& servers() {
  static const std::map<std::string, Serve> all{
#ifdef BALLOT_WITH_CONSUL
      {"consul", serve_consul},
#endif
#ifdef BALLOT_WITH_ETCD
      {"etcd", serve<EtcdCluster>},
#endif
#ifdef BALLOT_WITH_NATS
      {"nats", serve<NatsCluster>},
#endif
#ifdef BALLOT_WITH_ZOOKEEPER
      {"zookeeper", serve_zookeeper},
#endif
  };
  return all;
}

/// The key that says where the server is.
std::string key_of(const std::string& backend) { return backend == "consul" ? "address" : "servers"; }

std::string next_name_space() {
  static int last = 0;
  return "t" + std::to_string(++last);
}

}  // namespace

std::vector<std::string> StorePlace::backends() {
  std::vector<std::string> all;
  for (const auto& [backend, serve] : servers()) all.push_back(backend);
  return all;
}

StorePlace::StorePlace(std::string backend)
    : backend_(std::move(backend)), name_space_(next_name_space()), port_(servers().at(backend_)()) {}

std::string StorePlace::config(Millis timeout) const {
  std::string text = "[coordination]\nbackend = \"" + backend_ + "\"\nnamespace = \"" + name_space_ +
                     "\"\nallow_open_store = true\nsession_timeout = \"" + format_duration(timeout) + "\"\n[" +
                     backend_ + "]\n" + key_of(backend_) + " = \"127.0.0.1:" + std::to_string(port_) + "\"\n";
#ifdef BALLOT_WITH_ZOOKEEPER
  if (backend_ == "zookeeper") text += "tick = \"" + format_duration(ZookeeperPlace::tick) + "\"\n";
#endif
  return text;
}

std::vector<std::string> StorePlace::through(const TcpRelay& relay) const {
  return {"--" + backend_ + "-" + key_of(backend_), relay.address()};
}

}  // namespace ballot::testing
