// What people are told of chains by a real daemon: for which job a slot waits, which one kept it from being run, and
// what was behind that.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/wall_text.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

struct ChainWhy : ::testing::Test {
  ~ChainWhy() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  /// On one line, as it is wrapped for people.
  std::string why(const std::vector<std::string>& words) const {
    std::vector<std::string> arguments{"why"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::string text = daemon.ballot(arguments).out;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  std::optional<Row> first(const std::string& job, const std::function<bool(const Row&)>& is_it) const {
    for (const Row& row : daemon.rows(job))
      if (is_it(row)) return row;
    return std::nullopt;
  }
  Row wait_for(const std::string& job, const std::function<bool(const Row&)>& is_it) const {
    std::optional<Row> row;
    EXPECT_TRUE(wait_until([&] { return (row = first(job, is_it)).has_value(); })) << job;
    return row.value_or(Row{});
  }
  static bool has_succeeded(const Row& row) { return row.status == Status::succeeded; }
  static bool is_of_upstream(const Row& row) { return row.reason == Reason::upstream; }

  BallotDaemon daemon;
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(ChainWhy, ASkippedSlotIsTracedThroughTheChainToItsFirstCause) {
  daemon.job("extract", "schedule = \"*/2 * * * * *\"\nshell = \"exit 3\"");
  daemon.job("clean", "schedule = \"*/2 * * * * *\"\nshell = \"true\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.job("join", "after = [\"load\", \"clean\"]\nshell = \"true\"");
  daemon.start();
  const std::string slot = format_slot(wait_for("join", is_of_upstream).slot);
  const std::string text = why({"join", "--at", slot});
  expect_part(text, "It was skipped because of job load, whose slot " + slot +
                        " was skipped: upstream, because of job extract, whose slot " + slot +
                        " failed: exit_code 3, ended ");
  expect_part(text, "It also comes after job clean, whose slot " + slot);
}

TEST_F(ChainWhy, AnAlarmThatIsNotDueSaysThatItsParentSucceeded) {
  daemon.job("load", "schedule = \"*/2 * * * * *\"\nshell = \"true\"");
  daemon.job("alarm", "after = [\"load\"]\nafter_status = \"failed\"\nshell = \"true\"");
  daemon.start();
  const std::string text = why({"alarm", "--at", format_slot(wait_for("alarm", is_of_upstream).slot)});
  expect_part(text, "Its parent load succeeded, and this job runs only after a failure (after_status).");
  EXPECT_EQ(text.find("more than eight"), std::string::npos) << text;
}

TEST_F(ChainWhy, WhileAParentIsPausedThePauseIsTheCause) {
  daemon.job("extract", "schedule = \"* * * * * *\"\nshell = \"true\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.start();
  (void)wait_for("load", has_succeeded);
  ASSERT_EQ(daemon.ballot({"pause", "extract", "--reason", "disks"}).code, 0);
  const std::string slot = format_slot(wait_for("load", is_of_upstream).slot);
  const std::string text = why({"load", "--at", slot});
  expect_part(text, "It was skipped because of job extract, which is paused since ");
  expect_part(text, ": disks, and passes its slot " + slot + ".");
  EXPECT_EQ(text.find("succeeded"), std::string::npos) << text;
}

TEST_F(ChainWhy, ARunThatSucceededNamesTheRunsThatItCameAfter) {
  daemon.job("extract", "schedule = \"*/2 * * * * *\"\nshell = \"true\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.start();
  const Row row = wait_for("load", has_succeeded);
  const auto parent = first("extract", [&](const Row& one) { return one.slot == row.slot; });
  ASSERT_TRUE(parent && parent->run);
  expect_part(why({row.run->text()}), "It came after job extract, whose slot " + format_slot(row.slot) + " succeeded");
  const std::string json = daemon.ballot({"why", row.run->text(), "--format", "json"}).out;
  expect_part(json, "\"upstream\"");
  expect_part(json, parent->run->text());
}

TEST_F(ChainWhy, SlotsThatWaitBehindAnotherOneSayForWhichJobThatWaits) {
  daemon.job("extract", "schedule = \"*/20 * * * * *\"\nshell = \"sleep 600\"");
  daemon.job("own", "after = [\"extract\"]\nschedule = \"* * * * * *\"\nstart_deadline = \"1h\"\nshell = \"true\"");
  daemon.start();
  const Row run = wait_for("extract", [](const Row& row) { return row.status == Status::running; });
  const std::string second = format_slot(run.slot + std::chrono::seconds(1));
  ASSERT_TRUE(wait_until([&] {
    return why({"own", "--at", second}).find("queued") != std::string::npos;
  })) << why({"own", "--at", second});
  // The first slot of both may be the same, where the daemon began in the second before it.
  expect_part(why({"own", "--at", second}),
              ", which comes before, still waits. Of that one: It waits for job extract, ");
}

TEST_F(ChainWhy, WhileItsParentIsToBeTriedAgainTheAttemptThatFollowsIsNamed) {
  daemon.job("extract", "schedule = \"*/2 * * * * *\"\nshell = \"exit 3\"\nretries = 2\nretry_delay = \"1h\"");
  daemon.job("load", "after = [\"extract\"]\nshell = \"true\"");
  daemon.start();
  const Row failed = wait_for("extract", [](const Row& row) { return row.status == Status::failed; });
  std::string text;
  EXPECT_TRUE(wait_until([&] {
    text = why({"load", "--at", format_slot(failed.slot)});
    return text.find("; attempt 2 of 3 follows between ") != std::string::npos;
  })) << text;
  expect_part(text, "queued");
  expect_part(text, "It waits for job extract, whose slot " + format_slot(failed.slot) + " failed: exit_code 3");
}

TEST_F(ChainWhy, AMissingParentIsNamed) {
  daemon.job("load", "after = [\"extrakt\"]\nschedule = \"* * * * * *\"\nshell = \"true\"");
  daemon.start();
  const Row row = wait_for("load", [](const Row& one) { return one.reason == Reason::no_definition; });
  const std::string text = why({"load", "--at", format_slot(row.slot)});
  expect_part(text, "It comes after job extrakt, which is not in force: no job file defines it");
  EXPECT_EQ(text.find("defined the job any more"), std::string::npos) << text;
}

TEST_F(ChainWhy, AParentDoesNotWaitForAJobAfterItThatLagsAndStatusNamesThatOne) {
  daemon.job("slow", "schedule = \"0 0 1 1 *\"\nshell = \"true\"");
  daemon.job("fast", "schedule = \"* * * * * *\"\nshell = \"true\"");
  daemon.job("lags", "after = [\"fast\", \"slow\"]\nshell = \"true\"");
  daemon.start();
  std::string text;
  EXPECT_TRUE(wait_until([&] {
    text = daemon.ballot({"status"}).out;
    return text.find("behind: job lags is ") != std::string::npos;
  })) << text;
  ASSERT_TRUE(wait_until([&] { return !daemon.rows("lags").empty(); }));
  EXPECT_EQ(daemon.rows("lags").front().reason, Reason::upstream);
}

}  // namespace
}  // namespace ballot::testing
