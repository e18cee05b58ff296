#include "io/runner_start.hpp"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/cgroup_place.hpp"
#include "base/failpoint.hpp"

namespace ballot::io {
namespace {

constexpr int listener_in_runner = 3;
constexpr int backlog = 16;
constexpr const char* systemd_run = "/usr/bin/systemd-run";

Error failure(Errc code, const std::string& what, int error) { return {code, what + ": " + std::strerror(error)}; }

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

UniqueFd make_socket() {
  if (BALLOT_FAILS("io.runner_socket")) return {};
  return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// Nobody but root and this user can have made the listener whom we are about to give commands and secrets.
Result<void> check_peer(int connection, const std::string& path) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return failure(Errc::io, "cannot determine who listens at " + path, errno);
  if (peer.uid == ::geteuid() || peer.uid == 0) return {};
  return Error{Errc::refused, path + " was made by user " + std::to_string(peer.uid) + ", not by this one; remove it"};
}

/// An empty descriptor where nobody listens.
Result<UniqueFd> connect_to(const std::string& path) {
  UniqueFd connection = make_socket();
  const sockaddr_un address = address_of(path);
  if (!connection || BALLOT_FAILS("io.runner_connect") ||
      ::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED) return UniqueFd();
    return failure(errno == EAGAIN ? Errc::unavailable : Errc::io, "cannot connect to the runner at " + path, errno);
  }
  if (auto trusted = check_peer(connection.get(), path); !trusted) return trusted.error();
  return connection;
}

Result<UniqueFd> listen_at(const std::string& path) {
  struct stat what {};
  if (::lstat(path.c_str(), &what) == 0 && !S_ISSOCK(what.st_mode))
    return Error{Errc::refused, path + " is in the way of the runner's socket; remove it"};
  ::unlink(path.c_str());
  UniqueFd listener = make_socket();
  if (!listener) return failure(Errc::io, "cannot make the runner's socket", errno);
  const sockaddr_un address = address_of(path);
  ::fchmod(listener.get(), 0600);  // of a socket that is not bound yet: the mode that its file is made with
  if (BALLOT_FAILS("io.runner_listen") ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), backlog) != 0)
    return failure(Errc::io, "cannot listen at " + path, errno);
  return listener;
}

/// Of systemd before 254 a service stands in the cgroup that is delegated to it. That can then hand out no limits; and
/// where one below has them, systemd starts no daemon there. So the runner gets a scope of its own, which ends after
/// the service when the machine stops. Empty where it stands well as it is.
std::vector<std::string> scope_command() {
  const auto place = find_cgroup();
  const bool in_way = ::geteuid() == 0 && ::access("/run/systemd/system", F_OK) == 0 && place &&
                      place->own != place->root && is_delegated_cgroup(place->own);
  if (!in_way || ::access(systemd_run, X_OK) != 0) return {};
  const std::string service = place->own.substr(place->own.rfind('/') + 1);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return {systemd_run,
          "--scope",
          "--quiet",
          "--collect",
          "--description=Runs of " + service,
          "--unit=ballot-runner-" + std::to_string(::getpid()) + "-" + std::to_string(now),
          "--property=Delegate=yes",
          "--property=TasksMax=infinity",
          "--property=Before=" + service};
}

/// The runner goes to the background by itself: what is spawned ends at once, with 0 if all is well.
Result<void> spawn(std::vector<std::string> command, const std::string& program, int listener) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);  // a program that embeds ballot may block any
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, listener, listener_in_runner);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, listener_in_runner + 1);
  const bool scoped = !command.empty();
  command.insert(command.end(), {program, "--listen-fd", std::to_string(listener_in_runner)});
  if (scoped) command.insert(command.end(), {"--own-scope", "1"});
  const std::string file = command[0];
  if (!scoped) command[0] = "ballot-runner";
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* envp[] = {BALLOT_FAILPOINT_ENVIRONMENT, nullptr};
  pid_t pid = 0;
  const int error = BALLOT_FAILS("io.runner_spawn")
                        ? errno
                        : ::posix_spawn(&pid, file.c_str(), &actions, &attributes, argv.data(), envp);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return failure(Errc::io, "cannot start the runner " + program, error);

  int status = 0;
  pid_t waited = 0;
  while ((waited = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) continue;
  if (waited == pid && status != 0)
    return Error{Errc::io, "the runner " + program + " does not start: wait status " + std::to_string(status)};
  return {};
}

}  // namespace

bool is_listening(const std::string& socket_path) {
  constexpr const char* listens = "00010000";  // the flags of a socket that accepts connections: __SO_ACCEPTCON
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string address, references, protocol, flags, type, state, inode, path;
    words >> address >> references >> protocol >> flags >> type >> state >> inode >> std::ws;
    std::getline(words, path);
    if (flags == listens && path == socket_path) return true;
  }
  return false;
}

Result<UniqueFd> find_runner(const std::string& socket_path) {
  if (socket_path.size() >= sizeof(sockaddr_un::sun_path))
    return Error{Errc::invalid, "the path of the runner's socket is longer than 107 bytes: " + socket_path};
  return connect_to(socket_path);
}

Result<UniqueFd> reach_runner(const std::string& socket_path, const std::string& runner_path) {
  auto connection = find_runner(socket_path);
  if (!connection || *connection) return connection;
  auto listener = listen_at(socket_path);
  if (!listener) return listener.error();
  const auto scope = scope_command();
  auto spawned = spawn(scope, runner_path, listener->get());
  if (!spawned && !scope.empty()) spawned = spawn({}, runner_path, listener->get());  // systemd-run has said why
  if (!spawned) {
    ::unlink(socket_path.c_str());
    return spawned.error();
  }
  listener->reset();  // so that it is the runner who listens, or nobody
  connection = connect_to(socket_path);
  if (connection && !*connection) return Error{Errc::io, "the runner " + runner_path + " went away as it was started"};
  return connection;
}

}  // namespace ballot::io
