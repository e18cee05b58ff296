#include "support/servers/etcd_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "http_client/client.hpp"
#include "support/clock.hpp"

namespace ballot::testing {

using namespace std::chrono_literals;

namespace {

constexpr auto etcd_patience = 60s;  // a server that starts on a busy machine

/// Stores are small, and need not outlive the machine.
std::filesystem::path fast_folder() {
  const char* memory = "/dev/shm";
  return ::access(memory, W_OK) == 0 ? std::filesystem::path(memory) : std::filesystem::temp_directory_path();
}

}  // namespace

EtcdServer::EtcdServer(const Settings& settings, std::size_t own, const std::vector<Peer>& peers)
    : settings_(settings), own_(own), peers_(peers), folder_(fast_folder()) {}

EtcdServer::~EtcdServer() { kill(); }

std::vector<std::string> EtcdServer::arguments() const {
  const auto url = [](int port) { return "http://127.0.0.1:" + std::to_string(port); };
  const std::string clients = (settings_.tls == nullptr ? "http://" : "https://") + address();
  std::string cluster;
  for (const Peer& peer : peers_) cluster += (cluster.empty() ? "" : ",") + peer.name + "=" + url(peer.advertised);
  const Peer& self = peers_[own_];
  std::vector<std::string> all{"etcd",
                               "--name=" + self.name,
                               "--data-dir=" + (folder_ / "data"),
                               "--listen-client-urls=" + clients,
                               "--advertise-client-urls=" + clients,
                               "--listen-peer-urls=" + url(self.listening),
                               "--initial-advertise-peer-urls=" + url(self.advertised),
                               "--initial-cluster=" + cluster};
  if (!settings_.synced) all.push_back("--unsafe-no-fsync");
  if (settings_.tls != nullptr)
    all.insert(all.end(), {"--cert-file=" + settings_.tls->cert("server"), "--key-file=" + settings_.tls->key("server"),
                           "--trusted-ca-file=" + settings_.tls->ca(), "--client-cert-auth"});
  all.insert(all.end(), settings_.more.begin(), settings_.more.end());
  return all;
}

/// No shell between: its process is the server's. It ends with the test.
void EtcdServer::start() {
  if (runs()) return;
  const std::string output = folder_ / "output";
  const std::vector<std::string> all = arguments();
  std::vector<const char*> words;
  for (const std::string& one : all) words.push_back(one.c_str());
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for an etcd server");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (::getppid() == parent) ::execvp("etcd", const_cast<char**>(words.data()));
  ::_exit(127);
}

void EtcdServer::await() {
  const auto end = std::chrono::steady_clock::now() + etcd_patience;
  while (http::number_at(ask("/v3/maintenance/status", "{}"), "leader") == 0) {
    if (std::chrono::steady_clock::now() > end || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      std::ifstream output(folder_ / "output");
      throw std::runtime_error("etcd does not serve (is the package etcd-server there?): " +
                               std::string(std::istreambuf_iterator<char>(output), {}));
    }
    std::this_thread::sleep_for(20ms);  // there is nothing else to wait for
  }
}

void EtcdServer::kill() {
  if (!runs()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void EtcdServer::freeze() {
  if (runs()) ::kill(pid_, SIGSTOP);
}
void EtcdServer::thaw() {
  if (runs()) ::kill(pid_, SIGCONT);
}

void EtcdServer::wipe() { std::filesystem::remove_all(folder_ / "data"); }

void EtcdServer::save() const {
  std::filesystem::remove_all(folder_ / "saved");
  std::filesystem::copy(folder_ / "data", folder_ / "saved", std::filesystem::copy_options::recursive);
}

void EtcdServer::restore() {
  wipe();
  std::filesystem::copy(folder_ / "saved", folder_ / "data", std::filesystem::copy_options::recursive);
}

http::json::value EtcdServer::ask(const std::string& path, const std::string& body, const std::string& token) const {
  const auto wakeup = std::make_shared<support::Wakeup>();
  http::Settings settings{.servers = {{"127.0.0.1", std::to_string(port())}}};
  if (settings_.tls != nullptr)
    settings.tls = http::Tls{settings_.tls->ca(), settings_.tls->cert("client"), settings_.tls->key("client")};
  auto client = http::Client::make(settings, wakeup);
  if (!client) throw std::runtime_error(client.error().what);
  http::Request request{.method = "POST", .target = path, .body = body, .patience = 2000ms};
  if (!token.empty()) request.headers.emplace_back("Authorization", token);
  (*client)->ask(std::move(request));
  for (const SteadyTime end = support::boot_now() + 5000ms; support::boot_now() < end; wakeup->wait(end))
    for (const http::Event& event : (*client)->take())
      return event.problem.empty() ? http::parse_json(event.body) : http::json::value();
  return {};
}

bool EtcdServer::leads() const {
  const http::json::value status = ask("/v3/maintenance/status", "{}");
  const auto leader = http::text_at(status, "leader");
  return !leader.empty() && leader == http::text_at(status, "header", "member_id");
}

EtcdCluster::EtcdCluster(std::size_t servers, const EtcdServer::Settings& settings) {
  std::vector<EtcdServer::Peer> peers;
  for (std::size_t i = 0; i < servers; ++i) {
    const int port = ports_.emplace_back().number();
    if (settings.relayed) relays_.push_back(std::make_unique<TcpRelay>(port));
    peers.push_back({"etcd" + std::to_string(i + 1), settings.relayed ? relays_.back()->port() : port, port});
  }
  for (std::size_t i = 0; i < servers; ++i) servers_.push_back(std::make_unique<EtcdServer>(settings, i, peers));
  start();
}

void EtcdCluster::start() {
  for (const auto& server : servers_) server->start();
  for (const auto& server : servers_) server->await();
}

void EtcdCluster::kill_all() {
  for (const auto& server : servers_) server->kill();
}

EtcdServer& EtcdCluster::leader() {
  for (const auto& server : servers_)
    if (server->runs() && server->leads()) return *server;
  throw std::runtime_error("the cluster has no leader");
}

EtcdServer& EtcdCluster::follower() {
  for (const auto& server : servers_)
    if (server->runs() && !server->leads()) return *server;
  throw std::runtime_error("the cluster has no follower");
}

std::size_t EtcdCluster::index_of(const EtcdServer& server) const {
  std::size_t index = 0;
  while (servers_.at(index).get() != &server) ++index;
  return index;
}

/// All have one address each, so that who connects is told by the process.
void EtcdCluster::cut_off(std::size_t server) {
  relays_.at(server)->cut();
  for (std::size_t i = 0; i < relays_.size(); ++i)
    if (i != server) relays_[i]->cut_from(servers_[server]->pid());
}

void EtcdCluster::cut_way(std::size_t server, Lost lost) {
  relays_.at(server)->cut_way(way_of(lost, false));
  for (std::size_t i = 0; i < relays_.size(); ++i)
    if (i != server) relays_[i]->cut_way(way_of(lost, true), servers_[server]->pid());
}

void EtcdCluster::heal() {
  for (const auto& relay : relays_) relay->heal();
}

}  // namespace ballot::testing
