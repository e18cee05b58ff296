#include "support/servers/nats_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ballot::testing {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 60s;       // a cluster that starts on a busy machine
constexpr std::size_t shown = 2000;  // bytes of a server's output

/// What stands after `"name": "` from `from` on.
std::string text_after(const std::string& json, const std::string& name, std::size_t from) {
  const std::string key = "\"" + name + "\": \"";
  const auto at = json.find(key, from);
  if (at == std::string::npos) return {};
  return json.substr(at + key.size(), json.find('"', at + key.size()) - at - key.size());
}

}  // namespace

NatsServer::NatsServer(Settings settings, int id, bool clustered)
    : settings_(std::move(settings)), name_("n" + std::to_string(id)), clustered_(clustered) {
  set_routes({});
}

NatsServer::~NatsServer() { kill(); }

/// Servers gossip where the others find them: of one that is relayed it is where nobody is.
void NatsServer::set_routes(const std::vector<int>& routes) {
  std::string text = "server_name: " + name_ + "\nlisten: \"" + address() +
                     "\"\nhttp: \"127.0.0.1:" + std::to_string(monitor_port_.number()) +
                     "\"\njetstream { store_dir: \"" + (folder_ / "data") + "\", max_file_store: " + settings_.space +
                     " }\n" + settings_.more + "\n";
  if (clustered_) {
    text += "cluster {\n  name: ballot\n  listen: \"127.0.0.1:" + std::to_string(route_port()) +
            "\"\n  no_advertise: true\n";
    if (settings_.relayed) text += "  cluster_advertise: \"127.0.0.1:" + std::to_string(nobody_.number()) + "\"\n";
    text += "  routes: [";
    for (const int port : routes) text += "\n    \"nats-route://127.0.0.1:" + std::to_string(port) + "\"";
    text += "\n  ]\n}\n";
  }
  folder_.write("nats.conf", text);
}

/// No shell between: its process is the server's. It ends with the test.
void NatsServer::start() {
  if (runs()) return;
  const std::string config = folder_ / "nats.conf", output = folder_ / "output";
  const char* arguments[] = {"nats-server", "-c", config.c_str(), nullptr};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for a NATS server");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (::getppid() == parent) ::execvp("nats-server", const_cast<char**>(arguments));
  ::_exit(127);
}

void NatsServer::await(std::size_t servers) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto serves = [&] {
    if (ask("/healthz").find("\"ok\"") == std::string::npos) return false;
    if (!clustered_) return true;
    const std::string state = ask("/jsz");
    const auto meta = state.find("\"meta_cluster\"");
    return meta != std::string::npos && !text_after(state, "leader", meta).empty() &&
           state.find("\"cluster_size\": " + std::to_string(servers), meta) != std::string::npos;
  };
  while (!serves()) {
    if (std::chrono::steady_clock::now() > end || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      std::ifstream file(folder_ / "output");
      const std::string output(std::istreambuf_iterator<char>(file), {});
      throw std::runtime_error("NATS does not serve (is the package nats-server there?): " +
                               output.substr(output.size() - std::min(output.size(), shown)));
    }
    std::this_thread::sleep_for(20ms);  // there is nothing else to wait for
  }
}

void NatsServer::end(int signal) {
  if (!runs()) return;
  ::kill(pid_, signal);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void NatsServer::kill() { end(SIGKILL); }
void NatsServer::stop() { end(SIGTERM); }

void NatsServer::freeze() {
  if (runs()) ::kill(pid_, SIGSTOP);
}
void NatsServer::thaw() {
  if (runs()) ::kill(pid_, SIGCONT);
}

void NatsServer::wipe() { std::filesystem::remove_all(folder_ / "data"); }

void NatsServer::save() const {
  std::filesystem::copy(folder_ / "data", folder_ / "saved", std::filesystem::copy_options::recursive);
}

void NatsServer::restore() {
  wipe();
  std::filesystem::copy(folder_ / "saved", folder_ / "data", std::filesystem::copy_options::recursive);
}

std::string NatsServer::ask(const std::string& path) const {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(monitor_port_.number()));
  std::string answer;
  const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char bytes[4096];
    pollfd ready{socket, POLLIN, 0};
    for (ssize_t size = 1; size > 0 && ::poll(&ready, 1, 1000) > 0;) {
      size = ::recv(socket, bytes, sizeof bytes, 0);
      if (size > 0) answer.append(bytes, static_cast<std::size_t>(size));
    }
  }
  ::close(socket);
  return answer;
}

NatsCluster::NatsCluster(std::size_t servers, NatsServer::Settings settings) {
  for (std::size_t i = 0; i < servers; ++i)
    servers_.push_back(std::make_unique<NatsServer>(settings, static_cast<int>(i) + 1, servers > 1));
  for (std::size_t i = 0; i < servers && servers > 1; ++i) {
    std::vector<int> routes;
    for (std::size_t other = 0; other < servers; ++other) {
      if (other == i) continue;  // each two connect both ways, and keep one: a server takes itself for one of so many
      if (settings.relayed) ways_.push_back({i, other, std::make_unique<TcpRelay>(servers_[other]->route_port())});
      routes.push_back(settings.relayed ? ways_.back().relay->port() : servers_[other]->route_port());
    }
    servers_[i]->set_routes(routes);
  }
  start();
}

void NatsCluster::cut_off(std::size_t server) {
  for (const Way& way : ways_)
    if (way.from == server || way.to == server) way.relay->cut();
}

void NatsCluster::cut_way(std::size_t server, Lost lost) {
  for (const Way& way : ways_)
    if (way.from == server || way.to == server) way.relay->cut_way(way_of(lost, way.from == server));
}

void NatsCluster::heal() {
  for (const Way& way : ways_) way.relay->heal();
}

void NatsCluster::start() {
  for (const auto& server : servers_) server->start();
  for (const auto& server : servers_) server->await(servers_.size());
}

NatsServer& NatsCluster::leader_of(const std::string& stream) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(50ms))
    for (const auto& asked : servers_) {
      if (!asked->runs()) continue;
      if (servers_.size() == 1) return *asked;
      const std::string state = asked->ask("/jsz?streams=true");
      const auto at = state.find("\"name\": \"" + stream + "\"");
      const std::string leader = at == std::string::npos ? "" : text_after(state, "leader", at);
      for (const auto& server : servers_)
        if (server->runs() && server->name() == leader) return *server;
    }
  throw std::runtime_error("the stream " + stream + " has no leader");
}

std::string NatsCluster::addresses() const {
  std::string all;
  for (const auto& server : servers_) all += (all.empty() ? "" : ",") + server->address();
  return all;
}

}  // namespace ballot::testing
