// The control socket: where no daemon makes one, and whom a client does not ask.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "io/control_client.hpp"
#include "io/control_socket.hpp"
#include "support/temp_folder.hpp"

namespace ballot::io {
namespace {

constexpr uid_t daemon_user = 4711, other_user = 4712;

struct ControlTrust : ::testing::Test {
  /// A socket in the folder on which `user` listens; who listens is what the kernel tells the client.
  UniqueFd listener_of(uid_t user) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::chmod(path.c_str(), 0666), 0);
    EXPECT_EQ(::seteuid(user), 0);
    EXPECT_EQ(::listen(fd.get(), 8), 0);
    EXPECT_EQ(::seteuid(0), 0);
    return fd;
  }
  /// "": it was asked.
  std::string refusal_to(uid_t user) {
    EXPECT_EQ(::seteuid(user), 0);
    const auto asked = ControlClient::ask(path, Message().set("do", "status"), std::chrono::seconds(5));
    EXPECT_EQ(::seteuid(0), 0);
    if (asked) return "";
    EXPECT_EQ(asked.error().code, Errc::refused) << asked.error().what;
    return asked.error().what;
  }

  TempFolder folder;
  std::string path = folder / "ballot.sock";
};

TEST_F(ControlTrust, NoSocketIsMadeInAFolderThatOthersMayWrite) {
  for (const mode_t mode : {0777, 0770, 01777}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    const auto made = ControlSocket::make(path, {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::refused);
    EXPECT_NE(made.error().what.find("the control socket " + path + " is not made: " + folder.path() +
                                     " is writable by others"),
              std::string::npos)
        << made.error().what;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST_F(ControlTrust, NoSocketIsMadeInAFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(::chown(folder.path().c_str(), other_user, other_user), 0);
  const auto made = ControlSocket::make(path, {});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("belongs to user 4712"), std::string::npos) << made.error().what;
}

TEST_F(ControlTrust, ALockThatIsNoFileKeepsNobodyWaiting) {
  ASSERT_EQ(::mkfifo((path + ".lock").c_str(), 0600), 0);
  const auto made = ControlSocket::make(path, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::refused);
  EXPECT_NE(made.error().what.find(path + ".lock is no regular file"), std::string::npos) << made.error().what;
}

TEST_F(ControlTrust, RootAsksNobodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can listen as somebody else";
  const UniqueFd listener = listener_of(other_user);
  ASSERT_EQ(::chown(folder.path().c_str(), other_user, other_user), 0);
  EXPECT_TRUE(refusal_to(0).starts_with("user 4712 listens at " + path + ", and not root or this user"))
      << refusal_to(0);
}

TEST_F(ControlTrust, AUserAsksRootAndTheUserWhoseFolderItIs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can listen as somebody else";
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  UniqueFd listener = listener_of(daemon_user);
  EXPECT_NE(refusal_to(other_user), "") << "the folder is root's";
  EXPECT_EQ(refusal_to(daemon_user), "");
  ASSERT_EQ(::chown(folder.path().c_str(), daemon_user, daemon_user), 0);
  EXPECT_EQ(refusal_to(other_user), "");
  std::filesystem::remove(path);
  listener = listener_of(0);
  EXPECT_EQ(refusal_to(other_user), "");
}

}  // namespace
}  // namespace ballot::io
