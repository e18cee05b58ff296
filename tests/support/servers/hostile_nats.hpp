// HostileNats: a server that speaks NATS's protocol so far as a client logs in, and then sends what harms whoever
// believes it: until the client closes the connection, and at most `most_bytes`. Later it may be made an honest one,
// which answers pings. A thread for each connection.
//
//   HostileNats server(nats_attacks()[0]);   ... server.address() ...   server.become_honest();
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/servers/loopback_server.hpp"

namespace ballot::testing {

/// What a client has said so far, where messages would reach it.
struct NatsClientSide {
  std::string subject, subscription;  // of its answers
  std::string reply;                  // of what it asked last; "": nothing
};

struct NatsAttack {
  static constexpr std::size_t most_bytes = 192 * 1024 * 1024;
  enum class When { in_place_of_info, logged_in };

  std::string name;
  When when = When::logged_in;
  std::function<std::string(const NatsClientSide&)> once = {};   // null: nothing
  std::function<std::string(const NatsClientSide&)> again = {};  // null: nothing, without an end
  std::chrono::milliseconds pause{0};                            // between two of them
};
const std::vector<NatsAttack>& nats_attacks();

class HostileNats {
 public:
  explicit HostileNats(NatsAttack attack);

  std::string address() const { return server_.address(); }
  void become_honest() noexcept { honest_ = true; }
  /// How often it has begun to send what harms.
  std::size_t attacked() const noexcept { return attacked_; }

 private:
  void serve(int socket);
  void harm(int socket, NatsClientSide client);

  const NatsAttack attack_;
  std::atomic<bool> honest_{false};
  std::atomic<std::size_t> attacked_{0};
  LoopbackServer server_;
};

}  // namespace ballot::testing
