#include "support/servers/consul_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace ballot::testing {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 60s;  // an agent that starts on a busy machine

}  // namespace

ConsulAgent::ConsulAgent(Role role, std::string name, std::size_t servers, std::string more, std::string host)
    : role_(role), name_(std::move(name)), servers_(servers), more_(std::move(more)), host_(std::move(host)) {}

ConsulAgent::~ConsulAgent() { kill(); }

/// Gossip as fast as on a loopback, so that a lost agent is noticed within a second or two.
std::string ConsulAgent::configuration(const std::vector<std::string>& others) const {
  std::string join;
  for (const std::string& other : others) join += (join.empty() ? "" : ",") + ('"' + other + '"');
  std::string text = R"({"node_name":")" + name_ + R"(","data_dir":")" + (folder_ / "data") + R"(","bind_addr":")" +
                     host_ + R"(","client_addr":"127.0.0.1","ports":{"dns":-1,"grpc":-1,"https":-1,)" +
                     R"("serf_wan":-1,"http":)" + std::to_string(port()) + R"(,"server":)" +
                     std::to_string(rpc_port()) + R"(,"serf_lan":)" + std::to_string(gossip_.number()) +
                     R"(},"performance":{"raft_multiplier":1},"disable_update_check":true,"log_level":"warn",)" +
                     R"("connect":{"enabled":false},"leave_on_terminate":false,"skip_leave_on_interrupt":true,)" +
                     R"("limits":{"http_max_conns_per_client":2000},"retry_interval":"200ms","gossip_lan":)" +
                     R"({"probe_interval":"200ms","probe_timeout":"100ms","gossip_interval":"50ms"},"retry_join":[)" +
                     join + "]" + more_;
  if (role_ == Role::server) text += R"(,"server":true,"bootstrap_expect":)" + std::to_string(servers_);
  return text + "}\n";
}

/// No shell between: its process is the agent's. It ends with the test.
void ConsulAgent::start(const std::vector<std::string>& others) {
  if (runs()) return;
  const std::string config = folder_.write("agent.json", configuration(others)), output = folder_ / "output";
  const char* arguments[] = {BALLOT_CONSUL, "agent", "-config-file", config.c_str(), nullptr};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for an agent of Consul");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  ::setenv("GOMAXPROCS", "2", 1);
  if (::getppid() == parent) ::execv(BALLOT_CONSUL, const_cast<char**>(arguments));
  ::_exit(127);
}

void ConsulAgent::await() {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const Answer read = ask("GET", "/v1/kv/none?consistent");
    const Answer self = ask("GET", "/v1/catalog/node/" + name_);
    // With access control nobody without a token sees anything.
    if (read.status == 403 || (read.status == 404 && self.body.find('"' + name_ + '"') != std::string::npos)) return;
    if (std::chrono::steady_clock::now() > end || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      std::ifstream output(folder_ / "output");
      throw std::runtime_error("Consul does not serve (has packaging/install-deps.sh test installed it?): " +
                               std::string(std::istreambuf_iterator<char>(output), {}));
    }
    std::this_thread::sleep_for(20ms);  // there is nothing else to wait for
  }
}

void ConsulAgent::end(int signal) {
  if (!runs()) return;
  ::kill(pid_, signal);
  ::kill(pid_, SIGCONT);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void ConsulAgent::kill() { end(SIGKILL); }
void ConsulAgent::stop() { end(SIGTERM); }

void ConsulAgent::freeze() {
  if (runs()) ::kill(pid_, SIGSTOP);
}
void ConsulAgent::thaw() {
  if (runs()) ::kill(pid_, SIGCONT);
}

void ConsulAgent::wipe() { std::filesystem::remove_all(folder_ / "data"); }

void ConsulAgent::save() const {
  std::filesystem::copy(folder_ / "data", folder_ / "saved", std::filesystem::copy_options::recursive);
}

void ConsulAgent::restore() {
  wipe();
  std::filesystem::copy(folder_ / "saved", folder_ / "data", std::filesystem::copy_options::recursive);
}

/// As HTTP/1.0: the answer ends with the connection.
ConsulAgent::Answer ConsulAgent::ask(const std::string& method, const std::string& path, const std::string& body,
                                     const std::string& token) const {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port()));
  const std::string request = method + " " + path +
                              " HTTP/1.0\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
                              "\r\n" + (token.empty() ? "" : "X-Consul-Token: " + token + "\r\n") + "\r\n" + body;
  std::string text;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char bytes[4096];
    pollfd ready{socket, POLLIN, 0};
    for (ssize_t size = 1; size > 0 && ::poll(&ready, 1, 3000) > 0;) {
      size = ::recv(socket, bytes, sizeof bytes, 0);
      if (size > 0) text.append(bytes, static_cast<std::size_t>(size));
    }
  }
  ::close(socket);
  const auto space = text.find(' '), head = text.find("\r\n\r\n");
  if (space == std::string::npos || head == std::string::npos) return {};
  return {std::atoi(text.c_str() + space), text.substr(head + 4)};
}

void ConsulAgent::insist(const std::string& method, const std::string& path, const std::string& body,
                         const std::string& token) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (Answer answer; (answer = ask(method, path, body, token)).status != 200;) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error(method + " " + path + ": " + std::to_string(answer.status) + " " + answer.body);
    std::this_thread::sleep_for(20ms);  // it has no event for this
  }
}

ConsulCluster::ConsulCluster(std::size_t servers, std::size_t clients, const std::string& more,
                             const std::vector<std::string>& hosts)
    : servers_(servers) {
  const std::string loopback = "127.0.0.1";
  for (std::size_t i = 0; i < servers; ++i)
    agents_.push_back(std::make_unique<ConsulAgent>(ConsulAgent::Role::server, "server-" + std::to_string(i + 1),
                                                    servers, more, hosts.empty() ? loopback : hosts.at(i)));
  for (std::size_t i = 0; i < clients; ++i)
    agents_.push_back(std::make_unique<ConsulAgent>(ConsulAgent::Role::client, "host-" + std::to_string(i + 1), servers,
                                                    more, loopback));
  start();
}

void ConsulCluster::start() {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < servers_ && agents_.size() > 1; ++i) others.push_back(server(i).gossip_address());
  for (const auto& agent : agents_) agent->thaw(), agent->start(others);
  for (const auto& agent : agents_) agent->await();
}

ConsulAgent& ConsulCluster::leader() {
  for (std::size_t i = 0; i < servers_; ++i) {
    const std::string at = ":" + std::to_string(server(i).rpc_port()) + "\"";
    for (std::size_t asked = 0; asked < servers_; ++asked)
      if (server(asked).runs() && server(asked).ask("GET", "/v1/status/leader").body.find(at) != std::string::npos)
        return server(i);
  }
  throw std::runtime_error("the servers have no leader");
}

ConsulAgent& ConsulCluster::follower() {
  ConsulAgent& leads = leader();
  for (std::size_t i = 0; i < servers_; ++i)
    if (&server(i) != &leads && server(i).runs()) return server(i);
  throw std::runtime_error("the servers have no follower");
}

}  // namespace ballot::testing
