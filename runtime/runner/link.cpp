#include "runner/link.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr int reads_a_turn = 4;

UniqueFd open_spare() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool may_command(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (peer.uid == ::geteuid() || peer.uid == 0) return true;
  log("turned away a connection of user " + std::to_string(peer.uid) + " (process " + std::to_string(peer.pid) + ")");
  return false;
}

}  // namespace

Link::Link(UniqueFd listener, Poller& poller) : listener_(std::move(listener)), spare_(open_spare()), poller_(poller) {
  ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
  BALLOT_ASSERT(poller_.add(listener_.get(), EPOLLIN), "the runner can wait for connections");
}

bool Link::accept() {
  UniqueFd connection(
      BALLOT_FAILS("runner.accept") ? -1 : ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection && (errno == EMFILE || errno == ENFILE)) {
    spare_.reset();
    UniqueFd(::accept(listener_.get(), nullptr, nullptr)).reset();
    spare_ = open_spare();
    log("turned away a connection: no descriptors are left");
  }
  if (!connection || !may_command(connection.get()) || !poller_.add(connection.get(), EPOLLIN)) return false;
  take_connection(std::move(connection));
  return true;
}

void Link::take_connection(UniqueFd connection) {
  if (connected()) log("a newer connection takes the place of the present one");
  connection_ = std::move(connection);
  reader_ = {};
  unsent_.clear();
  sent_ = 0;
  watches_writable_ = false;
}

void Link::receive(std::string& buffer) {
  for (int i = 0; i < reads_a_turn && connected(); ++i) {
    const ssize_t n = ::recv(connection_.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) connection_.reset();  // what came before still counts
    if (n < static_cast<ssize_t>(buffer.size())) return;
  }
}

std::optional<ToRunner> Link::next() {
  auto message = reader_.next_to_runner();
  if (message) return std::move(*message);
  log("the connection with the daemon is dropped: " + message.error().what);
  connection_.reset();
  reader_ = {};
  return std::nullopt;
}

void Link::send(const FromRunner& message) {
  if (connected()) unsent_ += encode(message);
}

/// A failed write says nothing but that the answers are lost: what the peer said before it went is still to be read.
void Link::flush() {
  while (connected() && backlog() > 0) {
    const ssize_t n = ::send(connection_.get(), unsent_.data() + sent_, backlog(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) sent_ = unsent_.size();
    if (n < 0) break;
    sent_ += static_cast<std::size_t>(n);
  }
  unsent_.erase(0, sent_);
  sent_ = 0;
  watch_writable(!unsent_.empty());
}

void Link::watch_writable(bool on) {
  if (!connected() || on == watches_writable_) return;
  watches_writable_ = on;
  poller_.change(connection_.get(), on ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

}  // namespace ballot::runner
