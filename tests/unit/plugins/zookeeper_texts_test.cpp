// What the plugin zookeeper reads and writes, without a server: its settings, its paths, its sessions as text.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "support/temp_folder.hpp"
#include "zookeeper/client_id.hpp"
#include "zookeeper/paths.hpp"
#include "zookeeper/settings.hpp"

namespace ballot::zookeeper {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

std::string problem(const std::string& key, OptionValue value) {
  const auto problems = check_options({{key, std::move(value)}}, table_keys);
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
  for (const char* wrong :
       {"", "a:", "a:x", "a:0", "a:65536", ":1", "a b", "a,,b", "::1", "a:1:2", "[]:1", "[::1]a:1", "[::1"})
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
  EXPECT_EQ(paths.session("a", 0x1f), "/of/many/ns/m/a/1f");
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

TEST(ZookeeperClientId, IsReadAsItWasWritten) {
  support::Handle handle;
  put_client_id({0x1000abcd, {1, 2, -3}}, handle);
  EXPECT_EQ(handle.session, "1000abcd");
  EXPECT_EQ(handle.secret, "0102fd00000000000000000000000000");
  const auto read = client_id_of(handle);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->client_id, 0x1000abcd);
  EXPECT_EQ(read->passwd[2], -3);
  put_client_id({-2, {}}, handle = {});
  EXPECT_EQ(client_id_of(handle)->client_id, -2);
  EXPECT_FALSE(client_id_of({"zz", handle.secret})) << "half a session is none";
  EXPECT_FALSE(client_id_of({"1f", "12"}));
  EXPECT_FALSE(client_id_of({"", handle.secret}));
  put_client_id({}, handle = {});
  EXPECT_EQ(handle.session, "") << "there was none yet";
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
