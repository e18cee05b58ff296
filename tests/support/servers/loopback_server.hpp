// LoopbackServer: listens on the loopback, on a port that the system chooses, and gives each connection a thread. Its
// end breaks all connections and waits for their threads: what they use has to outlive it.
//
//   LoopbackServer server([](int socket) { send_all(socket, "hello\n"); });
//   ... server.address() ...
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ballot::testing {

/// False: the other side takes nothing more.
inline bool send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

class LoopbackServer {
 public:
  using Serve = std::function<void(int socket)>;

  /// `serve` is called on the connection's thread; the connection is shut down when it returns.
  explicit LoopbackServer(Serve serve, const char* address = "127.0.0.1") : serve_(std::move(serve)) {
    listen(address);
    thread_ = std::thread([this] { accept(); });
  }
  ~LoopbackServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    break_connections();
    for (std::thread& one : threads_) one.join();
    for (const int one : sockets_) ::close(one);
    ::close(listener_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const noexcept { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::size_t connections() const noexcept { return connections_; }
  /// Those that are there now.
  void break_connections() {
    const std::lock_guard hold(mutex_);
    for (const int one : sockets_) ::shutdown(one, SHUT_RDWR);
  }

 private:
  void listen(const char* address) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address, "0", &hints, &found) != 0) throw std::runtime_error("no address for a test's server");
    listener_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = ::bind(listener_, found->ai_addr, found->ai_addrlen) == 0 && ::listen(listener_, 64) == 0;
    ::freeaddrinfo(found);
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    char port[8];
    if (!bound || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, nullptr, 0, port, sizeof port, NI_NUMERICSERV) != 0)
      throw std::runtime_error("no server for a test");
    port_ = std::stoi(port);
  }
  void accept() {
    for (int socket; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      ++connections_;
      const std::lock_guard hold(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        serve_(socket);
        ::shutdown(socket, SHUT_RDWR);
      });
    }
  }

  const Serve serve_;
  int listener_ = -1, port_ = 0;
  std::atomic<std::size_t> connections_{0};
  std::mutex mutex_;
  std::vector<int> sockets_;          // under mutex_
  std::vector<std::thread> threads_;  // of the thread
  std::thread thread_;
};

}  // namespace ballot::testing
