// What the plugin zookeeper reads and writes, without a server: its settings, its paths, its texts, its handle file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <limits>

#include "support/temp_folder.hpp"
#include "zookeeper/handle_file.hpp"
#include "zookeeper/paths.hpp"
#include "zookeeper/settings.hpp"
#include "zookeeper/texts.hpp"

namespace ballot::zookeeper {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

std::string problem(const std::string& key, OptionValue value) {
  const auto problems = check_options({{key, std::move(value)}});
  return problems.empty() ? "" : problems.at(0).text;
}

TEST(ZookeeperSettings, ServersAreAListOrATextWithPortsAndAPathAtWill) {
  const auto read = [](OptionValue value) { return read_settings({{"servers", std::move(value)}}); };
  EXPECT_EQ(read(std::string("a")).servers, "a:2181");
  EXPECT_EQ(read(std::string("a,b:2182")).servers, "a:2181,b:2182");
  EXPECT_EQ(read(Texts{"a", "b:1", "[::1]:3", "[::1]"}).servers, "a:2181,b:1,[::1]:3,[::1]:2181");
  EXPECT_EQ(read(Texts{"a", "b"}).chroot, "");
  EXPECT_EQ(read(Texts{"a", "b/one/two/"}).chroot, "/one/two");
  EXPECT_EQ(read(Texts{"a/one", "b/one"}).servers, "a:2181,b:2181");
  EXPECT_EQ(read(std::string("a,b/one")).chroot, "/one");
  EXPECT_EQ(read_settings({}).servers, "127.0.0.1:2181");
}

TEST(ZookeeperSettings, WrongServersAreNamed) {
  for (const char* wrong : {"", "a:", "a:x", "a:0", "a:65536", ":1", "a b", "a,,b", "::1", "a:1:2"})
    EXPECT_NE(problem("servers", std::string(wrong)), "") << "'" << wrong << "'";
  EXPECT_NE(problem("servers", Texts{}), "");
  EXPECT_NE(problem("servers", std::int64_t{2181}), "");
  EXPECT_NE(problem("servers", std::string("a/one//two")), "");
  EXPECT_NE(problem("servers", std::string("a/..")), "");
  EXPECT_NE(problem("servers", Texts{"a/one", "b/two"}).find("two paths"), std::string::npos);
  EXPECT_EQ(problem("servers", std::string("a:x")), "servers: 'a:x' is no server: write host or host:port");
}

TEST(ZookeeperSettings, AuthNamesAUserAndTheFileOfItsPassword) {
  TempFolder folder;
  const std::string file = folder.write("password", "secret\nmore\n");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(problem("auth", "digest:ballot:" + file), "");
  for (const char* wrong : {"", "ballot", "digest:ballot", "digest::/file", "digest:ballot:", "digest:ballot:file"})
    EXPECT_NE(problem("auth", std::string(wrong)), "") << wrong;
  EXPECT_EQ(*credentials_of(read_settings({{"auth", "digest:ballot:" + file}})), "ballot:secret");
  const auto missing = credentials_of(read_settings({{"auth", std::string("digest:ballot:/nowhere")}}));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("/nowhere"), std::string::npos);
}

TEST(ZookeeperSettings, UnknownKeysAreNamedWithTheAllowedOnes) {
  EXPECT_EQ(problem("server", std::string("a")), "unknown key 'server'; allowed: servers, auth, tick");
  EXPECT_EQ(problem("tick", std::string("2s")), "");
  EXPECT_EQ(problem("tick", std::string("200ms")), "");
  for (const char* wrong : {"2", "0s", "-1s", "61s", "s", "2m", ""})
    EXPECT_NE(problem("tick", std::string(wrong)).find("tick must be the servers' tickTime"), std::string::npos)
        << wrong;
}

