// What a child gets to know, of the files that its job names too.
#include "io/child_environment.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "support/temp_folder.hpp"

namespace ballot::io {
namespace {

class AnEnvironment : public ::testing::Test {
 protected:
  AnEnvironment() { ::chmod(folder_.path().c_str(), 0755); }

  Result<std::vector<std::string>> made(const std::string& credentials = "") {
    Job job;
    job.name = "job";
    job.details = Defaulted<JobDetails>(JobDetails(details_));
    core::Launch launch;
    launch.id.attempt = 1;
    launch.fence = fence_;
    launch.trigger = trigger_;
    if (!env_.empty()) launch.variables.edit().env = env_;
    launch.definition = std::make_shared<schedule::Definition>(
        std::move(job), std::get<schedule::Plan>(schedule::Plan::make({})), "digest");
    return child_environment(launch, {"somebody", "/home/somebody", 1000, 1000, {}}, "node", WallTime{}, credentials);
  }
  /// NAME's value; "none" where it is not set.
  std::string value(const std::string& name, const std::string& credentials = "") {
    const auto all = made(credentials);
    EXPECT_TRUE(all) << (all ? "" : all.error().what);
    if (!all) return "none";
    for (const std::string& entry : *all)
      if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
    return "none";
  }
  std::string fault(const std::string& credentials = "") {
    const auto all = made(credentials);
    return all ? "none" : all.error().what;
  }
  std::string secret(const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_.write("secret", text);
    ::chmod(path.c_str(), mode);
    return path;
  }

