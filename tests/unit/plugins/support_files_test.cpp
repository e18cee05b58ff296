// The files that a plugin keeps or reads beside its store: the handle of a node's session, and secrets.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "support/handle_file.hpp"
#include "support/handle_store.hpp"
#include "support/secret_file.hpp"
#include "support/temp_folder.hpp"

namespace ballot::support {
namespace {

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TheHandleFile, IsLockedWhileItsDaemonLivesAndKeepsItsHandle) {
  TempFolder folder;
  Handle handle{"1000abcd", "0102fd", "a", "boot", "machine", "host-1", 77, "x:1", "/ns", false};
  {
    auto file = HandleFile::open(folder / "handle");
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->read());
    const auto early = HandleFile::open(folder / "handle");
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().what, folder / "handle" +
                                      " is in use by another process on this host, which opens its "
                                      "session: give this one another name (node)");
    ASSERT_TRUE(file->write(handle));
    EXPECT_EQ(text_in(folder / "handle"),
              "session 1000abcd\npassword 0102fd\nnode a\nboot boot\nmachine machine\n"
              "host host-1\npid 77\nservers x:1\nroot /ns\nover 0\nend 1\n");
    const auto second = HandleFile::open(folder / "handle");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::conflict);
    EXPECT_NE(second.error().what.find("pid 77 on host-1"), std::string::npos) << second.error().what;
  }
  const auto file = HandleFile::open(folder / "handle");
  ASSERT_TRUE(file);
  const auto read = file->read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->session, "1000abcd");
  EXPECT_EQ(read->secret, "0102fd");
  EXPECT_EQ(handle_text(*read), "a 1000abcd 0102fd");
  EXPECT_EQ(node_of(handle_text(*read)), "a");
  EXPECT_EQ(read->root, "/ns");
  struct stat found {};
  ASSERT_EQ(::stat((folder / "handle").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  file->remove();
  EXPECT_NE(::stat((folder / "handle").c_str(), &found), 0) << "nothing of it is left";
  auto next = HandleFile::open(folder / "handle");
  ASSERT_TRUE(next) << "whoever comes next has a file of his own";
  EXPECT_FALSE(next->read());
  folder.write("handle", "session 1f\npassword 12\n");
  EXPECT_FALSE(next->read()) << "half a handle is none";
}

TEST(TheHandleFile, ThoseOfDaemonsLongDeadAreRemovedAndNobodyElses) {
  TempFolder folder;
  const auto write = [&](const std::string& name, bool old) {
    folder.write(name, "x");
    const timespec at{std::time(nullptr) - (old ? 25 * 3600 : 3600), 0};
    const timespec times[] = {at, at};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
  };
  for (const char* name : {"store-ns-a.session", "store-ns-b.session", "store-other-a.session"}) write(name, true);
  write("store-ns-young.session", false);
  write("history.db", true);
  const auto lives = HandleFile::open(folder / "store-ns-b.session");
  HandleFile::remove_old(folder.path(), "store-ns-");
  const auto exists = [&](const char* name) { return ::access((folder / name).c_str(), F_OK) == 0; };
  EXPECT_FALSE(exists("store-ns-a.session"));
  EXPECT_TRUE(exists("store-ns-b.session")) << "its daemon lives";
  EXPECT_TRUE(exists("store-ns-young.session"));
  EXPECT_TRUE(exists("store-other-a.session"));
  EXPECT_TRUE(exists("history.db"));
}

class Lines final : public Host {
 public:
  void post(BackendEvent) noexcept override {}
  void log(Level, std::string_view text) noexcept override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

SessionRequest request_of(const std::string& node) {
  SessionRequest request;
  request.generation = 1;
  request.node = node;
  request.boot_id = "boot";
  request.machine_id = "machine";
  return request;
}

Handle handle_of(const std::string& root) {
  return {"1f", "secret", "a", "boot", "machine", "host", 7, "x:1", root, false};
}

TEST(TheHandleStore, HandsASessionThatWasLeftToTheNextDaemonOfTheNode) {
  TempFolder folder;
  Lines host;
  const SessionRequest request = request_of("a");
  {
    HandleStore first(folder.path(), "store-ns-", "/ns", host);
    const auto before = first.take(request);
    ASSERT_TRUE(before);
    EXPECT_FALSE(*before) << "there was none";
    first.keep(handle_of("/ns"));
    HandleStore second(folder.path(), "store-ns-", "/ns", host);
    const auto refused = second.take(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict) << "its daemon lives";
    EXPECT_TRUE(second.take(request_of("b")));
    first.leave(Rest::uncertain, handle_of("/ns"));
    first.release();
    const auto left = second.take(request);
    ASSERT_TRUE(left && *left);
    EXPECT_TRUE((*left)->over);
    second.leave(Rest::nothing, **left);
  }
  HandleStore next(folder.path(), "store-ns-", "/ns", host);
  EXPECT_FALSE(*next.take(request)) << "nothing is left of it";
}

TEST(TheHandleStore, GoesOnWithNothingOfAnotherPlaceOrBoot) {
  TempFolder folder;
  Lines host;
  const auto finds = [&](const SessionRequest& request, const std::string& root) {
    HandleStore store(folder.path(), "store-ns-", root, host);
    const auto before = store.take(request);
    return before && *before;
  };
  {
    HandleStore store(folder.path(), "store-ns-", "/ns", host);
    ASSERT_TRUE(store.take(request_of("a")));
    store.keep(handle_of("/ns"));
  }
  EXPECT_TRUE(finds(request_of("a"), "/ns"));
  EXPECT_FALSE(finds(request_of("a"), "/other"));
  SessionRequest after_a_boot = request_of("a");
  after_a_boot.boot_id = "next";
  EXPECT_FALSE(finds(after_a_boot, "/ns"));
  SessionRequest anew = request_of("a");
  anew.anew = true;
  EXPECT_FALSE(finds(anew, "/ns"));
}

TEST(TheHandleStore, RemembersWithoutAFileWhatThisProcessLeft) {
  Lines host;
  HandleStore store("/nowhere/at/all", "store-ns-", "/ns", host);
  ASSERT_TRUE(store.take(request_of("a")));
  EXPECT_EQ(host.lines.size(), 1u) << "it says so";
  store.leave(Rest::kept, handle_of("/ns"));
  const auto before = store.take(request_of("a"));
  ASSERT_TRUE(before && *before);
  EXPECT_EQ((*before)->session, "1f");
}

TEST(ASecret, IsReadOnlyWhereNobodyElseCouldReadOrChangeIt) {
  TempFolder folder;
  const std::string path = folder.write("token", "secret\r\nmore\n");
  const auto read = [&](mode_t mode, mode_t of_folder = 0700) {
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(::chmod(folder.path().c_str(), of_folder), 0);
    const auto found = read_secret(path);
    return found ? *found : found.error().what;
  };
  EXPECT_EQ(read(0600), "secret");
  EXPECT_EQ(read(0600, 01777), "secret") << "in a sticky folder it can be nobody else's";
  EXPECT_NE(read(0640).find("is open to others (mode 0640)"), std::string::npos) << read(0640);
  EXPECT_NE(read(0600, 0777).find("is writable by others (mode 0777)"), std::string::npos) << read(0600, 0777);
  folder.write("token", "\n");
  EXPECT_NE(read(0600).find("is empty"), std::string::npos) << read(0600);
}

}  // namespace
}  // namespace ballot::support
