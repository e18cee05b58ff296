// A cluster of candidates of the plugin zookeeper on one ensemble that all tests of the program share, each test below
// a path of its own; every candidate behind a relay of its own.
#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"
#include "support/tcp_relay.hpp"
#include "support/temp_folder.hpp"
#include "support/zookeeper_server.hpp"

namespace ballot::conformance {

/// Connects with a session of somebody else and ends it: what an operator, or the store itself, may do at any time.
inline void end_session(const std::string& server, const clientid_t& session) {
  std::atomic<int> state{0};
  const auto watch = [](zhandle_t*, int, int now, const char*, void* told) {
    static_cast<std::atomic<int>*>(told)->store(now);
  };
  zhandle_t* handle = ::zookeeper_init(server.c_str(), watch, 4000, &session, &state, ZOO_NO_LOG_CLIENTENV);
  while (state != ZOO_CONNECTED_STATE && state != ZOO_EXPIRED_SESSION_STATE) std::this_thread::yield();
  ::zookeeper_close(handle);
}

/// The session that a handle file tells of.
inline clientid_t session_in(const std::string& file) {
  std::ifstream in(file);
  clientid_t session{};
  for (std::string key, value; in >> key; std::getline(in, value)) {
    if (key == "session") in >> value, session.client_id = static_cast<std::int64_t>(std::stoull(value, nullptr, 16));
    if (key != "password") continue;
    in >> value;
    for (std::size_t i = 0; i < sizeof session.passwd; ++i)
      session.passwd[i] = static_cast<char>(std::stoi(value.substr(2 * i, 2), nullptr, 16));
  }
  return session;
}

class ZookeeperCluster : public Cluster {
 public:
  explicit ZookeeperCluster(testing::ZookeeperEnsemble& store) : store_(store) {
    static int last = 0;
    chroot_ = "/t" + std::to_string(++last);
  }

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    const Options options{{"servers", relays(node)}};
    auto backend = make_backend(BALLOT_ZOOKEEPER_PLUGIN, {name_space, folder_.path(), false, options}, host);
    nodes_[backend.get()] = node;
    return backend;
  }
  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart};
  }
  Millis timeout() const override { return Millis(2000); }

  void cut(Backend& backend) override {
    for (auto& relay : relays_.at(nodes_.at(&backend))) relay->cut();
  }
  void heal(Backend& backend) override {
    for (auto& relay : relays_.at(nodes_.at(&backend))) relay->heal();
  }
  void expire(Backend& backend) override {
    end_session(store_[0].address(), session_in(folder_ / ("zookeeper-test-" + nodes_.at(&backend) + ".session")));
  }
  void restart() override {
    for (std::size_t i = 0; i < store_.size(); ++i) store_[i].kill();
    store_.start();
  }

 protected:
  /// Made once a node: a relay to each server.
  std::vector<std::string> relays(const std::string& node) {
    auto& relays = relays_[node];
    for (std::size_t i = relays.size(); i < store_.size(); ++i)
      relays.push_back(std::make_unique<testing::TcpRelay>(store_[i].port()));
    std::vector<std::string> servers;
    for (auto& relay : relays) servers.push_back(relay->address() + chroot_);
    return servers;
  }

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
    auto backend = std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_ZOOKEEPER_PLUGIN, name_space,
                                                    folder_.path(), host, "servers=" + servers + chroot_);
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
