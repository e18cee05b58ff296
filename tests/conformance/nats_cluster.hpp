// A cluster of candidates of the plugin nats on servers that all tests of the program share, each test with buckets of
// its own; every candidate behind relays of its own.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/nats_parts.hpp"
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
    if (!options.contains("servers")) make_buckets(name_space);
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
    cut(backend);
    remove("s/" + nodes_.at(&backend));
    heal(backend);
  }
  /// As an operator does. Requires: it is a key of a session.
  void remove(const std::string& key) {
    testing::NatsParts parts(store_[0].address(), bucket() + "-sessions");
    bool removed = false;
    if (!parts.make(timeout(), "ballot: sessions of namespace test")) throw std::runtime_error("no bucket of sessions");
    parts.bucket.write({key}, support::Priority::urgent, {}, [&](const auto&) { removed = true; });
    testing::NatsParts::pump(
        {&parts}, [&] { return removed; }, slack());
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
  /// The servers of a cluster may take longer to elect a leader of a new stream than a session of so short a timeout is
  /// opened for.
  void make_buckets(const std::string& name_space) {
    if (store_.size() == 1 || !made_.insert(name_space).second) return;
    for (bool is_open = false; !is_open;) {
      Signal opening;
      Recorder recorder(opening);
      const Options options{{"servers", store_.addresses()}, {"bucket", bucket(name_space)}};
      const auto backend = make_backend(BALLOT_NATS_PLUGIN, {name_space, folder_.path(), false, options}, recorder);
      backend->open({1, "operator", "boot-1", "machine-1", "host-1", 1, "test", "", timeout()});
      opening.wait([&] { return recorder.size() > 0; }, slack());
      is_open = !recorder.all<backend::SessionOpened>(1).empty();
      backend->close(false);
      opening.wait([&] { return !recorder.all<backend::SessionClosed>(1).empty(); }, slack());
    }
  }

  testing::NatsCluster& store_;
  std::string bucket_;
  std::set<std::string> made_;  // namespaces
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
    make_buckets(name_space);
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
