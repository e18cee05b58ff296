// EtcdServer: a real server of etcd, a process of its own on free ports, to be killed, stopped and wiped. EtcdCluster:
// several that are one store.
//
//   EtcdCluster store(3);                           // up and serving
//   store[0].freeze();  ...  store[0].thaw();
//   store[1].kill();    ...  store.start();
//   const auto kv = store[0].ask("/v3/kv/range", "{\"key\":\"...\"}");
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "http_client/json.hpp"
#include "support/servers/lost.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/tls_files.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class EtcdServer {
 public:
  struct Settings {
    bool synced = false;                 // what it acknowledges is on disk, as is the default of etcd
    bool relayed = false;                // of a cluster: each can be cut off from the others
    const TlsFiles* tls = nullptr;       // with certificates "server" and "client", both of which it asks for
    std::vector<std::string> more = {};  // arguments
  };
  /// How the others of a cluster find it, and where it listens for them.
  struct Peer {
    std::string name;
    int advertised, listening;
  };

  /// Not started. `peers`: all of the cluster, `own` among them.
  EtcdServer(const Settings& settings, std::size_t own, const std::vector<Peer>& peers);
  ~EtcdServer();
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  void start();
  /// Until it serves and knows a leader. Throws std::runtime_error where it does not.
  void await();
  /// SIGKILL; returns when it is gone.
  void kill();
  void freeze();
  void thaw();
  /// All that it has stored. Requires: it does not run.
  void wipe();
  /// Keeps what it has stored, and goes back to it. Requires: it does not run, or, for save(), is frozen.
  void save() const;
  void restore();

  bool runs() const noexcept { return pid_ > 0; }
  pid_t pid() const noexcept { return pid_; }
  int port() const noexcept { return port_.number(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  /// What it answers; null where it does not in time.
  http::json::value ask(const std::string& path, const std::string& body, const std::string& token = "") const;
  bool leads() const;

 private:
  std::vector<std::string> arguments() const;

  const Settings settings_;
  const std::size_t own_;
  const std::vector<Peer> peers_;
  TempFolder folder_;
  const ReservedPort port_;
  pid_t pid_ = -1;
};

class EtcdCluster {
 public:
  explicit EtcdCluster(std::size_t servers, const EtcdServer::Settings& settings = {});

  EtcdServer& operator[](std::size_t i) { return *servers_[i]; }
  std::size_t size() const noexcept { return servers_.size(); }
  /// Starts what does not run, and waits until all serve.
  void start();
  void kill_all();
  EtcdServer& leader();
  EtcdServer& follower();
  std::size_t index_of(const EtcdServer& server) const;
  /// Between this server and the others nothing goes through, and nobody is notified. Requires: `relayed`, and that the
  /// server runs.
  void cut_off(std::size_t server);
  /// The same of one way.
  void cut_way(std::size_t server, Lost lost);
  void heal();

 private:
  std::vector<ReservedPort> ports_;                // of the servers among themselves
  std::vector<std::unique_ptr<TcpRelay>> relays_;  // to each of them, where they are relayed
  std::vector<std::unique_ptr<EtcdServer>> servers_;
};

}  // namespace ballot::testing
