// HostileZookeeper: a server that speaks ZooKeeper's protocol, and answers one kind of request with what harms the
// client library. It grants each session that is asked for, answers pings, and to all else that there is no such node.
//
//   HostileZookeeper server(hostile_replies()[0]);   ... server.address() ...   server.harmed()
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "support/servers/loopback_server.hpp"

namespace ballot::testing {

class HostileZookeeper {
 public:
  struct Asked {
    std::int32_t xid = 0, type = 0;  // type 0: for a session
  };
  struct Reply {
    std::string name;
    std::int32_t type = 0;  // of the requests that are answered so
    /// The bytes that are sent, frame lengths too, in place of the answer.
    std::function<std::string(const Asked&)> bytes;
    /// They are sent again and again, this many bytes.
    std::size_t most_bytes = 0;
  };

  explicit HostileZookeeper(Reply reply);

  std::string address() const { return server_.address(); }
  /// How often it has sent what harms.
  std::size_t harmed() const noexcept { return harmed_; }

 private:
  void serve(int socket);
  bool answer(int socket, const Asked& asked);

  const Reply reply_;
  std::atomic<std::size_t> harmed_{0};
  LoopbackServer server_;
};

const std::vector<HostileZookeeper::Reply>& hostile_replies();

/// As they are on the wire.
std::string zookeeper_number(std::int32_t value);
std::string zookeeper_frame(const std::string& bytes);
/// An answer's header.
std::string zookeeper_header(std::int32_t xid, std::int32_t error = 0);
/// That grants a session.
std::string zookeeper_session(std::int32_t timeout = 4000);

}  // namespace ballot::testing
