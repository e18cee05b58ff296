// What a job is expected to keep, with a real daemon: each hook once, with what it is given; what is shown of it; and
// runs that are slow by what is usual.
#include <gtest/gtest.h>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct ExpectedByAJob : ::testing::Test {
  ~ExpectedByAJob() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  std::string at(const std::string& name) const { return daemon.folder / name; }
  std::string hook(const std::string& key) const {
    return "\n" + key + " = [\"/bin/sh\", \"-c\", '''{ env; echo END; } >> " + at(key) + "''']\n";
  }
  void lead() {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  /// What the hook was given, once it was.
  std::string given(const std::string& key) const {
    EXPECT_TRUE(wait_until([&] { return text_of(at(key)).ends_with("END\n"); })) << key;
    return "\n" + text_of(at(key));
  }
  std::size_t times(const std::string& key) const {
    const std::string text = text_of(at(key));
    std::size_t count = 0;
    for (std::size_t from = 0; (from = text.find("END\n", from)) != std::string::npos; ++from) ++count;
    return count;
  }
  bool shows(const std::vector<std::string>& command, const std::string& part) {
    return wait_until([&] { return daemon.ballot(command).out.find(part) != std::string::npos; });
  }

  BallotDaemon daemon;
};

TEST_F(ExpectedByAJob, ARunThatTakesLongerIsToldOfOnceAndGoesOn) {
  daemon.job("job", "shell = \"while test ! -e " + at("end") + "; do sleep 0.05; done\"\nexpect_within = \"300ms\"" +
                        hook("on_slow"));
  lead();
  EXPECT_EQ(daemon.ballot({"trigger", "job"}).code, 0);
  const std::string text = given("on_slow");
  for (const char* line : {"\nBALLOT_EXPECTED=300ms\n", "\nBALLOT_STATUS=running\n", "\nBALLOT_JOB=job\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_NE(text.find("\nBALLOT_RUN_ID="), std::string::npos) << text;
  EXPECT_TRUE(shows({"jobs"}, "slow"));
  EXPECT_TRUE(shows({"jobs", "--format", "json"}, R"("slow":"yes")"));
  EXPECT_TRUE(shows({"show", "job"}, "runs of at most 300ms"));
  EXPECT_TRUE(shows({"status"}, "job job has a run that takes longer than expected"));
  daemon.kill();
  lead();
  daemon.folder.write("end", "");
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"jobs"}).out.find("slow") == std::string::npos; }));
  ASSERT_EQ(daemon.stop(), 0) << "a stop waits for what is to be sent";
  EXPECT_EQ(times("on_slow"), 1u) << "also over a restart";
}

TEST_F(ExpectedByAJob, NoSuccessInTimeIsToldOnceAndASuccessIsARecovery) {
  daemon.job("job", "schedule = \"* * * * * *\"\nshell = \"test -e " + at("good") + "\"\nexpect_success = \"2s\"" +
                        hook("on_overdue") + hook("on_recovery"));
  lead();
  const std::string text = given("on_overdue");
  EXPECT_NE(text.find("\nBALLOT_EXPECTED=2s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nBALLOT_LAST_SUCCESS=\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("\nBALLOT_RUN_ID="), std::string::npos) << text;
  EXPECT_EQ(text.find("\nBALLOT_SLOT="), std::string::npos) << text;
  EXPECT_TRUE(shows({"jobs"}, "overdue"));
  EXPECT_TRUE(shows({"jobs", "--format", "csv"}, "overdue_since"));
  EXPECT_TRUE(shows({"show", "job"}, "overdue"));
  EXPECT_TRUE(shows({"status"}, "job job is overdue since "));
  ASSERT_EQ(daemon.stop(), 0);
  lead();
  EXPECT_TRUE(shows({"jobs"}, "overdue")) << "the next daemon knows";
  daemon.folder.write("good", "");
  given("on_recovery");
  EXPECT_TRUE(wait_until([&] { return daemon.ballot({"jobs"}).out.find("overdue") == std::string::npos; }));
  ASSERT_EQ(daemon.stop(), 0);
  EXPECT_EQ(times("on_overdue"), 1u);
  EXPECT_EQ(times("on_recovery"), 1u);
}

TEST_F(ExpectedByAJob, ASlotThatBeginsLateIsToldOf) {
  daemon.job("job", "schedule = \"*/2 * * * * *\"\nconcurrency = \"queue\"\nshell = \"mkdir " + at("first") +
                        " 2>/dev/null && sleep 3.5 || true\"\nlate_after = \"1s\"" + hook("on_late"));
  lead();
  const std::string text = given("on_late");
  EXPECT_NE(text.find("\nBALLOT_EXPECTED=1s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nBALLOT_SLOT="), std::string::npos) << text;
  EXPECT_NE(text.find("\nBALLOT_RUN_ID="), std::string::npos) << text;
  ASSERT_TRUE(daemon.wait_for("late: its slot began later than expected")) << daemon.log;
  const std::size_t from = text.find("\nBALLOT_RUN_ID=") + 15;
  const std::string run = text.substr(from, text.find('\n', from) - from);
  EXPECT_TRUE(shows({"why", run}, "(late_after)"));
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(ExpectedByAJob, NothingIsSlowOfWhichTooFewRunsAreKnownAndWhatTakesLongerThanOthersIs) {
  daemon.job("job", "shell = \"test ! -e " + at("long") + " || sleep 1.3\"");
  lead();
  const auto run = [&] { ASSERT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0); };
  for (int i = 0; i < 20; ++i) run();
  daemon.folder.write("long", "");
  run();
  ASSERT_TRUE(wait_until([&] { return daemon.ballot({"slow"}).out.find("job") != std::string::npos; }))
      << daemon.ballot({"slow"}).err;
  const Ran slow = daemon.ballot({"slow", "job", "--format", "csv"});
  EXPECT_EQ(slow.code, 0);
  EXPECT_TRUE(
      slow.out.starts_with("job,slot,status,duration_ms,percentile_ms,usual_ms,node,run_id,attempt,successes\n"))
      << slow.out;
  EXPECT_EQ(std::count(slow.out.begin(), slow.out.end(), '\n'), 2) << slow.out;
  EXPECT_EQ(daemon.ballot({"slow", "--since", "2099-01-01T00:00:00Z", "--format", "csv"}).out.find("job,slot"), 0u);
  EXPECT_NE(daemon.ballot({"slow", "none"}).code, 0);
  EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace ballot::testing
