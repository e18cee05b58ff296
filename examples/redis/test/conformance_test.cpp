// ballot's conformance suite on the plugin `redis` as it is built, against a real server, each test below a prefix of
// its own: once with every candidate in this process, once with each in its own, which can be killed and stopped.
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "conformance/backend_conformance.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "redis_server.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::conformance {
namespace {

/// One for all tests of the program; ends with it.
redis::RedisServer& server() {
  static redis::RedisServer one;
  return one;
}

/// Every candidate speaks to the server through a relay of its own, by which it can be cut off.
class RedisCandidates : public Cluster {
 public:
  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    auto backend = make_backend(
        BALLOT_PLUGIN_FILE,
        {name_space, folder_.path(), false, {{"server", relay(node).address()}, {"prefix", prefix_}}}, host);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_PLUGIN_FILE, {"test", folder_.path(), false, {}});
  }
  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart, Ability::vacancies};
  }
  Millis timeout() const override { return Millis(2000); }
  Millis slack() const override { return Millis(10'000); }  // server and tests share the machine's processors

  void cut(Backend& backend) override { relay(nodes_.at(&backend)).cut(); }
  void heal(Backend& backend) override { relay(nodes_.at(&backend)).heal(); }
  void expire(Backend& backend) override {
    server().ask({"ZADD", prefix_ + "/test/deadlines", "0", session(nodes_.at(&backend))});
  }
  void restart() override { server().restart(); }

 protected:
  /// Made once a node.
  testing::TcpRelay& relay(const std::string& node) {
    auto& relay = relays_[node];
    if (!relay) relay = std::make_unique<testing::TcpRelay>(server().port());
    return *relay;
  }
  /// Of the node's daemon.
  std::string session(const std::string& node) const {
    std::ifstream file(folder_ / ("redis-test-" + node + ".session"));
    for (std::string key, value; file >> key; std::getline(file, value))
      if (key == "session" && file >> value) return value;
    return {};
  }

  static inline int last_ = 0;
  const std::string prefix_ = "t" + std::to_string(++last_);
  const TempFolder folder_;
  std::map<std::string, std::unique_ptr<testing::TcpRelay>> relays_;
  std::map<const Backend*, std::string> nodes_;
};

class RedisProcesses final : public RedisCandidates {
 public:
  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    auto backend = std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_PLUGIN_FILE, name_space, folder_.path(),
                                                    host, "server=" + relay(node).address() + "\nprefix=" + prefix_);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    auto all = RedisCandidates::abilities();
    all.insert({Ability::crash, Ability::freeze});
    return all;
  }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

INSTANTIATE_TEST_SUITE_P(
    Redis, BackendConformance,
    ::testing::Values(BackendUnderTest{"one_process", [] { return std::make_unique<RedisCandidates>(); }},
                      BackendUnderTest{"processes", [] { return std::make_unique<RedisProcesses>(); }}),
    name_of);

}  // namespace
}  // namespace ballot::conformance
