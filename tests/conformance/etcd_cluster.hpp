// A cluster of candidates of the plugin etcd on one store that all tests of the program share, each test below a prefix
// of its own; every candidate behind relays of its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "http_client/base64.hpp"
#include "support/handle_file.hpp"
#include "support/servers/etcd_server.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::conformance {

class EtcdCandidates : public Cluster {
 public:
  explicit EtcdCandidates(testing::EtcdCluster& store) : store_(store) {
    static int last = 0;
    prefix_ = "t" + std::to_string(++last);
  }

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    return make_with(node, name_space, {{"servers", relays(node)}}, folder_.path(), host);
  }
  std::unique_ptr<Backend> make_with(const std::string& node, const std::string& name_space, Options options,
                                     const std::string& state_dir, Host& host) {
    options.emplace("prefix", prefix_);
    auto backend = make_backend(BALLOT_ETCD_PLUGIN, {name_space, state_dir, false, options}, host);
    nodes_[backend.get()] = node;
    return backend;
  }

  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_ETCD_PLUGIN, {"test", folder_.path(), false, {}});
  }

  testing::EtcdCluster& store() { return store_; }
  /// Does something to each of the node's relays, as it may be connected by any.
  template <class Work>
  void each_relay(const std::string& node, const Work& work) {
    for (auto& relay : relays_.at(node)) work(*relay);
  }
  const std::string& prefix() const { return prefix_; }
  std::string root() const { return prefix_ + "/test/"; }
  /// In the namespace of the tests, as JSON.
  std::string key(const std::string& below) const { return "\"" + http::to_base64(root() + below) + "\""; }
  /// The session that a node's daemon has left or has.
  std::string lease_of(const std::string& node) const {
    std::ifstream file(folder_ / ("etcd-test-" + node + ".session"));
    for (std::string word, value; file >> word && std::getline(file >> std::ws, value);)
      if (word == "session") return value;
    return {};
  }
  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart, Ability::vacancies};
  }
  Millis timeout() const override { return Millis(2000); }
  Millis slack() const override { return Millis(10'000); }  // servers and tests share the machine's processors

  void cut(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.cut(); });
  }
  void heal(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.heal(); });
  }
  void expire(Backend& backend) override {
    store_[0].ask("/v3/lease/revoke", "{\"ID\":\"" + lease_of(nodes_.at(&backend)) + "\"}");
  }
  void restart() override {
    store_.kill_all();
    store_.start();
  }

  /// Made once a node: a relay to each server.
  std::vector<std::string> relays(const std::string& node) {
    auto& relays = relays_[node];
    for (std::size_t i = relays.size(); i < store_.size(); ++i)
      relays.push_back(std::make_unique<testing::TcpRelay>(store_[i].port()));
    std::vector<std::string> servers;
    for (auto& relay : relays) servers.push_back(relay->address());
    return servers;
  }

 protected:
  testing::EtcdCluster& store_;
  std::string prefix_;
  TempFolder folder_;
  std::map<std::string, std::vector<std::unique_ptr<testing::TcpRelay>>> relays_;
  std::map<const Backend*, std::string> nodes_;
};

/// Each candidate in a process of its own.
class EtcdProcesses final : public EtcdCandidates {
 public:
  using EtcdCandidates::EtcdCandidates;

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    std::string servers;
    for (const std::string& one : relays(node)) servers += (servers.empty() ? "" : ",") + one;
    auto backend = std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_ETCD_PLUGIN, name_space, folder_.path(),
                                                    host, "servers=" + servers + "\nprefix=" + prefix_);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    auto all = EtcdCandidates::abilities();
    all.insert({Ability::crash, Ability::freeze});
    return all;
  }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

}  // namespace ballot::conformance
