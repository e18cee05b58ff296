// ConsulAgent: a real agent of Consul, a process of its own on free ports, to be killed, stopped and wiped: a server,
// or a client as there is one on each host, to which programs speak. ConsulCluster: several that are one store.
//
//   ConsulCluster store(3, 2);                      // three servers and two clients, up and serving
//   store.server(0).freeze();  ...  store.server(0).thaw();
//   store.client(1).kill();    ...  store.start();
//   store.client(0).ask("GET", "/v1/status/leader").body
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/servers/reserved_port.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class ConsulAgent {
 public:
  enum class Role { server, client };
  struct Answer {
    int status = 0;  // 0: none
    std::string body = {};
  };

  /// Not started. `more`: entries of its configuration, in JSON, each with a comma before it. `servers`: in all.
  /// With a `cert_file` among them it serves HTTPS too.
  /// `host`: where others of the cluster find it; programs find it at 127.0.0.1.
  ConsulAgent(Role role, std::string name, std::size_t servers, std::string more, std::string host);
  ~ConsulAgent();
  ConsulAgent(const ConsulAgent&) = delete;
  ConsulAgent& operator=(const ConsulAgent&) = delete;

  /// `others`: where to find the cluster.
  void start(const std::vector<std::string>& others);
  /// Until it answers for the store, and knows itself in it. Throws std::runtime_error where it does not.
  void await();
  /// SIGKILL; returns when it is gone.
  void kill();
  /// It is asked to end, as by its supervisor: it keeps its place.
  void stop();
  void freeze();
  void thaw();
  /// All that it has stored. Requires: it does not run.
  void wipe();
  /// Keeps what it has stored, and goes back to it. Requires: it does not run.
  void save() const;
  void restore();

  bool runs() const noexcept { return pid_ > 0; }
  const std::string& name() const noexcept { return name_; }
  int port() const noexcept { return http_.number(); }
  int tls_port() const noexcept { return https_.number(); }
  std::string gossip_address() const { return host_ + ":" + std::to_string(gossip_.number()); }
  int rpc_port() const noexcept { return rpc_.number(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }

  /// Blocks for a few seconds at most.
  Answer ask(const std::string& method, const std::string& path, const std::string& body = {},
             const std::string& token = {}) const;
  /// Waits until a request is answered with 200.
  void insist(const std::string& method, const std::string& path, const std::string& body = {},
              const std::string& token = {}) const;

 private:
  void end(int signal);
  std::string configuration(const std::vector<std::string>& others) const;

  const Role role_;
  const std::string name_;
  const std::size_t servers_;
  const std::string more_, host_;
  TempFolder folder_;
  const ReservedPort http_, https_, rpc_, gossip_;
  pid_t pid_ = -1;
};

class ConsulCluster {
 public:
  /// `hosts`: of the servers among themselves, an address of the loopback each; else all have the same.
  explicit ConsulCluster(std::size_t servers, std::size_t clients = 0, const std::string& more = {},
                         const std::vector<std::string>& hosts = {});

  ConsulAgent& server(std::size_t i) { return *agents_.at(i); }
  ConsulAgent& client(std::size_t i) { return *agents_.at(servers_ + i); }
  std::size_t servers() const noexcept { return servers_; }
  std::size_t clients() const noexcept { return agents_.size() - servers_; }
  /// To which the i-th program speaks: a client where there is one.
  ConsulAgent& agent_of(std::size_t i) { return clients() == 0 ? server(i % servers_) : client(i % clients()); }

  /// Starts what does not run, lets go on what is stopped, and waits until all serve.
  void start();
  /// The server that leads.
  ConsulAgent& leader();
  ConsulAgent& follower();

 private:
  const std::size_t servers_;
  std::vector<std::unique_ptr<ConsulAgent>> agents_;  // servers first
};

}  // namespace ballot::testing
