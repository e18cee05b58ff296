#include "support/servers/zookeeper_server.hpp"

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
#include <stdexcept>
#include <thread>

#include "support/servers/tcp_relay.hpp"

namespace ballot::testing {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 60s;  // a server that starts on a busy machine

}  // namespace

ZookeeperServer::ZookeeperServer(Settings settings, int id, const std::vector<Peer>& peers)
    : settings_(std::move(settings)), id_(id) {
  std::filesystem::create_directory(folder_ / "data");
  folder_.write("data/myid", std::to_string(id_));
  folder_.write("zoo.cfg", configuration(peers));
}

ZookeeperServer::~ZookeeperServer() { kill(); }

std::string ZookeeperServer::configuration(const std::vector<Peer>& peers) const {
  std::string text = "tickTime=" + std::to_string(settings_.tick.count()) + "\ndataDir=" + (folder_ / "data") +
                     "\nclientPort=" + std::to_string(port()) +
                     "\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\ninitLimit=50\n"
                     "syncLimit=10\n4lw.commands.whitelist=*\n" +
                     settings_.more;
  for (const Peer& peer : peers)
    text += "\nserver." + std::to_string(peer.id) + "=127.0.0.1:" + std::to_string(peer.quorum_port) + ":" +
            std::to_string(peer.election_port);
  return text + "\n";
}

/// No shell between: its process is the server's. It ends with the test.
void ZookeeperServer::start() {
  if (runs()) return;
  const std::string config = folder_ / "zoo.cfg", output = folder_ / "output", jar = BALLOT_ZOOKEEPER_JAR;
  const char* arguments[] = {"java",
                             "-Xmx128m",
                             "-XX:+UseSerialGC",
                             "-XX:TieredStopAtLevel=1",
                             "-XX:-UsePerfData",
                             settings_.synced ? "-Dzookeeper.forceSync=yes" : "-Dzookeeper.forceSync=no",
                             "-Dzookeeper.skipACL=no",
                             "-cp",
                             jar.c_str(),
                             "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                             config.c_str(),
                             nullptr};
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for a ZooKeeper server");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (::getppid() == parent) ::execvp("java", const_cast<char**>(arguments));
  ::_exit(127);
}

void ZookeeperServer::await() {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (ask("srvr").find("Mode: ") == std::string::npos) {
    if (std::chrono::steady_clock::now() > end || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      std::ifstream output(folder_ / "output");
      throw std::runtime_error(
          "ZooKeeper does not serve (are the packages zookeeper and default-jre-headless there?): " +
          std::string(std::istreambuf_iterator<char>(output), {}));
    }
    std::this_thread::sleep_for(20ms);  // there is nothing else to wait for
  }
}

void ZookeeperServer::kill() {
  if (!runs()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void ZookeeperServer::freeze() {
  if (runs()) ::kill(pid_, SIGSTOP);
}
void ZookeeperServer::thaw() {
  if (runs()) ::kill(pid_, SIGCONT);
}

void ZookeeperServer::wipe() { std::filesystem::remove_all(folder_ / "data/version-2"); }

void ZookeeperServer::save() const {
  std::filesystem::copy(folder_ / "data", folder_ / "saved", std::filesystem::copy_options::recursive);
}

void ZookeeperServer::restore() {
  wipe();
  std::filesystem::copy(folder_ / "saved/version-2", folder_ / "data/version-2",
                        std::filesystem::copy_options::recursive);
}

std::string ZookeeperServer::ask(const std::string& word) const {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port()));
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(socket, word.data(), word.size(), MSG_NOSIGNAL) > 0) {
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

ZookeeperEnsemble::ZookeeperEnsemble(std::size_t servers, ZookeeperServer::Settings settings) {
  std::vector<ZookeeperServer::Peer> peers;
  const auto reserve = [this] { return ports_.emplace_back().number(); };
  for (std::size_t i = 0; i < servers && servers > 1; ++i)
    peers.push_back({static_cast<int>(i) + 1, reserve(), reserve()});
  for (std::size_t i = 0; i < servers; ++i)
    servers_.push_back(std::make_unique<ZookeeperServer>(settings, static_cast<int>(i) + 1,
                                                         settings.relayed ? peers_of(i, peers) : peers));
  start();
}

std::vector<ZookeeperServer::Peer> ZookeeperEnsemble::peers_of(std::size_t server,
                                                               std::vector<ZookeeperServer::Peer> peers) {
  for (std::size_t other = 0; other < peers.size(); ++other) {
    if (other == server) continue;
    ways_.push_back({server, other, std::make_unique<TcpRelay>(peers[other].quorum_port),
                     std::make_unique<TcpRelay>(peers[other].election_port)});
    peers[other].quorum_port = ways_.back().quorum->port();
    peers[other].election_port = ways_.back().election->port();
  }
  return peers;
}

void ZookeeperEnsemble::cut_off(std::size_t server) {
  for (const Way& way : ways_)
    if (way.from == server || way.to == server) way.quorum->cut(), way.election->cut();
}

void ZookeeperEnsemble::cut_way(std::size_t server, Lost lost) {
  for (const Way& way : ways_) {
    if (way.from != server && way.to != server) continue;
    for (TcpRelay* relay : {way.quorum.get(), way.election.get()}) relay->cut_way(way_of(lost, way.from == server));
  }
}

void ZookeeperEnsemble::heal() {
  for (const Way& way : ways_) way.quorum->heal(), way.election->heal();
}

void ZookeeperEnsemble::start() {
  for (const auto& server : servers_) server->start();
  for (const auto& server : servers_) server->await();
}

ZookeeperServer& ZookeeperEnsemble::leader() {
  for (const auto& server : servers_)
    if (servers_.size() == 1 || server->leads()) return *server;
  throw std::runtime_error("the ensemble has no leader");
}

ZookeeperServer& ZookeeperEnsemble::follower() {
  for (const auto& server : servers_)
    if (server->runs() && !server->leads()) return *server;
  throw std::runtime_error("the ensemble has no follower");
}

std::string ZookeeperEnsemble::addresses() const {
  std::string all;
  for (const auto& server : servers_) all += (all.empty() ? "" : ",") + server->address();
  return all;
}

}  // namespace ballot::testing