TEST(ZookeeperPaths, AreShortAndLeadBack) {
  const Paths paths("/of/many", "ns");
  EXPECT_EQ(paths.folders(),
            (Texts{"/of", "/of/many", "/of/many/ns", "/of/many/ns/e", "/of/many/ns/m", "/of/many/ns/r"}));
  EXPECT_EQ(Paths("", "ns").folders().front(), "/ns");
  EXPECT_EQ(paths.candidate("g", "1f-0000000001"), "/of/many/ns/e/g/1f-0000000001");
  EXPECT_EQ(paths.group_of("/of/many/ns/e/g/1f-0000000001"), "g");
  EXPECT_EQ(paths.group_of("/of/many/ns/e/g"), "");
  EXPECT_EQ(paths.standing("a", 0x1f), "/of/many/ns/m/a/1f");
  EXPECT_EQ(paths.of_register("j/backup"), "/of/many/ns/r/j/backup");
  EXPECT_EQ(paths.of_register("j/.."), "/of/many/ns/r/j/%..");
  EXPECT_EQ(Paths::unescaped("%.."), "..");
  char letter = 'x';
  EXPECT_TRUE(paths.watches_registers("/of/many/ns/r", letter));
  EXPECT_EQ(letter, '\0');
  EXPECT_TRUE(paths.watches_registers("/of/many/ns/r/q", letter));
  EXPECT_EQ(letter, 'q');
  EXPECT_FALSE(paths.watches_registers("/of/many/ns/e/g/x", letter));
}

TEST(ZookeeperPaths, APlaceInTheQueueIsItsNumberNotItsName) {
  EXPECT_EQ(parse_place("ff-0000000012")->session, "ff");
  EXPECT_EQ(parse_place("ff-0000000012")->sequence, 12);
  EXPECT_EQ(parse_place("ff--2147483648")->sequence, std::numeric_limits<std::int32_t>::min());
  for (const char* stranger : {"", "ff", "ff-", "-1", "ff-1x", "ff-99999999999"}) EXPECT_FALSE(parse_place(stranger));
  EXPECT_TRUE(before(1, 2));
  EXPECT_FALSE(before(2, 1));
  EXPECT_FALSE(before(2, 2));
  EXPECT_TRUE(before(std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()))
      << "the number has wrapped";
}

TEST(ZookeeperTexts, AreReadAsTheyWereWritten) {
  const MemberRecord member{"1f",       "a", "machine", "boot",         "host",       "0.1.0",
                            "/run/x y", 7,   6s,        SteadyTime(5s), WallTime(9s), true};
  const auto read = parse_member(format(member));
  ASSERT_TRUE(read);
  EXPECT_EQ(format(*read), format(member));
  EXPECT_EQ(read->control, "/run/x y");
  EXPECT_EQ(read->deadline, SteadyTime(5s));
  EXPECT_FALSE(parse_member(""));
  EXPECT_FALSE(parse_member("nonsense"));
  const TermRecord term{12, "1f", "a", "boot", false};
  EXPECT_EQ(format(parse_term(format(term))), format(term));
  const TermRecord later{12, "1f", "a", "boot", true, {{"b", "2e"}, {"c@g", "3d"}}};
  EXPECT_EQ(parse_term(format(later)).before, later.before);
  TermRecord many = later;
  for (int i = 0; i < 20; ++i) many.before.push_back({"n", std::to_string(i)});
  EXPECT_EQ(parse_term(format(many)).before.size(), TermRecord::most_before);
  EXPECT_EQ(parse_term(format(many)).before.back().session, "19") << "the latest";
  EXPECT_TRUE(parse_term("12 1f a boot open / x/ /y strange").before.empty());
  EXPECT_EQ(parse_term("").epoch, 0u);
  EXPECT_EQ(parse_term("x y").epoch, 0u);
  EXPECT_EQ(parse_candidate(format(CandidateText{"a", WallTime(9s)}))->since, WallTime(9s));
  for (const char* strange : {"", "a", "a ", " 1", "a/b 1", "a 1x", "{\"id\": 7}"})
    EXPECT_FALSE(parse_candidate(strange)) << strange;
}

/// A node's name becomes part of a path, and what a server refuses as one would fail whoever looks at the election.
TEST(ZookeeperTexts, OfOthersAreRefusedOrCanBeReckonedWith) {
  for (const std::string& strange :
       {std::string("a\033[2J 1"), std::string("a\0b 1", 5), std::string("a\x7f 1"), std::string("\xff 1"),
        std::string(". 1"), std::string(".. 1"), std::string(300, 'x') + " 1", std::string("a -1"),
        std::string("a 9223372036854775807")})
    EXPECT_FALSE(parse_candidate(strange)) << strange;
  for (const std::string number : {"-9223372036854775808", "9223372036854775807", "99999999999999999999", "x", ""}) {
    const auto read = parse_member("session 1f\npid " + number + "\ntimeout_ms " + number + "\ndeadline_ms " + number +
                                   "\nrenewed_ms " + number + "\n");
    ASSERT_TRUE(read);
    EXPECT_GE(read->pid, 0);
    EXPECT_LE(read->timeout, 24h);
    EXPECT_GE(read->timeout, 0s);
    const Millis most = std::chrono::hours(24 * 366 * 8100);
    EXPECT_LE(read->deadline.time_since_epoch(), most) << "a timeout can be added to it";
    EXPECT_LE(read->renewed.time_since_epoch(), most);
    EXPECT_GE(read->deadline.time_since_epoch(), 0s);
  }
}

