// ZookeeperServer: a real server of ZooKeeper, a process of its own on free ports, to be killed, stopped and wiped.
// ZookeeperEnsemble: several that are one store.
//
//   ZookeeperEnsemble store(3);                     // up and serving
//   store[0].freeze();  ...  store[0].thaw();
//   store[1].kill();    ...  store[1].start();
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/servers/lost.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class ZookeeperServer {
 public:
  struct Settings {
    std::chrono::milliseconds tick{200};
    std::string more = {};  // lines of its configuration
    bool relayed = false;   // of an ensemble: each can be cut off from the others
    bool synced = false;    // what it acknowledges is on disk, as is the default of ZooKeeper
  };
  /// How the others of an ensemble find it.
  struct Peer {
    int id = 0;
    int quorum_port = 0, election_port = 0;
  };

  /// Not started. `peers`: all of the ensemble; empty for one that is alone.
  ZookeeperServer(Settings settings, int id, const std::vector<Peer>& peers);
  ~ZookeeperServer();
  ZookeeperServer(const ZookeeperServer&) = delete;
  ZookeeperServer& operator=(const ZookeeperServer&) = delete;

  void start();
  /// Until it serves. Throws std::runtime_error where it does not.
  void await();
  /// SIGKILL; returns when it is gone.
  void kill();
  void freeze();
  void thaw();
  /// All that it has stored. Requires: it does not run.
  void wipe();
  /// Keeps what it has stored, and goes back to it. Requires: it does not run.
  void save() const;
  void restore();

  bool runs() const noexcept { return pid_ > 0; }
  int port() const noexcept { return port_.number(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  /// What it answers to one of its four letter words; "" where it does not.
  std::string ask(const std::string& word) const;
  bool leads() const { return ask("srvr").find("Mode: leader") != std::string::npos; }

 private:
  std::string configuration(const std::vector<Peer>& peers) const;

  const Settings settings_;
  const int id_;
  TempFolder folder_;
  const ReservedPort port_;
  pid_t pid_ = -1;
};

class ZookeeperEnsemble {
 public:
  explicit ZookeeperEnsemble(std::size_t servers, ZookeeperServer::Settings settings = {});

  ZookeeperServer& operator[](std::size_t i) { return *servers_[i]; }
  std::size_t size() const noexcept { return servers_.size(); }
  /// Starts what does not run, and waits until all serve.
  void start();
  ZookeeperServer& leader();
  ZookeeperServer& follower();
  std::string addresses() const;
  /// Between this server and the others nothing goes through, and nobody is notified. Requires: `relayed`.
  void cut_off(std::size_t server);
  /// The same of one way.
  void cut_way(std::size_t server, Lost lost);
  void heal();

 private:
  /// How one server finds another.
  struct Way {
    std::size_t from, to;
    std::unique_ptr<TcpRelay> quorum, election;
  };

  std::vector<ZookeeperServer::Peer> peers_of(std::size_t server, std::vector<ZookeeperServer::Peer> peers);

  std::vector<ReservedPort> ports_;  // of the servers among themselves
  std::vector<Way> ways_;
  std::vector<std::unique_ptr<ZookeeperServer>> servers_;
};

}  // namespace ballot::testing
