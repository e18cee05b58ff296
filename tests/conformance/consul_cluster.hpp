// A cluster of candidates of the plugin consul on one store that all tests of the program share, each test below a
// prefix of its own; every candidate speaks to an agent through a relay of its own.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "support/servers/consul_server.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::conformance {

class ConsulNodes : public Cluster {
 public:
  explicit ConsulNodes(testing::ConsulCluster& store) : store_(store) {
    static int last = 0;
    prefix_ = "t" + std::to_string(++last);
  }

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    return make_with(node, name_space, {{"address", relay(node).address()}}, folder_.path(), host);
  }
  std::unique_ptr<Backend> make_with(const std::string& node, const std::string& name_space, const Options& options,
                                     const std::string& state_dir, Host& host) {
    Options all = options;
    all.emplace("prefix", prefix_);
    auto backend = make_backend(BALLOT_CONSUL_PLUGIN, {name_space, state_dir, false, all}, host);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_CONSUL_PLUGIN, {"test", folder_.path(), false, {}});
  }

  testing::ConsulCluster& store() { return store_; }
  /// Made once a node, to the agent of that node.
  testing::TcpRelay& relay(const std::string& node) {
    auto& relay = relays_[node];
    if (!relay) {
      relay = std::make_unique<testing::TcpRelay>(store_.agent_of(agents_.size()).port());
      agents_.emplace(node, agents_.size());
    }
    return *relay;
  }
  testing::ConsulAgent& agent_of(const std::string& node) { return store_.agent_of(agents_.at(node)); }
  const std::string& prefix() const { return prefix_; }
  /// In the namespace of the tests.
  std::string path(const std::string& below) const { return prefix_ + "/test/" + below; }
  /// The session of the node's daemon.
  std::string session(const std::string& node) const {
    std::ifstream file(folder_ / ("consul-test-" + node + ".session"));
    for (std::string key, value; file >> key; std::getline(file, value))
      if (key == "session" && file >> value) return value;
    return {};
  }
  const TempFolder& folder() const { return folder_; }

  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart, Ability::vacancies};
  }
  Millis timeout() const override { return Millis(2000); }
  Millis slack() const override { return Millis(10'000); }  // servers and tests share the machine's processors

  void cut(Backend& backend) override { relay(nodes_.at(&backend)).cut(); }
  void heal(Backend& backend) override { relay(nodes_.at(&backend)).heal(); }
  void expire(Backend& backend) override {
    store_.server(0).insist("PUT", "/v1/session/destroy/" + session(nodes_.at(&backend)));
  }
  void restart() override {
    for (std::size_t i = 0; i < store_.servers(); ++i) store_.server(i).kill();
    store_.start();
  }

 protected:
  testing::ConsulCluster& store_;
  std::string prefix_;
  TempFolder folder_;
  std::map<std::string, std::unique_ptr<testing::TcpRelay>> relays_;
  std::map<std::string, std::size_t> agents_;  // by node
  std::map<const Backend*, std::string> nodes_;
};

/// Each candidate in a process of its own.
class ConsulProcesses final : public ConsulNodes {
 public:
  using ConsulNodes::ConsulNodes;

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    auto backend = std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_CONSUL_PLUGIN, name_space, folder_.path(),
                                                    host, "address=" + relay(node).address() + "\nprefix=" + prefix_);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    auto all = ConsulNodes::abilities();
    all.insert({Ability::crash, Ability::freeze});
    return all;
  }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

}  // namespace ballot::conformance
