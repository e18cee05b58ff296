// A cluster of candidates of the plugin nats on servers that all tests of the program share, each test with buckets of
// its own; every candidate behind relays of its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "support/servers/nats_server.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::conformance {

class NatsCandidates : public Cluster {
 public:
  explicit NatsCandidates(testing::NatsCluster& store) : store_(store) {
    static int last = 0;
    bucket_ = "t" + std::to_string(++last);
  }

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    return make_with(node, name_space, {}, host);
  }
  std::unique_ptr<Backend> make_with(const std::string& node, const std::string& name_space, Options options,
                                     Host& host) {
    options.try_emplace("servers", relays(node));
    options.try_emplace("bucket", bucket(name_space));
    auto backend = make_backend(BALLOT_NATS_PLUGIN, {name_space, folder_.path(), false, options}, host);
    nodes_[backend.get()] = node;
    return backend;
  }

  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_NATS_PLUGIN, {"test", folder_.path(), false, {}});
  }

  testing::NatsCluster& store() { return store_; }
  std::string bucket(const std::string& name_space = "test") const { return bucket_ + "-" + name_space; }
  /// Does something to each of the node's relays, as it may be connected by any.
  template <class Work>
  void each_relay(const std::string& node, const Work& work) {
    for (auto& relay : relays_.at(node)) work(*relay);
  }
  std::set<Ability> abilities() const override { return {Ability::resume, Ability::cut, Ability::restart}; }
  Millis timeout() const override { return Millis(2000); }
  Millis slack() const override { return Millis(10'000); }  // servers and tests share the machine's processors

  void cut(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.cut(); });
  }
  void heal(Backend& backend) override {
    each_relay(nodes_.at(&backend), [](auto& relay) { relay.heal(); });
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
    for (auto& relay : relays) servers.push_back(relay->address());
    return servers;
  }

 protected:
  testing::NatsCluster& store_;
  std::string bucket_;
  TempFolder folder_;
  std::map<std::string, std::vector<std::unique_ptr<testing::TcpRelay>>> relays_;
  std::map<const Backend*, std::string> nodes_;
};

/// Each candidate in a process of its own.
class NatsProcesses final : public NatsCandidates {
 public:
  using NatsCandidates::NatsCandidates;

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    std::string servers;
    for (const std::string& one : relays(node)) servers += (servers.empty() ? "" : ",") + one;
    auto backend = std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_NATS_PLUGIN, name_space, folder_.path(),
                                                    host, "servers=" + servers + "\nbucket=" + bucket(name_space));
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    auto all = NatsCandidates::abilities();
    all.insert({Ability::crash, Ability::freeze});
    return all;
  }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

}  // namespace ballot::conformance
