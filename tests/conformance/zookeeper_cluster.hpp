// A cluster of candidates of the plugin zookeeper on one ensemble that all tests of the program share, each test below
// a path of its own; every candidate behind a relay of its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/zookeeper_client.hpp"
#include "support/servers/zookeeper_server.hpp"
#include "support/temp_folder.hpp"

namespace ballot::conformance {

class ZookeeperCluster : public Cluster {
 public:
  static constexpr const char* tick = "200ms";  // of its servers

  explicit ZookeeperCluster(testing::ZookeeperEnsemble& store) : store_(store) {
    static int last = 0;
    chroot_ = "/t" + std::to_string(++last);
  }

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    const Options options{{"servers", relays(node)}};
    return make_with(node, name_space, options, folder_.path(), host);
  }
  std::unique_ptr<Backend> make_with(const std::string& node, const std::string& name_space, const Options& options,
                                     const std::string& state_dir, Host& host) {
    Options all = options;
    all.emplace("tick", tick);
    auto backend = make_backend(BALLOT_ZOOKEEPER_PLUGIN, {name_space, state_dir, false, all}, host);
    nodes_[backend.get()] = node;
    return backend;
  }

  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_ZOOKEEPER_PLUGIN, {"test", folder_.path(), false, {{"tick", tick}}});
  }

  testing::ZookeeperEnsemble& store() { return store_; }
  /// Does something to each of the node's relays, as it may be connected by any.
  template <class Work>
  void each_relay(const std::string& node, const Work& work) {
    for (auto& relay : relays_.at(node)) work(*relay);
  }
  const std::string& chroot() const { return chroot_; }
  /// In the namespace of the tests.
  std::string path(const std::string& below) const { return chroot_ + "/test/" + below; }
  std::string handle_file(const std::string& node) const { return folder_ / ("zookeeper-test-" + node + ".session"); }
  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart, Ability::vacancies};
  }
  Millis timeout() const override { return Millis(2000); }
  bool has_clock() const override { return true; }
  Millis slack() const override { return Millis(10'000); }  // servers and tests share the machine's processors

  void cut(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.cut(); });
  }
  void heal(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.heal(); });
  }
  void expire(Backend& backend) override {
    const clientid_t session = testing::session_in(handle_file(nodes_.at(&backend)));
    cut(backend);  // or it would take its session back
    { const testing::ZookeeperClient ends_it(store_[0].address(), &session); }
    heal(backend);
  }
  void restart() override {
    for (std::size_t i = 0; i < store_.size(); ++i) store_[i].kill();
    store_.start();
  }

  /// Made once a node: a relay to each server.
  std::vector<std::string> relays(const std::string& node) {
    auto& relays = relays_[node];
    for (std::size_t i = relays.size(); i < store_.size(); ++i)
      relays.push_back(std::make_unique<testing::TcpRelay>(store_[i].port()));
    std::vector<std::string> servers;
    for (auto& relay : relays) servers.push_back(relay->address() + chroot_);
    return servers;
  }

 protected:
  testing::ZookeeperEnsemble& store_;
  std::string chroot_;
  TempFolder folder_;
  std::map<std::string, std::vector<std::unique_ptr<testing::TcpRelay>>> relays_;
  std::map<const Backend*, std::string> nodes_;
};

/// Each candidate in a process of its own.
class ZookeeperProcesses final : public ZookeeperCluster {
 public:
  using ZookeeperCluster::ZookeeperCluster;

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    std::string servers;
    for (const std::string& one : relays(node)) servers += (servers.empty() ? "" : ",") + one.substr(0, one.find('/'));
    auto backend =
        std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_ZOOKEEPER_PLUGIN, name_space, folder_.path(), host,
                                         "servers=" + servers + chroot_ + "\ntick=" + tick);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    auto all = ZookeeperCluster::abilities();
    all.insert({Ability::crash, Ability::freeze});
    return all;
  }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

}  // namespace ballot::conformance
