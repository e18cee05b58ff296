// What `why` says of the slots that waited for a run of which nothing was known, as its node had died.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

/// n1 runs the job, and dies with its runner: nobody knows whether its `finish` run goes on.
class BehindALostRun : public ::testing::Test {
 protected:
  ~BehindALostRun() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  void lose_the_run(const std::string& keys, const std::string& lost_after = "4s") {
    fleet.job("job", "schedule = \"* * * * * *\"\non_leadership_lost = \"finish\"\nlost_after = \"" + lost_after +
                         "\"\n" + keys + fleet.oracle.command({"--wait"}));
    fleet.start();
    ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return !all.empty(); }));
    fleet["n1"].kill();
    fleet["n1"].end_runner(SIGKILL);
  }
  Row wait_for(Status status, Reason reason) const {
    std::optional<Row> found;
    EXPECT_TRUE(wait_until([&] {
      for (const Row& row : n2.rows("job"))
        if (!found && row.status == status && row.reason == reason) found = row;
      return found.has_value();
    })) << to_string(status)
        << ": " << to_string(reason);
    return found.value_or(Row{});
  }
  /// On one line, as it is wrapped for people.
  std::string why(const Row& row) const {
    std::string text = n2.ballot({"why", "job", "--at", format_slot(row.slot)}).out;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  void expect_named(const Row& lost, const std::string& text) {
    EXPECT_NE(
        text.find("It waited for run " + short_id(*lost.run) + " of slot " + format_slot(lost.slot) +
                  " on n1. Nothing was known of that run since its node had lost the group (node n2 was elected "),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("), until it was recorded as lost, " + format_millis(*lost.ended_at) + "."), std::string::npos)
        << text;
  }

  Fleet fleet{{"n1", "n2"}};
  const BallotDaemon& n2 = fleet["n2"];
};

TEST_F(BehindALostRun, ASlotThatStillWaitsSaysForWhichRun) {
  lose_the_run("", "1h");
  const Report run = fleet.oracle.reports("job").at(0);  // n1 had not written it into its ledger
  Row slot;
  slot.slot = run.slot + std::chrono::seconds(2);
  std::string text;
  EXPECT_TRUE(wait_until([&] {
    text = why(slot);
    return text.find(format_slot(slot.slot) + " queued The slot is due and waits for run " + short_id(run.run) +
                     " of slot " + format_slot(run.slot) + " on n1. Nothing is known of that run since its node has " +
                     "lost the group.") != std::string::npos;
  })) << text;
  EXPECT_NE(text.find("`ballot forget " + run.run.text() + "` closes it."), std::string::npos) << text;
}

TEST_F(BehindALostRun, ASlotThatWasNotCaughtUpSaysForWhichRunItHadWaited) {
  lose_the_run("");
  const Row lost = wait_for(Status::lost, Reason::node_died);
  const std::string text = why(wait_for(Status::missed, Reason::misfire));
  expect_named(lost, text);
  EXPECT_EQ(text.find("no leader could start it"), std::string::npos) << text;
}

TEST_F(BehindALostRun, ASlotThatIsPastItsStartDeadlineSaysForWhichRunItHadWaited) {
  lose_the_run("start_deadline = \"1s\"\n");
  const Row lost = wait_for(Status::lost, Reason::node_died);
  const std::string text = why(wait_for(Status::missed, Reason::start_deadline));
  expect_named(lost, text);
  EXPECT_EQ(text.find("there was no room"), std::string::npos) << text;
}

}  // namespace
}  // namespace ballot::testing
