// HttpGate: stands before a server of HTTP and lets through what it is asked for, but for paths that are shut: these
// are answered with 503, and streams of them end.
//
//   HttpGate gate(server.port());           // clients connect to gate.port()
//   gate.shut("/v3/lease/keepalive");  ...  gate.open();
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "support/servers/http_peer.hpp"

namespace ballot::testing {

class HttpGate {
 public:
  explicit HttpGate(int server_port);
  ~HttpGate();

  int port() const noexcept { return peer_.port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  void shut(const std::string& path);
  void open();
  /// All requests are answered by that; null: no more.
  void harm(HttpPeer::Handler handler);
  /// "METHOD PATH" of each request, in order.
  std::vector<std::string> asked() const { return peer_.asked(); }

 private:
  void pass(HttpPeer::Talk& talk);
  bool is_shut(const std::string& path) const;

  const int server_port_;
  mutable std::mutex mutex_;
  std::set<std::string> shut_;  // under mutex_
  bool ended_ = false;          // under mutex_
  HttpPeer::Handler harm_;      // under mutex_
  HttpPeer peer_;
};

}  // namespace ballot::testing
