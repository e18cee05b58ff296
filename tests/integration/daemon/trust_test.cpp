// What the daemon does not believe: files and folders that others could have written, requests that make no sense,
// registers that no node wrote. Real processes.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "io/control_client.hpp"
#include "storage/database.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Trust, AConfigurationThatOthersMayWriteIsRefusedBeforeAnythingOfItIsRun) {
  BallotDaemon daemon;
  const std::string file = daemon.folder / "ballot.toml", touched = daemon.folder / "touched";
  daemon.configure("[group.default]\non_promote = [\"/usr/bin/touch\", \"" + touched + "\"]\n");
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  daemon.start();
  EXPECT_EQ(daemon.wait(), 78);
  EXPECT_TRUE(contains(daemon.log, "the configuration is not used: " + file)) << daemon.log;
  EXPECT_TRUE(contains(daemon.log, "is writable by others (mode 0666)")) << daemon.log;
  EXPECT_FALSE(std::filesystem::exists(touched));
  EXPECT_EQ(daemon.ballot({"jobs"}).code, 78) << "commands do not ask the socket that it names";
  EXPECT_EQ(daemon.ballot({"check"}).code, 78);
  EXPECT_EQ(daemon.ballot({"check", file}).code, 0) << "a file that is named is checked, wherever it lies";
}

TEST(Trust, AConfigurationInAFolderThatOthersMayWriteIsRefused) {
  BallotDaemon daemon;
  ASSERT_EQ(::chmod(daemon.folder.path().c_str(), 0777), 0);
  daemon.start();
  EXPECT_EQ(daemon.wait(), 78);
  EXPECT_TRUE(contains(daemon.log, "is writable by others (mode 0777)")) << daemon.log;
}

TEST(Trust, FoldersThatOthersMayWriteAreRefused) {
  for (const char* name : {"state", "run"}) {
    BallotDaemon daemon;
    const std::string folder = daemon.folder / name;
    std::filesystem::create_directory(folder);
    ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
    daemon.start();
    EXPECT_EQ(daemon.wait(), 78) << name;
    EXPECT_TRUE(contains(daemon.log, "the folder " + folder + " is not used")) << daemon.log;
    EXPECT_EQ(std::filesystem::exists(daemon.folder / "state"), std::string(name) == "state") << "nothing was made";
  }
}

TEST(Trust, FoldersOfAnotherUserAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  for (const char* name : {"state", "run"}) {
    BallotDaemon daemon;
    const std::string folder = daemon.folder / name;
    std::filesystem::create_directory(folder);
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    daemon.start();
    EXPECT_EQ(daemon.wait(), 78) << name;
    EXPECT_TRUE(contains(daemon.log, "belongs to user 65534")) << daemon.log;
  }
}

TEST(Trust, NothingThatItMakesIsForOthersToWriteWhateverItsUmask) {
  BallotDaemon daemon;
  const mode_t before = ::umask(0);
  daemon.start();
  ::umask(before);
  ASSERT_TRUE(daemon.wait_for("serves")) << daemon.log;
  EXPECT_EQ(mode_of(daemon.folder / "state"), 0750u);
  EXPECT_EQ(mode_of(daemon.folder / "run"), 0755u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(daemon.folder / "state"))
    EXPECT_EQ(mode_of(entry.path()) & 022, 0u) << entry.path();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(daemon.folder / "run"))
    if (!entry.is_socket()) {
      EXPECT_EQ(mode_of(entry.path()) & 022, 0u) << entry.path();
    }
  EXPECT_EQ(daemon.stop(), 0);
}

// ---- the socket

struct Socket : ::testing::Test {
  BallotDaemon daemon;
  std::string run;

  void SetUp() override {
    daemon.job(
        "long",
        "shell = \"trap '' TERM; echo deaf; while :; do sleep 1; done\"\nlog_output = true\nkill_grace = \"1m\"");
    daemon.configure("[control]\noperators = \"games\"");
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
    run = daemon.ballot({"trigger", "long"}).out.substr(0, 36);
    ASSERT_TRUE(RunId::parse(run)) << run;
    ASSERT_TRUE(daemon.wait_for("deaf")) << daemon.log;
  }
  /// A line over the socket, as it is; the error that answers it.
  Errc refused(const std::string& line) const {
    const auto message = io::decode(line);
    if (!message) return Errc::corrupt;
    const auto answer = io::ask_once(daemon.folder / "run/ballot.sock", *message, std::chrono::seconds(10));
    EXPECT_FALSE(answer) << line;
    return answer ? Errc::io : answer.error().code;
  }
};

