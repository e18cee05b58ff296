#include "runner/peer.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr int peer_reads_per_iteration = 4;

}  // namespace

void Peer::receive(std::string& buffer) {
  for (int i = 0; i < peer_reads_per_iteration && connected(); ++i) {
    const ssize_t n = ::recv(connection_.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close();  // what came before still counts
    if (n < static_cast<ssize_t>(buffer.size())) return;
  }
}

std::optional<ToRunner> Peer::next() {
  auto message = reader_.next_to_runner();
  if (message) return std::move(*message);
  log("a connection is dropped: " + message.error().what);
  close();
  reader_ = {};
  return std::nullopt;
}

void Peer::send(const FromRunner& message) {
  if (connected()) append(message, unsent_);
}

/// A failed write says nothing but that the answers are lost: what the peer said before it went is still to be read.
void Peer::flush(Poller& poller) {
  while (connected() && backlog() > 0) {
    const ssize_t n = ::send(connection_.get(), unsent_.data() + sent_, backlog(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) sent_ = unsent_.size();
    if (n < 0) break;
    sent_ += static_cast<std::size_t>(n);
  }
  unsent_.erase(0, sent_);
  sent_ = 0;
  watch_writable(poller, !unsent_.empty());
}

void Peer::watch_writable(Poller& poller, bool on) {
  if (!connected() || on == watches_writable_) return;
  watches_writable_ = on;
  poller.change(connection_.get(), on ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

}  // namespace ballot::runner
