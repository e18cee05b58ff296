// ScriptedJetStream: a server of NATS with one stream KV_b, so far as a feed and writes to keys need it: whatever is
// published is stored and acknowledged, and a consumer is sent the last message of each key and all that come. Each
// consumer counts the stream's messages as the test says. One client at a time.
//
//   ScriptedJetStream server({1, 0});   // the first consumer's replica is ahead of the leader by one
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "support/servers/loopback_server.hpp"

namespace ballot::testing {

class ScriptedJetStream {
 public:
  /// `apart`: by how much each consumer counts otherwise than the leader; after the last one none does.
  explicit ScriptedJetStream(std::vector<int> apart);

  std::string address() const { return server_.address(); }
  std::size_t consumers() const noexcept { return consumers_; }
  /// Another leader has other numbers for what is stored; the connection is lost.
  void renumber(std::int64_t by);
  /// From the next consumer on there is a pause before each message that it is sent when it begins, and the first
  /// comes once a barrier was acknowledged.
  void slow_down(std::chrono::milliseconds pause) { pause_ = pause; }

 private:
  struct Stored {
    std::string header, data;
    std::int64_t sequence = 0;
  };

  void serve(int socket);
  void on_published(int socket, const std::string& subject, const std::string& reply, std::string header,
                    std::string data);
  void begin_consumer(int socket, const std::string& subject, const std::string& request);
  void deliver_all(int socket);
  void deliver(int socket, const std::string& subject, const Stored& stored);

  const std::vector<int> apart_;
  std::atomic<std::size_t> consumers_{0};
  std::atomic<std::chrono::milliseconds> pause_{std::chrono::milliseconds(0)};
  std::mutex mutex_;
  std::int64_t last_ = 10;             // sequence; under mutex_
  std::map<std::string, Stored> all_;  // by subject; under mutex_
  std::mutex turn_;                    // of the client that is served
  // That client's.
  std::map<std::string, std::string> subscriptions_;  // by subject
  std::string consumer_, to_;                         // its name, and where it sends
  std::int64_t ahead_ = 0, sent_ = 0;
  bool waits_ = false;  // the consumer is sent nothing before a barrier was acknowledged
  LoopbackServer server_;
};

}  // namespace ballot::testing
