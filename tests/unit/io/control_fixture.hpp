// Control: a control socket with its server, and clients of it: well-behaved ones, ones without manners, other users.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <cstring>
#include <thread>

#include "io/control_client.hpp"
#include "io/control_server.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {

using testing::run_until;

inline Message ask_for(const std::string& what) {
  Message message;
  return message.set("do", what);
}

struct Control : ::testing::Test {
  void serve(Handler handler, ControlLimits limits = {}) {
    auto listening = ControlServer::listen(loop, path, roles, std::move(handler), limits);
    ASSERT_TRUE(listening) << listening.error().what;
    server = *std::move(listening);
  }

  /// What `client` returns, run on a thread of its own while the loop turns.
  template <class F>
  auto during(F client) {
    std::optional<decltype(client())> answer;
    std::atomic<bool> done = false;
    std::thread thread([&] {
      answer = client();
      done = true;
      boost::asio::post(loop, [] {});
    });
    EXPECT_TRUE(run_until(loop, [&] { return done.load(); }));
    thread.join();
    return *std::move(answer);
  }
  Result<Message> answer_to(const Message& request) {
    return during([&] { return ask_once(path, request, std::chrono::seconds(5)); });
  }

  /// A socket at `path` that is not ballot's, and does not listen yet.
  UniqueFd bound_by_another(int type) {
    UniqueFd fd(::socket(AF_UNIX, type, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  /// A client with no manners.
  UniqueFd raw_client(const std::string& says) {
    UniqueFd fd = connected();
    EXPECT_EQ(::send(fd.get(), says.data(), says.size(), MSG_NOSIGNAL), static_cast<ssize_t>(says.size()));
    return fd;
  }
  UniqueFd connected() {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  /// All that the server says until it closes.
  std::string raw_answer(const UniqueFd& fd) {
    std::string text, chunk(65536, '\0');
    const bool closed = run_until(loop, [&] {
      ssize_t size = 0;
      while ((size = ::recv(fd.get(), chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0)
        text.append(chunk, 0, static_cast<std::size_t>(size));
      const bool end = size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      if (!end) loop.run_one_for(Millis(1));
      return end;
    });
    return closed ? text : "open";
  }

  /// What `work` returns (0 to 255) in a process of another user, who is in these groups.
  template <class F>
  int as_another_user(F work, const std::vector<gid_t>& groups = {}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool other = ::setgroups(groups.size(), groups.data()) == 0 && ::setresgid(65534, 65534, 65534) == 0 &&
                         ::setresuid(65534, 65534, 65534) == 0;
      ::_exit(other ? work() : 255);
    }
    return during([&] {
      int status = 0;
      return ::waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 255;
    });
  }

  TempFolder folder;
  const std::string path = folder / "ballot.sock";
  boost::asio::io_context loop;
  Roles roles{RoleGroups{}};
  std::unique_ptr<ControlServer> server;
};

}  // namespace ballot::io
