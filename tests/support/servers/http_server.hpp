// HttpServer: answers every request on a port of 127.0.0.1 with a given status, or never, and keeps what was
// asked. A thread of its own.
//
//   HttpServer server;
//   server.answer(503);
//   ... server.url("/uuid") ...
//   ASSERT_TRUE(server.wait_for(2));
//   EXPECT_EQ(server.asked(), (std::vector<std::string>{"GET /uuid/start?rid=1", "GET /uuid?rid=1"}));
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace ballot::testing {

class HttpServer {
 public:
  HttpServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), stop_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no HTTP server");
    port_ = ::ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

  /// From now on: a status, with `header` ("Location: ...") where there is one; 0: never.
  void answer(int status, const std::string& header = "") {
    const std::lock_guard lock(mutex_);
    status_ = status;
    header_ = header;
  }
  /// "METHOD PATH" of each request, in order.
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  bool wait_for(std::size_t count, std::chrono::seconds limit = std::chrono::seconds(30)) {
    std::unique_lock lock(mutex_);
    return more_.wait_for(lock, limit, [&] { return asked_.size() >= count; });
  }

 private:
  struct Asker {
    UniqueFd socket;
    std::string text;
    bool asked = false;
  };

  void serve() {
    while (true) {
      std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      for (const Asker& asker : askers_) waiting.push_back({asker.socket.get(), POLLIN, 0});
      ::poll(waiting.data(), waiting.size(), -1);
      if (waiting[0].revents) return;
      std::size_t i = 2;
      for (auto asker = askers_.begin(); asker != askers_.end(); ++i)
        asker = waiting[i].revents && !receive(*asker) ? askers_.erase(asker) : std::next(asker);
      if (waiting[1].revents)
        askers_.push_back({UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), ""});
    }
  }
  /// False: it is done with.
  bool receive(Asker& asker) {
    char chunk[4096];
    const ssize_t size = ::read(asker.socket.get(), chunk, sizeof chunk);
    if (size <= 0) return false;
    asker.text.append(chunk, static_cast<std::size_t>(size));
    if (asker.asked || asker.text.find("\r\n\r\n") == std::string::npos) return true;
    asker.asked = true;
    const std::lock_guard lock(mutex_);
    asked_.push_back(asker.text.substr(0, asker.text.find(" HTTP/")));
    more_.notify_all();
    if (status_ == 0) return true;
    const std::string answer = "HTTP/1.1 " + std::to_string(status_) + " X\r\n" +
                               (header_.empty() ? "" : header_ + "\r\n") +
                               "Content-Length: 2\r\nConnection: close\r\n\r\nOK";
    (void)!::send(asker.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    return false;
  }

  UniqueFd listener_, stop_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  int status_ = 200;
  std::string header_;
  std::vector<std::string> asked_;
  std::list<Asker> askers_;
  std::thread thread_;
};

}  // namespace ballot::testing
