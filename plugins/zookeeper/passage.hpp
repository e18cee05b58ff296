// Passage: one connection of the client library's to a server, carried by the gate: what comes from either side is
// passed on a frame at a time, once it has been checked. On the gate's thread.
//
//   Passage passage(std::move(accepted), server);      passage.connect(addresses);
//   poll(passage.near(), passage.far());   if (!passage.move(near_events, far_events)) ...it is over: passage.problem()
//
//   | state      | what it does                          | left by                                                 |
//   | ---------- | ------------------------------------- | ------------------------------------------------------- |
//   | looking    | waits for the server's addresses      | connect(): connecting; there are none: over             |
//   | connecting | tries one address after the other     | connected: passing; none takes it: over                 |
//   | passing    | passes frames on, both ways           | a side has ended, or sends what is refused: over        |
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer_check.hpp"
#include "ballot/time.hpp"
#include "support/descriptor.hpp"

namespace ballot::zookeeper {

struct Address {
  sockaddr_storage socket{};
  socklen_t size = 0;
};

class Passage {
 public:
  /// `server`: an index of the gate's.
  Passage(support::Descriptor near, std::size_t server) : near_(std::move(near)), server_(server) {}

  std::size_t server() const noexcept { return server_; }
  bool is_looking() const noexcept { return state_ == State::looking; }
  /// False: no address can be connected to.
  bool connect(std::vector<Address> addresses);

  /// What to wait for. `may_read`: there is room for more answers.
  pollfd near() const;
  pollfd far(bool may_read) const;
  /// Carries on what has become possible. False: it is over.
  bool move(short near_events, short far_events, SteadyTime now);
  /// A side has ended, and the other is sent the rest.
  bool ends() const noexcept { return end_by_.has_value(); }
  /// Bytes of answers since the last call.
  std::size_t take_received() { return std::exchange(received_, 0); }
  /// Why it was ended; "" where one of the sides has.
  const std::string& problem() const noexcept { return problem_; }

 private:
  enum class State { looking, connecting, passing };
  struct Way {
    std::string bytes = {};
    std::size_t checked = 0;  // of bytes: may be sent
    bool ended = false;       // nothing more comes
  };

  bool connect_next();
  bool is_connected();
  bool pass(short near_events, short far_events, SteadyTime now);
  void receive(int from, Way& way);
  bool check(Way& way, std::size_t most, std::string (AnswerCheck::*check)(std::string_view));
  static bool send(int to, Way& way);

  support::Descriptor near_, far_;
  std::size_t server_;
  State state_ = State::looking;
  std::vector<Address> addresses_;  // that have not been tried; the next one last
  AnswerCheck check_;
  Way up_, down_;  // to the server; to the library
  std::size_t received_ = 0;
  std::optional<SteadyTime> end_by_;  // one side has ended, and the other may still take the rest
  std::string problem_;
};

}  // namespace ballot::zookeeper
