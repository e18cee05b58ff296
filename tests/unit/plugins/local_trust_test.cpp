// Whose folder and files the local backend uses: nobody else may be able to change them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "local_daemon.hpp"
#include "support/machine/store_folder.hpp"

namespace ballot {
namespace {

using namespace ballot::conformance;
namespace fs = std::filesystem;

constexpr uid_t somebody = 4711;

class LocalTrust : public ::testing::Test {
 protected:
  fs::path state() const { return folder_.path(); }
  fs::path file(const std::string& name) const { return state() / "local/ns" / name; }
  void give_away(const fs::path& path) { ASSERT_EQ(::lchown(path.c_str(), somebody, somebody), 0); }
  /// What a daemon says that is started here; empty: it is well.
  std::string started() const try { return Daemon(state(), "a").open(); } catch (const std::runtime_error& refused) {
    return refused.what();
  }
  /// No backend is made here, and none that was made before opens a session.
  void expect_refused(const std::string& part) {
    const std::string made = started();
    EXPECT_NE(made.find(part), std::string::npos) << made;
    const std::string text = before_.open();
    EXPECT_NE(text.find(part), std::string::npos) << text;
    ASSERT_TRUE(before_.closed());
    EXPECT_EQ(before_.closed()->cause, Cause::auth_failed);
  }

  TemporaryFolder folder_;
  Daemon before_{folder_.path(), "b"};
};

TEST_F(LocalTrust, RefusesAFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directories(file(""));
  give_away(state() / "local/ns");
  expect_refused("belongs to user 4711");
}

TEST_F(LocalTrust, RefusesAFolderThatOthersMayWriteTo) {
  fs::create_directories(file(""));
  ASSERT_EQ(::chmod((state() / "local/ns").c_str(), 0777), 0);
  expect_refused("is writable by others");
}

TEST_F(LocalTrust, RefusesAWayThatOthersMayChange) {
  fs::create_directories(file(""));
  ASSERT_EQ(::chmod((state() / "local").c_str(), 0777), 0);
  expect_refused("is writable by others");
  ASSERT_EQ(::chmod((state() / "local").c_str(), 01777), 0);
  EXPECT_EQ(started(), "") << "in a sticky folder nobody else can replace what is ours";
}

TEST_F(LocalTrust, RefusesALinkOfAnotherUserOnTheWay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  fs::create_directory(state() / "elsewhere");
  fs::create_directory_symlink(state() / "elsewhere", state() / "local");
  EXPECT_EQ(started(), "") << "a link of one's own is none of the matter";
  give_away(state() / "local");
  expect_refused("belongs to user 4711");
}

TEST_F(LocalTrust, RefusesEachFileThatOthersMayChangeOrHaveMade) {
  ASSERT_EQ(started(), "");
  for (const char* name : {"lock", "registers.db", "registers.db-wal", "registers.db-shm"}) {
    SCOPED_TRACE(name);
    const bool made = !fs::exists(file(name));
    if (made) std::ofstream(file(name)).close();
    ASSERT_EQ(::chmod(file(name).c_str(), 0666), 0);
    expect_refused("is writable by others");
    ASSERT_EQ(::chmod(file(name).c_str(), 0600), 0);
    if (::geteuid() == 0) {
      give_away(file(name));
      expect_refused("belongs to user 4711");
      ASSERT_EQ(::chown(file(name).c_str(), 0, 0), 0);
    }
    if (made) fs::remove(file(name));
  }
  EXPECT_EQ(started(), "");
}

TEST_F(LocalTrust, RefusesALinkOrAPipeInPlaceOfAFile) {
  for (const char* name : {"lock", "registers.db"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(started(), "");
    fs::rename(file(name), state() / "aside");
    fs::create_symlink(state() / "aside", file(name));
    EXPECT_NE(started(), "");
    fs::remove(file(name));
    ASSERT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
    EXPECT_NE(started(), "");
    fs::remove(file(name));
    fs::rename(state() / "aside", file(name));
  }
}

TEST_F(LocalTrust, MakesNothingThatOthersMayReadOrWriteWhateverTheUmask) {
  const mode_t before = ::umask(0);
  const std::string said = started();
  ::umask(before);
  ASSERT_EQ(said, "");
  EXPECT_EQ(fs::status(state() / "local").permissions() & (fs::perms::group_write | fs::perms::others_all),
            fs::perms::none);
  for (const auto& entry : fs::recursive_directory_iterator(state() / "local/ns"))
    EXPECT_EQ(entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none)
        << entry.path();
}

TEST_F(LocalTrust, AnObserverTrustsAndSeesNoMoreThanADaemon) {
  ASSERT_EQ(started(), "");
  Daemon observer(state(), "o"), careful(state(), "o");
  EXPECT_EQ(observer.observe(), "");
  ASSERT_EQ(::chmod(file("registers.db").c_str(), 0666), 0);
  EXPECT_NE(careful.observe().find("is writable by others"), std::string::npos);
}

TEST_F(LocalTrust, AnObserverWhoMayNotReadIsRefusedAndDoesNotSeeAnEmptyStore) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a user who may not";
  ASSERT_EQ(started(), "");
  ASSERT_EQ(::chmod(state().c_str(), 0711), 0);
  Daemon observer(state(), "o");
  ASSERT_EQ(::setresuid(somebody, somebody, 0), 0);
  const std::string said = observer.observe();
  ASSERT_EQ(::setresuid(0, 0, 0), 0);
  EXPECT_NE(said.find("Permission denied"), std::string::npos) << said;
}

TEST_F(LocalTrust, SaysThatItMayNotMakeItsFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a user who may not";
  ASSERT_EQ(::chmod(state().c_str(), 0555), 0);
  ASSERT_EQ(::seteuid(somebody), 0);
  const auto made = support::make_folder(file("").string());
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::refused);
  EXPECT_NE(made.error().what.find("Permission denied"), std::string::npos) << made.error().what;
}

}  // namespace
}  // namespace ballot
