// Link: the listening socket and the one connection with a daemon. Frames in, frames out; nothing here blocks.
//
// A newer connection takes the place of the older. Peers of another user than this process's own are turned away, but
// for root. What is sent while nobody is connected is dropped: the runner keeps what matters.
#pragma once

#include <optional>
#include <string>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class Link {
 public:
  Link(UniqueFd listener, Poller& poller);

  bool connected() const { return static_cast<bool>(connection_); }
  bool is_listener(int fd) const { return fd == listener_.get(); }
  bool is_connection(int fd) const { return connected() && fd == connection_.get(); }

  /// Takes a connection that waits; true if one stands now in place of what stood before.
  bool accept();

  /// Reads what came, up to a bound. connected() is false then if the peer has gone; next() still gives what it sent.
  void receive(std::string& buffer);

  /// The next message; none: nothing whole yet, or the connection was dropped because it cannot be read.
  std::optional<ToRunner> next();

  void send(const FromRunner& message);

  /// Writes as much as the socket takes; the rest goes when it takes more, by handle_writable().
  void flush();

  /// Bytes that wait for the peer to read.
  std::size_t backlog() const { return unsent_.size() - sent_; }

 private:
  void take_connection(UniqueFd connection);
  void watch_writable(bool on);

  UniqueFd listener_, connection_;
  UniqueFd spare_;  // given up to turn a connection away when there are no descriptors left
  Poller& poller_;
  FrameReader reader_;
  std::string unsent_;
  std::size_t sent_ = 0;
  bool watches_writable_ = false;
};

}  // namespace ballot::runner
