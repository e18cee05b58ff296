#include "io/sd_notify.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.hpp"
#include "support/temp_folder.hpp"

namespace ballot::io {
namespace {

/// A service manager's end: what it hears, one datagram at a time.
class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  std::string hears() {
    std::array<char, 1024> text;
    const ssize_t size = ::recv(fd_.get(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  UniqueFd fd_;
};

TEST(SdNotify, SpeaksToASocketInTheFileSystem) {
  const TempFolder folder;
  Manager manager(folder / "notify");
  const SdNotify notify(folder / "notify");
  EXPECT_TRUE(notify.ready("leading 3 groups"));
  EXPECT_EQ(manager.hears(), "READY=1\nSTATUS=leading 3 groups\n");
  EXPECT_TRUE(notify.watchdog());
  EXPECT_EQ(manager.hears(), "WATCHDOG=1\n");
  EXPECT_TRUE(notify.stopping());
  EXPECT_EQ(manager.hears(), "STOPPING=1\n");
}

TEST(SdNotify, SpeaksToAnAbstractSocket) {
  const std::string name = "@ballot-test-" + std::to_string(::getpid());
  Manager manager(name);
  EXPECT_TRUE(SdNotify(name).status("one line\nREADY=1"));
  EXPECT_EQ(manager.hears(), "STATUS=one line\n");
}

TEST(SdNotify, IsSilentWhereNobodyListens) {
  const TempFolder folder;
  EXPECT_FALSE(SdNotify("").ready(""));
  EXPECT_FALSE(SdNotify(folder / "nobody").ready(""));
  EXPECT_FALSE(SdNotify(std::string(200, 'x')).ready(""));
}

TEST(SdNotify, TakesItsAddressFromTheEnvironment) {
  ::setenv("NOTIFY_SOCKET", "/run/x", 1);
  EXPECT_TRUE(SdNotify::from_environment().is_enabled());
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_FALSE(SdNotify::from_environment().is_enabled());
}

TEST(SdNotify, WatchdogIsForThisProcessOnly) {
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(watchdog_interval(), Millis(3000));
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(watchdog_interval());
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(watchdog_interval(), Millis(3000));
  ::setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_FALSE(watchdog_interval());
  ::unsetenv("WATCHDOG_USEC");
  ::unsetenv("WATCHDOG_PID");
}

}  // namespace
}  // namespace ballot::io
