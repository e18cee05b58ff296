// What the store remembers of a schedule while no daemon runs: the phase of @every, the last settled slot, open runs.
#include <gtest/gtest.h>

#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

class ScheduleMemory : public ::testing::Test {
 protected:
  ~ScheduleMemory() override {
    if (HasFailure()) std::cout << daemon.log;
  }

  void start(std::vector<std::string> environment = {}) {
    daemon.environment = std::move(environment);
    daemon.start({"--log-level", "debug"});
    ASSERT_TRUE(daemon.wait_for("leads")) << daemon.log;
  }
  /// A column of `ballot jobs`; "" where it is absent.
  std::string of_job(const std::string& job, const std::string& field) const {
    const std::string text = daemon.ballot({"jobs", job, "--format", "json"}).out;
    const std::string key = "\"" + field + "\":\"";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return "";
    return text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
  }
  void expect_next(const std::string& slot) {
    EXPECT_TRUE(wait_until([&] { return of_job("every", "next_slot") == slot; }, std::chrono::seconds(10)))
        << of_job("every", "next_slot") << " and not " << slot;
  }
  /// Writes the job; returns once it is in force.
  void edit(const std::string& keys) {
    daemon.job("every", keys + "\ncommand = [\"/bin/true\"]");
    ASSERT_TRUE(daemon.wait_for("job changed")) << daemon.log;
  }
  /// An anchor is a whole second.
  static void let_a_second_begin() {
    const auto second = [] { return ::time(nullptr); };
    const auto now = second();
    ASSERT_TRUE(wait_until([&] { return second() > now + 1; }));
  }

  BallotDaemon daemon;
};

TEST_F(ScheduleMemory, KeepsThePhaseOfEveryOverAllButAnotherText) {
  daemon.job("every", "schedule = \"@every 1h\"\ncommand = [\"/bin/true\"]");
  start();
  ASSERT_TRUE(wait_until([&] { return !of_job("every", "next_slot").empty(); }));
  const std::string first = of_job("every", "next_slot");
  let_a_second_begin();
  daemon.kill();
  start();
  expect_next(first);
  EXPECT_EQ(daemon.stop(), 0);
  start();
  expect_next(first);
  edit("schedule = \"@every 1h\"\ndescription = \"edited\"");
  expect_next(first);
  edit("schedule = \"@every 1h\"\ngroup = \"other\"");
  EXPECT_TRUE(wait_until([&] { return of_job("every", "group") == "other" && of_job("every", "state") == "active"; }));
  expect_next(first);
  daemon.remove("every");
  ASSERT_TRUE(daemon.wait_for("job removed"));
  daemon.job("every", "schedule = \"@every 1h\"\ncommand = [\"/bin/true\"]");
  ASSERT_TRUE(daemon.wait_for("job loaded"));
  EXPECT_TRUE(wait_until([&] { return of_job("every", "state") == "active"; }));
  expect_next(first);
  edit("schedule = \"@every 60m\"");
  EXPECT_TRUE(wait_until([&] { return of_job("every", "next_slot") > first; })) << "two texts are two schedules";
}

/// A wall clock that was an hour ahead while the daemon started.
TEST_F(ScheduleMemory, HasACursorThatIsAheadOfTheClockWaitAndSaysSo) {
  // Once in that hour, and long before the clock that is an hour ahead.
  const auto minute =
      std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now().time_since_epoch()).count() + 30;
  daemon.job("tick", "schedule = \"0 " + std::to_string(minute % 60) +
                         " * * * *\"\nmisfire = \"skip\"\ncommand = [\"/bin/true\"]");
  start();
  ASSERT_TRUE(wait_until([&] { return of_job("tick", "state") == "active"; }));
  EXPECT_EQ(daemon.ballot({"status"}).code, 0);
  EXPECT_EQ(daemon.stop(), 0);
  start(
      {"LD_PRELOAD=" BALLOT_SHIFTED_CLOCK, "BALLOT_SHIFTED_CLOCK_MS=3600000", "ASAN_OPTIONS=verify_asan_link_order=0"});
  ASSERT_TRUE(wait_until([&] { return !daemon.rows("tick").empty(); })) << "the slots of that hour are missed";
  EXPECT_EQ(daemon.stop(), 0);
  start();
  ASSERT_TRUE(wait_until([&] { return of_job("tick", "state") == "clock_skew"; })) << of_job("tick", "state");
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 1) << status.out;
  EXPECT_NE(status.out.find("clock_skew: job tick is settled ahead of this clock"), std::string::npos) << status.out;
  const Ran repair = daemon.ballot({"repair", "tick"});
  EXPECT_EQ(repair.code, 0) << repair.err;
  EXPECT_TRUE(wait_until([&] { return of_job("tick", "state") == "active"; })) << of_job("tick", "state");
  EXPECT_EQ(daemon.ballot({"status"}).code, 0);
}

/// As where the whole host is lost: nobody knows any more how the runs ended.
TEST_F(ScheduleMemory, HasTheRunOfALostHostRepeatedAtLeastOnceAndNotAtMostOnce) {
  const std::string starts = daemon.folder / "starts";
  const std::string shell = "shell = \"echo $BALLOT_JOB $BALLOT_RUN_ID $BALLOT_ATTEMPT $BALLOT_FENCE >> " + starts +
                            "; if [ $BALLOT_ATTEMPT = 1 ]; then exec sleep 600; fi\"";
  daemon.job("again", "guarantee = \"at-least-once\"\n" + shell);
  daemon.job("once", shell);
  start();
  for (const char* job : {"again", "once"}) EXPECT_EQ(daemon.ballot({"trigger", job}).code, 0);
  const auto lines = [&] {
    const std::string text = text_of(starts);
    return std::count(text.begin(), text.end(), '\n');
  };
  ASSERT_TRUE(wait_until([&] { return lines() == 2; }));
  const pid_t runner = listener_at(daemon.folder / "run/runner.sock");
  ASSERT_GT(runner, 0);
  daemon.kill();
  ASSERT_EQ(::kill(runner, SIGKILL), 0);
  start();
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  const std::vector<Row> again = daemon.rows("again"), once = daemon.rows("once");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].status, Status::lost);
  EXPECT_EQ(again[1].status, Status::succeeded);
  EXPECT_EQ(again[0].run, again[1].run) << "the run is the same";
  EXPECT_EQ(again[1].attempt, 2);
  EXPECT_GT(again[1].fence, again[0].fence);
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(once[0].status, Status::lost);
  EXPECT_EQ(lines(), 3) << text_of(starts);
  EXPECT_NE(text_of(starts).find("again " + again[1].run->text() + " 2 " + std::to_string(again[1].fence) + "\n"),
            std::string::npos)
      << text_of(starts);
}

}  // namespace
}  // namespace ballot::testing
