// FakeRunner: listens where a runner would, and says to the daemon's end whatever a test wants to be said.
//
//   FakeRunner runner(path);
//   client.start();
//   runner.accept();
//   runner.say(runner::Hello{runner::protocol, ::getpid()});
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"

namespace ballot::testing {

struct FakeRunner {
  explicit FakeRunner(const std::string& path)
      : listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener.get(), 4), 0);
  }

  void accept() { connection.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)); }
  void hang_up() { connection.reset(); }

  /// How much of it the socket takes now.
  std::size_t write(std::string_view bytes) {
    const ssize_t n = ::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    const int error = n < 0 ? errno : EAGAIN;
    EXPECT_EQ(error, EAGAIN);
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  void say(const runner::FromRunner& message) {
    const std::string frame = encode(message);
    EXPECT_EQ(write(frame), frame.size());
  }

  UniqueFd listener, connection;
};

}  // namespace ballot::testing
