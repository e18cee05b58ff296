#include "runner/listener.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/assert.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr int backlog = 16;

std::string path_of(int socket) {
  sockaddr_un address{};
  socklen_t size = sizeof address - 1;  // so that a zero follows
  const bool known = ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  return known && address.sun_family == AF_UNIX && address.sun_path[0] == '/' ? address.sun_path : "";
}

UniqueFd listen_at(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (!socket || ::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {};
  if (::listen(socket.get(), backlog) == 0) return socket;
  ::unlink(path.c_str());
  return {};
}

}  // namespace

Listener::Listener(UniqueFd socket, Poller& poller)
    : socket_(std::move(socket)), poller_(poller), path_(path_of(socket_.get())) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  BALLOT_ASSERT(poller_.add(socket_.get(), EPOLLIN), "the runner can wait for connections");
}

void Listener::restore() {
  struct stat file {};
  if (path_.empty() || ::lstat(path_.c_str(), &file) == 0 || errno != ENOENT) return;
  UniqueFd socket = listen_at(path_);
  if (!socket || !poller_.add(socket.get(), EPOLLIN)) return;
  socket_ = std::move(socket);
  log("the file of its socket was removed; it listens anew at " + path_);
}

}  // namespace ballot::runner
