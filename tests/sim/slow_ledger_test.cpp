// A ledger that takes long to store rows: until then the register carries what became of slots without a
// run.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// A job that is busy at every other slot, on a disk under load.
struct SlowLedger : ::testing::TestWithParam<int> {
  SimWorld world{static_cast<std::uint64_t>(GetParam())};
  SimNode &a = world.add("a"), &b = world.add("b");
  Job job = minutely();
  WallTime from = world.wall();

  void SetUp() override {
    job.schedule = {"*/6 * * * * *"};
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = b.takes["job"] = 7s;
    a.ledger.slowest = 3s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + Millis(300 * GetParam()));
    ASSERT_TRUE(a.leads("default"));
  }
  void crash(SimNode& node) {
    node.crash();
    world.run_for(1min);
  }
  void expect_all_is_well() const {
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 10s), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_P(SlowLedger, LosesNoSkippedSlotWithItsDaemon) {
  crash(a);
  expect_all_is_well();
}

TEST_P(SlowLedger, OfASuccessorThatDiesTooLosesNoSkippedSlot) {
  SimNode& c = world.add("c");
  c.jobs = a.jobs;
  c.start();
  b.ledger.slowest = 3s;
  a.crash();
  world.run_for(6s + Millis(100 * GetParam()));
  crash(b);
  expect_all_is_well();
}

TEST_P(SlowLedger, LosesNoSkippedSlotWhenItsDaemonIsBack) {
  a.crash();
  world.run_for(1s);
  a.start();
  world.run_for(Millis(200 * GetParam()));
  a.crash();
  a.start();
  world.run_for(1min);
  expect_all_is_well();
}

TEST_P(SlowLedger, LosesNoSlotOfAJobThatIsEdited) {
  job.schedule = {"*/5 * * * * *"};
  a.jobs = b.jobs = {define(job)};
  a.load();
  b.load();
  world.run_for(Millis(100 * GetParam()));
  crash(a);
  EXPECT_EQ(world.unaccounted(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_P(SlowLedger, LosesNoSlotOfAJobThatAnotherGroupTakesOver) {
  job.group = "other";
  a.jobs = b.jobs = {define(job)};
  a.load();
  b.load();
  world.run_for(Millis(50 * GetParam()));
  crash(a);
  EXPECT_EQ(world.unaccounted(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_P(SlowLedger, LosesNoSlotOfAJobThatIsRepaired) {
  auto contents = world.store.contents();
  std::string& text = contents.registers.at("j/job").value;
  text.replace(text.find("fence "), 6, "fence ?");  // unreadable; what else it says can be read
  world.store.edit(contents);
  world.oracle.edited("job");
  a.crash();
  world.run_for(10s);
  ASSERT_TRUE(b.leads("default"));
  b.ask(core::Request::Kind::repair, "job");
  world.run_for(1min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 10s), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_P(SlowLedger, LosesNoneOfManySlotsOfAJobThatIsEditedWhileItsDaemonDies) {
  job.schedule = {"* * * * * *"};
  a.jobs = {define(job)};
  a.load();
  world.run_for(13s + Millis(100 * GetParam()));
  job.schedule = {"*/5 * * * * *"};
  a.jobs = b.jobs = {define(job)};
  a.load();
  b.load();
  world.run_for(Millis(50 * GetParam()));
  a.crash();
  a.start();
  world.run_for(1min);
  EXPECT_EQ(world.unaccounted(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_P(SlowLedger, DelaysNoClaimHoweverLongItTakes) {
  a.ledger.slowest = 24h;
  const std::size_t before = world.starts.size();
  world.run_for(1min);
  EXPECT_EQ(world.starts.size(), before + 5) << "every other slot runs";
}

INSTANTIATE_TEST_SUITE_P(Moments, SlowLedger, ::testing::Range(1, 41));

/// A job that is busy for an hour, due each second: a range of skipped slots every 5 s.
struct FullRegister : ::testing::Test {
  SimWorld world;
  SimNode &a = world.add("a"), &b = world.add("b");
  Job job = minutely();

  void SetUp() override {
    job.schedule = {"* * * * * *"};
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = 1h;
    a.start();
    world.run_for(10s);
    b.start();
  }
  void fill(Millis slowest) {
    a.ledger.slowest = slowest;
    const auto full = [&] { return dispositions() == core::disposition_limit; };
    ASSERT_TRUE(world.run_while_not(full, 10min));
    world.run_for(10s);
    ASSERT_TRUE(full());
  }
  std::size_t dispositions() const { return world.oracle.job_register("job")->dispositions.size(); }
  void expect_all_is_well() const {
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(FullRegister, WaitsForTheLedgerAndLosesNothingWithItsDaemon) {
  fill(24h);
  world.run_for(1min);
  EXPECT_EQ(dispositions(), core::disposition_limit);
  a.crash();
  world.run_for(2min);
  expect_all_is_well();
}

TEST_F(FullRegister, IsEditedPausedAndResumedOnceTheLedgerHasWhatItCarries) {
  fill(10min);
  a.pause("job", true);
  world.run_for(1s);
  EXPECT_EQ(a.replies.size(), 1u) << "a pause needs no room";
  a.pause("job", false);
  job.schedule = {"*/2 * * * * *"};
  a.jobs = b.jobs = {define(job)};
  a.load();
  b.load();
  world.run_for(30min);
  EXPECT_EQ(a.replies.size(), 2u);
  EXPECT_EQ(world.oracle.job_register("job")->timing.expressions, job.schedule);
  a.crash();
  world.run_for(2min);
  expect_all_is_well();
}

TEST_F(FullRegister, OfAGroupThatIsResumedWaitsForTheLedgerToo) {
  fill(10min);
  const auto ask = [&](core::Request::Kind kind) {
    core::Request request;
    request.kind = kind;
    request.group = "default";
    a.ask(request);
    world.run_for(5s);
  };
  ask(core::Request::Kind::pause);
  ask(core::Request::Kind::resume);
  world.run_for(30min);
  a.crash();
  world.run_for(2min);
  expect_all_is_well();
}

}  // namespace
}  // namespace ballot