TEST_F(Socket, RequestsThatMakeNoSenseAreRefusedAndEndNothing) {
  const std::string id = "00000000-0000-7000-8000-000000000000";
  for (const std::string line : {
           "{}",
           "{\"do\":\"\"}",
           "{\"do\":5}",
           "{\"do\":\"kill\"}",
           "{\"do\":\"kill\",\"run\":\"\"}",
           "{\"do\":\"kill\",\"run\":\"1\"}",
           "{\"do\":\"kill\",\"run\":\"%%%%%%%\"}",
           "{\"do\":\"kill\",\"group\":\"default\"}",
           "{\"do\":\"kill\",\"job\":\"long\",\"run\":\"00000000-0000-7000-8000-000000000000\"}",
           "{\"do\":\"forget\"}",
           "{\"do\":\"forget\",\"job\":\"long\"}",
           "{\"do\":\"trigger\"}",
           "{\"do\":\"trigger\",\"job\":\"\"}",
           "{\"do\":\"trigger\",\"job\":\"../x\"}",
           "{\"do\":\"trigger\",\"group\":\"default\"}",
           "{\"do\":\"trigger\",\"job\":\"a\\nb\"}",
           "{\"do\":\"trigger\",\"job\":\"long\",\"timeout_ms\":0}",
           "{\"do\":\"trigger\",\"job\":\"long\",\"timeout_ms\":-1}",
           "{\"do\":\"trigger\",\"job\":\"long\",\"timeout_ms\":3600001}",
           "{\"do\":\"trigger\",\"job\":\"long\",\"timeout_ms\":9223372036854775807}",
           "{\"do\":\"pause\"}",
           "{\"do\":\"pause\",\"job\":\"long\",\"group\":\"default\"}",
           "{\"do\":\"resume\"}",
           "{\"do\":\"repair\"}",
           "{\"do\":\"evict\"}",
           "{\"do\":\"evict\",\"job\":\"long\"}",
           "{\"do\":\"release\",\"job\":\"long\",\"group\":\"default\"}",
           "{\"do\":\"replace\",\"job\":\"long\",\"run\":\"00000000-0000-7000-8000-000000000000\"}",
       })
    EXPECT_EQ(refused(line), Errc::invalid) << line;
  EXPECT_EQ(refused("{\"do\":\"trigger\",\"job\":\"" + std::string(100'000, 'x') + "\"}"), Errc::invalid);
  EXPECT_EQ(daemon.rows("long").at(0).status, Status::running);
  EXPECT_EQ(daemon.ballot({"status"}).code, 0);
}

/// What has been asked stays in the store as long as its asker would have waited.
TEST_F(Socket, AUserHasOnlySoManyRequestsUnderWay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  ASSERT_EQ(::chmod(daemon.folder.path().c_str(), 0755), 0);
  const gid_t operators = ::getgrnam("games")->gr_gid;
  const pid_t other = ::fork();
  if (other == 0) {
    int refusals = 0;
    if (::setgroups(1, &operators) != 0 || ::setresgid(65534, 65534, 65534) != 0 ||
        ::setresuid(65534, 65534, 65534) != 0)
      ::_exit(100);
    for (int i = 0; i < 40; ++i) {
      io::Message request;
      request.set("do", "kill").set("run", run).set("timeout_ms", std::int64_t{60'000});
      auto client = io::ControlClient::ask(daemon.folder / "run/ballot.sock", request);
      const auto line = client ? client->next(Millis(50)) : Error{};
      if (!line && line.error().code == Errc::unavailable) ++refusals;
    }
    ::_exit(refusals);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 40 - 16) << "the others wait for the run to end";
  EXPECT_EQ(daemon.ballot({"pause", "long"}).code, 0) << "root gets through";
}

// ---- the store

TEST(Store, ARegisterThatNoNodeWroteHaltsItsJobAloneAndARepairBringsItBack) {
  BallotDaemon daemon;
  daemon.job("victim", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.job("other", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 4)) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  {
    storage::Database registers(daemon.folder / "state/local/ballot/registers.db", storage::Open::write);
    registers.run(
        "UPDATE register SET value = replace(value, char(10) || 'fence ', char(10) || 'fence 99999999999999999999'),"
        " version = version + 1 WHERE name = 'j/victim'");
  }
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("job halted: the register is unreadable")) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << "the other job runs\n" << daemon.log;
  EXPECT_TRUE(contains(daemon.ballot({"jobs"}).out, "halted"));
  const Ran repaired = daemon.ballot({"repair", "victim"});
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  const std::size_t before = daemon.rows("victim").size();
  ASSERT_TRUE(daemon.wait_for("succeeded", 6)) << daemon.log;
  EXPECT_GT(daemon.rows("victim").size(), before);
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(ElectionList, ReadsNoNameThatIsTooLongForAPattern) {
  BallotDaemon daemon;
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("session open")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
  {
    storage::Database registers(daemon.folder / "state/local/ballot/registers.db", storage::Open::write);
    for (const char* name : {"printf('%.*c', 200000, 'x')", "'short'", "char(27) || '[2J' || char(10) || 'x'"})
      registers.run(("INSERT INTO term (name, epoch, session, node, boot_id, elected_at, ended, ended_at) VALUES (" +
                     std::string(name) + ", 1, 1, char(27) || '[2J', 'b', -9223372036854775807, 0, 0)")
                        .c_str());
  }
  const Ran listed = daemon.ballot({"election", "list", "(x|s)*(hort|y|$)"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_TRUE(contains(listed.out, "short")) << listed.out;
  EXPECT_FALSE(contains(listed.out, "\033")) << "it moves no cursor";
  EXPECT_LT(listed.out.size(), 10'000u);
  EXPECT_NE(daemon.ballot({"election", "list", std::string(2000, '(')}).code, 0);
  for (const char* format : {"yaml", "json"}) {
    const Ran info = daemon.ballot({"info", "--format", format});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_FALSE(contains(info.out, "\033")) << format;
  }
}

}  // namespace
}  // namespace ballot::testing
