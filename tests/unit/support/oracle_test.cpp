// The oracle and its probes, started here as a runner starts them.
#include "support/judge/oracle.hpp"

#include <gtest/gtest.h>

#include "right_evidence.hpp"
#include "support/process/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {
namespace {

class Probe : public ::testing::Test {
 protected:
  Running start(std::vector<std::string> orders = {}, int number = 1) {
    orders.insert(orders.begin(), {BALLOT_PROBE, oracle.path()});
    return Running(std::move(orders), {"BALLOT_JOB=tick", "BALLOT_SLOT=2025-03-09T12:00:00Z", "BALLOT_TRIGGER=catch_up",
                                       "BALLOT_ATTEMPT=2", "BALLOT_RUN_ID=" + run_id(number).text(), "BALLOT_EPOCH=5",
                                       "BALLOT_FENCE=6", "BALLOT_NODE=n1"});
  }
  bool wait_for_starts(std::size_t count) {
    return oracle.wait_until([=](const Reports& all) { return all.size() >= count; });
  }
  bool wait_for_ends(std::size_t count) {
    return oracle.wait_until([=](const Reports& all) {
      return std::count_if(all.begin(), all.end(), [](const Report& r) { return r.gone; }) >= std::ptrdiff_t(count);
    });
  }

  const TempFolder folder;
  Oracle oracle{folder / "oracle"};
};

TEST_F(Probe, TellsWhatItsEnvironmentSaysAndHowItEnded) {
  const Instant before = Instant::now();
  auto probe = start({"--exit", "7", "--say", "hello", "--for", "20ms"});
  EXPECT_EQ(probe.line(), "hello");
  EXPECT_EQ(probe.wait(), 7);
  ASSERT_TRUE(wait_for_ends(1));
  const Report report = oracle.reports("tick").at(0);
  EXPECT_EQ(report.job, "tick");
  EXPECT_EQ(report.slot, noon);
  EXPECT_EQ(report.trigger, Trigger::catch_up);
  EXPECT_EQ(report.attempt, 2);
  EXPECT_EQ(report.run, run_id(1));
  EXPECT_EQ(report.epoch, 5u);
  EXPECT_EQ(report.fence, 6u);
  EXPECT_EQ(report.node, "n1");
  EXPECT_EQ(report.how, "exit 7");
  EXPECT_GE(report.started.boot, before.boot);
  EXPECT_GE(report.ended->boot - report.started.boot, Millis(20));
  EXPECT_GE(report.gone->boot, report.ended->boot);
  EXPECT_TRUE(oracle.unread().empty());
}

TEST_F(Probe, WaitsUntilItIsTold) {
  auto probe = start({"--wait"});
  ASSERT_TRUE(wait_for_starts(1));
  EXPECT_FALSE(oracle.reports()[0].over());
  oracle.end("tick", 42);
  EXPECT_EQ(probe.wait(), 42);
  ASSERT_TRUE(wait_for_ends(1));
  EXPECT_EQ(oracle.reports()[0].how, "exit 42");
}

TEST_F(Probe, TellsOfTermAndEndsByIt) {
  auto probe = start({"--wait"});
  ASSERT_TRUE(wait_for_starts(1));
  probe.send(SIGTERM);
  EXPECT_EQ(probe.wait(), 128 + SIGTERM);
  ASSERT_TRUE(wait_for_ends(1));
  EXPECT_EQ(oracle.reports()[0].how, "signal 15");
}

TEST_F(Probe, MayIgnoreTerm) {
  auto probe = start({"--wait", "--ignore-term"});
  ASSERT_TRUE(wait_for_starts(1));
  probe.send(SIGTERM);
  oracle.end("tick", 3);
  EXPECT_EQ(probe.wait(), 3);
}

TEST_F(Probe, ThatIsKilledIsSeenGoneWithoutAnEnd) {
  auto probe = start({"--wait"});
  ASSERT_TRUE(wait_for_starts(1));
  probe.send(SIGKILL);
  probe.wait();
  ASSERT_TRUE(wait_for_ends(1));
  const Report report = oracle.reports()[0];
  EXPECT_FALSE(report.ended);
  EXPECT_GE(report.gone->boot, report.started.boot);
}

TEST_F(Probe, ThatIsKilledBeforeTheNextOneStartsDoesNotOverlapIt) {
  for (int round = 0; round < 20; ++round) {
    auto probe = start({"--wait"}, round);
    ASSERT_TRUE(wait_for_starts(static_cast<std::size_t>(round) + 1));
    probe.send(SIGKILL);
    probe.wait();
  }
  const Reports reports = oracle.reports();
  for (std::size_t i = 1; i < reports.size(); ++i) {
    ASSERT_TRUE(reports[i - 1].gone);
    EXPECT_LE(reports[i - 1].gone->boot, reports[i].started.boot);
  }
}

TEST_F(Probe, DoesNothingWithoutAnOracleOrWithoutSense) {
  EXPECT_EQ(run_program({BALLOT_PROBE, folder / "nobody"}).code, 120);
  EXPECT_EQ(run_program({BALLOT_PROBE, oracle.path(), "--dance"}).code, 2);
}

TEST_F(Probe, OutsideOfARunIsNotCounted) {
  EXPECT_EQ(run_program({BALLOT_PROBE, oracle.path()}).code, 0);
  auto probe = start();
  EXPECT_EQ(probe.wait(), 0);
  ASSERT_TRUE(wait_for_ends(1));
  EXPECT_EQ(oracle.reports().size(), 1u);
  EXPECT_EQ(oracle.unread().size(), 2u);
}

TEST(Oracle, WritesItsProbeAsAJobsCommand) {
  const TempFolder folder;
  const Oracle oracle(folder / "oracle");
  EXPECT_EQ(oracle.command({"--for", "1s"}),
            "command = [\"" BALLOT_PROBE "\", \"" + oracle.path() + "\", \"--for\", \"1s\"]\n");
}

}  // namespace
}  // namespace ballot::testing
