// Peer: one connection of the runner's socket: frames in, frames out; nothing here blocks. Knows nothing of what they
// mean.
#pragma once

#include <optional>
#include <string>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class Peer {
 public:
  Peer() = default;
  explicit Peer(UniqueFd connection) : connection_(std::move(connection)) {}

  bool connected() const { return static_cast<bool>(connection_); }
  int descriptor() const { return connection_.get(); }
  void close() { connection_.reset(); }

  /// Reads what came, up to a bound. connected() is false then if the peer has gone; next() still gives what it sent.
  void receive(std::string& buffer);

  /// The next message; none: nothing whole yet, or the connection was dropped because it cannot be read.
  std::optional<ToRunner> next();

  void send(const FromRunner& message);

  /// Writes as much as the socket takes; the rest goes when it takes more.
  void flush(Poller& poller);

  /// Bytes that wait for the peer to read.
  std::size_t backlog() const { return unsent_.size() - sent_; }

 private:
  void watch_writable(Poller& poller, bool on);

  UniqueFd connection_;
  FrameReader reader_;
  std::string unsent_;
  std::size_t sent_ = 0;
  bool watches_writable_ = false;
};

}  // namespace ballot::runner