  const TempFolder folder_;
  JobDetails details_;
  std::uint64_t fence_ = 9;
  Trigger trigger_ = Trigger::schedule;
  std::string env_;
};

TEST_F(AnEnvironment, IsTheFixedSetTheJobsOwnAndNothingElse) {
  ::setenv("SECRET_OF_THE_DAEMON", "1", 1);
  details_.env = {{"A", "1"}};
  const auto all = made();
  ASSERT_TRUE(all);
  std::vector<std::string> names;
  for (const std::string& entry : *all) names.push_back(entry.substr(0, entry.find('=')));
  EXPECT_EQ(names, (std::vector<std::string>{"A", "BALLOT_ATTEMPT", "BALLOT_EPOCH", "BALLOT_FENCE", "BALLOT_GROUP",
                                             "BALLOT_IDEMPOTENCY_KEY", "BALLOT_JOB", "BALLOT_NODE", "BALLOT_RUN_ID",
                                             "BALLOT_SLOT", "BALLOT_TRIGGER", "HOME", "LANG", "LOGNAME", "PATH",
                                             "SHELL", "TZ", "USER"}));
}

TEST_F(AnEnvironment, SaysWhereTheRunHasNoClaim) {
  EXPECT_EQ(value("BALLOT_FENCE"), "9");
  EXPECT_EQ(value("BALLOT_UNCLAIMED"), "none");
  fence_ = 0;
  EXPECT_EQ(value("BALLOT_FENCE"), "none");
  EXPECT_EQ(value("BALLOT_UNCLAIMED"), "1");
}

TEST_F(AnEnvironment, TakesTheEnvFileThenEnvThenSecrets) {
  details_.env_file = folder_.write("env", "PATH=/opt/bin\nA=file\nB=file\nC=file\n");
  details_.env = {{"B", "env"}, {"C", "env"}};
  details_.secrets = {{"C", secret("hidden\n")}};
  EXPECT_EQ(value("PATH"), "/opt/bin");
  EXPECT_EQ(value("A"), "file");
  EXPECT_EQ(value("B"), "env");
  EXPECT_EQ(value("C"), "hidden");
}

TEST_F(AnEnvironment, TakesWhatATriggerGivesLast) {
  details_.env = {{"DAY", "today"}, {"OTHER", "1"}};
  details_.trigger_env = {"DAY", "NOTE"};
  env_ = "DAY=2026-01-01 NOTE=two%20words%0A";
  EXPECT_EQ(value("DAY"), "2026-01-01");
  EXPECT_EQ(value("NOTE"), "two words\n");
  EXPECT_EQ(value("OTHER"), "1");
  env_.clear();
  EXPECT_EQ(value("DAY"), "today");
  EXPECT_EQ(value("NOTE"), "none");
}

/// Whoever can write to the store can write them.
TEST_F(AnEnvironment, TakesNothingOfATriggerThatTheFileDoesNotAllow) {
  details_.trigger_env = {"DAY", "LD_PRELOAD"};
  env_ = "DAY=1 PATH=/tmp";
  EXPECT_EQ(fault(), "env: its trigger has set PATH, and the job's trigger_env does not allow that");
  env_ = "LD_PRELOAD=/tmp/x.so";
  EXPECT_NE(fault(), "none");
  env_ = "DAY";
  EXPECT_EQ(fault(), "env: the variables of its trigger cannot be read");
}

TEST_F(AnEnvironment, OfARunOfATriggeredChainHasTheRunAsItsKey) {
  trigger_ = Trigger::chain;
  EXPECT_EQ(value("BALLOT_TRIGGER"), "chain");
  EXPECT_EQ(value("BALLOT_IDEMPOTENCY_KEY"), "job@00000000-0000-0000-0000-000000000000");
}

TEST_F(AnEnvironment, CutsOneEndOfLineOfASecret) {
  details_.secrets = {{"S", secret("two\nlines\n\n")}};
  EXPECT_EQ(value("S"), "two\nlines\n");
  secret("");
  EXPECT_EQ(value("S"), "");
}

TEST_F(AnEnvironment, FindsSecretsInTheCredentialsFolder) {
  secret("from systemd");
  details_.secrets = {{"S", "secret"}};
  EXPECT_EQ(value("S", folder_.path()), "from systemd");
  EXPECT_EQ(fault(), "secret S (secret): the daemon has no $CREDENTIALS_DIRECTORY");
}

TEST_F(AnEnvironment, NamesTheFileThatIsMissing) {
  details_.env_file = folder_ / "none";
  EXPECT_EQ(fault(), "env_file " + (folder_ / "none") + ": No such file or directory");
  details_.env_file.clear();
  details_.secrets = {{"S", folder_ / "none"}};
  EXPECT_EQ(fault(), "secret S (" + (folder_ / "none") + "): No such file or directory");
}

TEST_F(AnEnvironment, TrustsNoSecretThatOthersMayRead) {
  for (const mode_t mode : {0640u, 0604u, 0660u, 0644u, 0611u}) {
    details_.secrets = {{"S", secret("hunter2", mode)}};
    EXPECT_NE(fault().find("others"), std::string::npos) << fault();
    EXPECT_EQ(fault().find("hunter2"), std::string::npos) << fault();
  }
  secret("hunter2", 0400);
  EXPECT_EQ(value("S"), "hunter2");
}

TEST_F(AnEnvironment, TrustsNoFileThatOthersMayWriteOrPutInTheWay) {
  details_.env_file = folder_.write("env", "A=hunter2\n");
  EXPECT_EQ(value("A"), "hunter2") << "everybody may read it";
  ::chmod((folder_ / "env").c_str(), 0664);
  EXPECT_NE(fault().find("is writable by others (mode 0664)"), std::string::npos) << fault();
  ::chmod((folder_ / "env").c_str(), 0644);
  ::chmod(folder_.path().c_str(), 0777);
  EXPECT_NE(fault().find(folder_.path() + " is writable by others"), std::string::npos) << fault();
  ::chmod(folder_.path().c_str(), 0755);
  std::filesystem::create_symlink("env", folder_ / "link");
  details_.env_file = folder_ / "link";
  EXPECT_EQ(fault(), "env_file " + (folder_ / "link") + ": is a link");
  if (::geteuid() != 0) return;
  details_.env_file = folder_ / "env";
  ASSERT_EQ(::chown((folder_ / "env").c_str(), 65534, 65534), 0);
  EXPECT_NE(fault().find("belongs to user 65534"), std::string::npos) << fault();
}

TEST_F(AnEnvironment, WaitsForNoFileAndReadsNoLargeOne) {
  details_.env_file = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(details_.env_file.c_str(), 0600), 0);
  EXPECT_EQ(fault(), "env_file " + (folder_ / "fifo") + ": is no regular file");
  details_.env_file = folder_.write("large", std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(fault(), "env_file " + (folder_ / "large") + ": is larger than 1 MiB");
  details_.env_file = folder_.path();
  EXPECT_EQ(fault(), "env_file " + folder_.path() + ": is no regular file");
}

TEST_F(AnEnvironment, SaysWhatIsWrongInAFileAndNotWhatIsInIt) {
  details_.env_file = folder_.write("env", "A=1\nhunter2\n");
  EXPECT_EQ(fault(), "env_file " + (folder_ / "env") + ": line 2 is no NAME=VALUE");
  details_.env_file.clear();
  details_.secrets = {{"S", secret(std::string("hunter\0two", 10))}};
  EXPECT_EQ(fault(), "secret S (" + (folder_ / "secret") + "): contains a NUL byte");
}

}  // namespace
}  // namespace ballot::io
