#include "support/servers/http_gate.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ballot::testing {

HttpGate::HttpGate(int server_port) : server_port_(server_port), peer_([this](HttpPeer::Talk& talk) { pass(talk); }) {}

HttpGate::~HttpGate() {
  const std::lock_guard hold(mutex_);
  ended_ = true;
}

void HttpGate::shut(const std::string& path) {
  const std::lock_guard hold(mutex_);
  shut_.insert(path);
}

void HttpGate::open() {
  const std::lock_guard hold(mutex_);
  shut_.clear();
}

void HttpGate::harm(HttpPeer::Handler handler) {
  const std::lock_guard hold(mutex_);
  harm_ = std::move(handler);
}

bool HttpGate::is_shut(const std::string& path) const {
  const std::lock_guard hold(mutex_);
  return ended_ || shut_.contains(path);
}

/// Each request over a connection of its own, so that the end of its answer is that of the connection.
void HttpGate::pass(HttpPeer::Talk& talk) {
  const std::string path = talk.asked().substr(talk.asked().find(' ') + 1);
  const HttpPeer::Handler harm = [&] {
    const std::lock_guard hold(mutex_);
    return harm_;
  }();
  if (harm) return harm(talk);
  if (is_shut(path))
    return talk.answer(503, R"({"error":"etcdserver: request timed out","code":14})",
                       "Content-Type: application/json\r\n");
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(server_port_));
  const std::string request = talk.head() + "Connection: close\r\n\r\n" + talk.body();
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(server, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char bytes[65536];
    pollfd ready{server, POLLIN, 0};
    for (ssize_t size = 1; size > 0 && !is_shut(path) && !talk.is_closed();) {
      if (::poll(&ready, 1, 20) <= 0) continue;
      size = ::recv(server, bytes, sizeof bytes, 0);
      if (size > 0) talk.send(std::string(bytes, static_cast<std::size_t>(size)));
    }
  }
  ::close(server);
  talk.close();
}

}  // namespace ballot::testing
