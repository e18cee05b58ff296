// When people are notified of a run's start and end and of missed slots: once, and only of what is in the store.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using Event = core::Notify::Event;

Job notifying_job(const std::string& name = "job") {
  Job job = minutely(name);
  job.details.edit().on_failure = {"/bin/true"};
  return job;
}

/// "started failed recovered(succeeded) missed:misfire*3", in the order in which the nodes reported it.
std::string story(const std::vector<core::Notify>& notified) {
  std::string text;
  for (const core::Notify& one : notified) {
    if (!text.empty()) text += " ";
    if (one.event == Event::started)
      text += "started";
    else if (one.recovered)
      text += "recovered";
    else
      text += std::string(to_string(one.row.status)) +
              (one.event == Event::missed ? ":" + std::string(to_string(one.row.reason)) : "");
    if (one.row.slots > 1) text += "*" + std::to_string(one.row.slots);
  }
  return text;
}

struct Notices : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");

  void start(const Job& job) {
    a.jobs = b.jobs = {define(job)};
    a.start();
    world.run_for(100ms);
    b.start();
  }
  std::string kept() const { return world.broken_promises(); }
};

TEST_F(Notices, OfAJobThatNamesNobodyThereAreNone) {
  start(minutely());
  a.exits["job"] = 1;
  world.run_for(3min);
  EXPECT_TRUE(a.notified.empty());
}

TEST_F(Notices, SayThatARunHasStartedAndOnceItIsClosedThatItHasEnded) {
  start(notifying_job());
  a.takes["job"] = 5s;
  world.run_for(1min + 3s);
  EXPECT_EQ(story(a.notified), "started");
  world.run_for(3s);
  EXPECT_EQ(story(a.notified), "started succeeded");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfTheFirstSuccessAfterFailuresSayThatItIsARecovery) {
  start(notifying_job());
  a.exits["job"] = 1;
  world.run_for(2min + 5s);
  a.exits["job"] = 0;
  world.run_for(2min);
  EXPECT_EQ(story(a.notified), "started failed started failed started recovered started succeeded");
}

TEST_F(Notices, OfARecoveryComeAlsoFromTheNextLeader) {
  start(notifying_job());
  a.exits["job"] = 1;
  world.run_for(1min + 5s);
  EXPECT_EQ(story(a.notified), "started failed");
  a.stop();
  world.run_for(10s);
  ASSERT_TRUE(b.leads("default"));
  world.run_for(1min);
  EXPECT_EQ(story(b.notified), "started recovered");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfARunWhoseNodeDiedComeFromTheNextLeaderOnce) {
  start(notifying_job());
  a.takes["job"] = 50s;
  world.run_for(1min + 5s);
  world.reboot(a.machine);
  world.run_for(40s);
  EXPECT_EQ(story(a.notified), "started");
  EXPECT_EQ(story(b.notified), "lost");
  a.start();
  world.run_for(15s);
  EXPECT_EQ(story(a.notified), "started");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfARunThatEndedElsewhereComeFromWhoeverLeads) {
  Job job = notifying_job();
  job.on_leadership_lost = OnLeadershipLost::finish;
  start(job);
  a.takes["job"] = 30s;
  a.exits["job"] = 4;
  world.run_for(1min + 5s);
  ASSERT_EQ(a.open_children(), 1);
  a.stop(0s);
  world.run_for(2s);
  ASSERT_TRUE(a.stopped());
  a.crash();
  a.start();
  world.run_for(40s);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(story(a.notified), "started");
  ASSERT_EQ(story(b.notified), "failed");
  EXPECT_EQ(b.notified[0].row.exit_code, 4);
  EXPECT_EQ(b.notified[0].row.node, "a");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfALostRunThatIsRepeatedComeAfterItsLastAttempt) {
  Job job = notifying_job();
  job.guarantee = Guarantee::at_least_once;
  start(job);
  a.takes["job"] = 20s;
  world.run_for(1min + 5s);
  world.reboot(a.machine);
  world.run_for(50s);
  EXPECT_EQ(story(b.notified), "succeeded");
  EXPECT_EQ(b.notified[0].row.attempt, 2);
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfARunThatAnOperatorKillsSayThatItHasNeitherFailedNorRecovered) {
  start(notifying_job());
  a.takes["job"] = 30s;
  world.run_for(1min + 5s);
  core::Request request;
  request.kind = core::Request::Kind::kill;
  a.ask(request, world.starts.back().run.text());
  world.run_for(5s);
  a.takes["job"] = 1s;
  world.run_for(1min);
  EXPECT_EQ(story(a.notified), "started killed started succeeded");
}

TEST_F(Notices, OfMissedSlotsComeOnceForARange) {
  Job job = notifying_job();
  job.misfire = Misfire::skip;
  a.jobs = {define(job)};
  a.start();
  world.run_for(1min + 5s);
  a.stop();
  world.run_for(3s);
  ASSERT_TRUE(a.stopped());
  a.crash();
  a.notified.clear();
  world.run_for(5min);
  a.start();
  world.run_for(20s);
  EXPECT_EQ(story(a.notified), "missed:no_leader*5");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfAWriteWhoseAnswerIsLostComeOnceItIsKnownToStand) {
  a.jobs = {define(notifying_job())};
  a.exits["job"] = 1;
  world.run_for(50ms);  // so that no renewal is under way with the write
  a.start();
  world.run_for(1min + 1s + 50ms);
  ASSERT_EQ(story(a.notified), "started");
  a.link.lose_answer = a.link.never_answer = 1000;
  world.run_for(400ms);
  EXPECT_EQ(story(a.notified), "started") << "nobody has said yet that it is closed";
  a.link.lose_answer = a.link.never_answer = 0;
  world.run_for(10s);
  EXPECT_EQ(story(a.notified), "started failed");
  EXPECT_EQ(kept(), "");
}

TEST_F(Notices, OfADaemonThatComesBackAreNotRepeated) {
  start(notifying_job());
  a.takes["job"] = 10s;
  world.run_for(1min + 5s);
  a.crash();
  world.run_for(1s);
  a.start();
  world.run_for(20s);
  EXPECT_EQ(story(a.notified), "started succeeded");
  EXPECT_EQ(kept(), "");
}

}  // namespace
}  // namespace ballot
