// NatsServer: a real server of NATS with JetStream, a process of its own on free ports, to be killed, stopped and
// wiped. NatsCluster: several that are one store.
//
//   NatsCluster store(3);                     // up and serving
//   store[0].freeze();  ...  store[0].thaw();
//   store.leader_of("KV_ballot-test").kill();    ...  store.start();
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/servers/lost.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class NatsServer {
 public:
  struct Settings {
    std::string more = {};      // lines of its configuration
    bool relayed = false;       // of a cluster: each can be cut off from the others
    std::string space = "2GB";  // for all that it stores
  };

  /// Not started. Of a cluster: `routes`, the ports at which it finds others.
  NatsServer(Settings settings, int id, bool clustered);
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  void set_routes(const std::vector<int>& routes);
  void start();
  /// Until it serves, in a cluster of that size. Throws std::runtime_error where it does not.
  void await(std::size_t servers);
  /// SIGKILL; returns when it is gone.
  void kill();
  /// In its own way: it hands over what it leads.
  void stop();
  void freeze();
  void thaw();
  /// All that it has stored. Requires: it does not run.
  void wipe();
  /// Keeps what it has stored, and goes back to it. Requires: it does not run.
  void save() const;
  void restore();

  bool runs() const noexcept { return pid_ > 0; }
  int port() const noexcept { return port_.number(); }
  int route_port() const noexcept { return route_port_.number(); }
  const std::string& name() const noexcept { return name_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  /// What its monitor answers; "" where it does not.
  std::string ask(const std::string& path) const;

 private:
  void end(int signal);

  const Settings settings_;
  const std::string name_;
  const bool clustered_;
  TempFolder folder_;
  const ReservedPort port_, route_port_, monitor_port_, nobody_;
  pid_t pid_ = -1;
};

class NatsCluster {
 public:
  explicit NatsCluster(std::size_t servers, NatsServer::Settings settings = {});

  NatsServer& operator[](std::size_t i) { return *servers_[i]; }
  std::size_t size() const noexcept { return servers_.size(); }
  /// Starts what does not run, and waits until all serve.
  void start();
  /// Of a stream; waits for one. Throws std::runtime_error where there is none.
  NatsServer& leader_of(const std::string& stream);
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
    std::unique_ptr<TcpRelay> relay;
  };

  std::vector<Way> ways_;
  std::vector<std::unique_ptr<NatsServer>> servers_;
};

}  // namespace ballot::testing