TEST(ZookeeperHandleFile, IsLockedWhileItsDaemonLivesAndKeepsItsHandle) {
  TempFolder folder;
  Handle handle{{0x1000abcd, {1, 2, -3}}, "a", "boot", "machine", "host-1", 77, "x:1", "/ns", false};
  {
    auto file = HandleFile::open(folder / "handle");
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->read());
    ASSERT_TRUE(file->write(handle));
    const auto second = HandleFile::open(folder / "handle");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::conflict);
    EXPECT_NE(second.error().what.find("pid 77 on host-1"), std::string::npos) << second.error().what;
  }
  const auto file = HandleFile::open(folder / "handle");
  ASSERT_TRUE(file);
  const auto read = file->read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->session.client_id, 0x1000abcd);
  EXPECT_EQ(read->session.passwd[2], -3);
  EXPECT_EQ(read->root, "/ns");
  struct stat found {};
  ASSERT_EQ(::stat((folder / "handle").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  file->remove();
  EXPECT_NE(::stat((folder / "handle").c_str(), &found), 0) << "nothing of it is left";
  auto next = HandleFile::open(folder / "handle");
  ASSERT_TRUE(next) << "whoever comes next has a file of his own";
  EXPECT_FALSE(next->read());
  folder.write("handle", "session zz\npassword 12\nend 1\n");
  EXPECT_FALSE(next->read()) << "half a handle is none";
}

TEST(ZookeeperHandleFile, ThoseOfDaemonsLongDeadAreRemovedAndNobodyElses) {
  TempFolder folder;
  const auto write = [&](const std::string& name, bool old) {
    folder.write(name, "x");
    const timespec at{std::time(nullptr) - (old ? 25 * 3600 : 3600), 0};
    const timespec times[] = {at, at};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
  };
  for (const char* name : {"zookeeper-ns-a.session", "zookeeper-ns-b.session", "zookeeper-other-a.session"})
    write(name, true);
  write("zookeeper-ns-young.session", false);
  write("history.db", true);
  const auto lives = HandleFile::open(folder / "zookeeper-ns-b.session");
  HandleFile::remove_old(folder.path(), "zookeeper-ns-");
  const auto stands = [&](const char* name) { return ::access((folder / name).c_str(), F_OK) == 0; };
  EXPECT_FALSE(stands("zookeeper-ns-a.session"));
  EXPECT_TRUE(stands("zookeeper-ns-b.session")) << "its daemon lives";
  EXPECT_TRUE(stands("zookeeper-ns-young.session"));
  EXPECT_TRUE(stands("zookeeper-other-a.session"));
  EXPECT_TRUE(stands("history.db"));
}

TEST(ZookeeperSettings, ThePasswordsFileIsReadOnlyWhereNobodyElseCouldReadOrChangeIt) {
  TempFolder folder;
  const std::string path = folder.write("password", "secret\nmore\n");
  const auto read = [&](mode_t mode, mode_t of_folder = 0700) {
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(::chmod(folder.path().c_str(), of_folder), 0);
    const auto found = credentials_of(read_settings({{"auth", "digest:ballot:" + path}}));
    return found ? *found : found.error().what;
  };
  EXPECT_EQ(read(0600), "ballot:secret");
  EXPECT_NE(read(0640).find("is open to others (mode 0640)"), std::string::npos) << read(0640);
  EXPECT_NE(read(0602).find("is open to others"), std::string::npos);
  EXPECT_NE(read(0600, 0777).find("is writable by others (mode 0777)"), std::string::npos) << read(0600, 0777);
  EXPECT_EQ(::symlink(path.c_str(), (folder / "link").c_str()), 0);
  EXPECT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  EXPECT_FALSE(credentials_of(read_settings({{"auth", "digest:ballot:" + (folder / "link")}})));
}

}  // namespace
}  // namespace ballot::zookeeper
