// The end of a run whose term is over reaches whoever leads its group next, and closes the run there.
#include "core/record/outcome.hpp"

#include "sim/requests.hpp"

namespace ballot {
namespace {

struct Outcomes : Requests {
  void SetUp() override {
    Job finish = job("one");
    finish.on_leadership_lost = OnLeadershipLost::finish;
    finish.details.edit().lost_after = 10min;
    a.jobs = b.jobs = {define(finish)};
    a.takes["one"] = b.takes["one"] = 150s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 5s);
    ASSERT_TRUE(a.leads("default"));
    ASSERT_EQ(a.open_children(), 1);
  }
};

// S32 sim
TEST_F(Outcomes, ARunThatFinishesAfterItsTermClosesTheOpenRun) {
  a.link.cut = true;
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 1) << "`finish` runs go on";
  EXPECT_EQ(world.starts_of("one"), 1u) << "`skip` applies while it goes on";
  a.link.cut = false;
  world.run_for(5min);
  EXPECT_GT(world.starts_of("one"), 1u) << "and goes on once it has ended";
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(row->node, "a");
  a.takes["one"] = b.takes["one"] = 1s;
  expect_accounted();
  expect_no_records();
}

TEST_F(Outcomes, ARestartedNodeThatDoesNotLeadPublishesWhatItsRunnerKept) {
  a.crash();
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  ASSERT_EQ(world.starts_of("one"), 1u);
  a.start();
  world.run_for(2min);
  EXPECT_GT(world.starts_of("one"), 1u);
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded);
}

/// It takes part in elections before it has read what the registers show of it.
TEST_F(Outcomes, ANodeThatHasLostItsLedgerFindsItsOwnRunInTheRegistersAndPublishesThatItIsLost) {
  const RunId run = world.starts[0].run;
  a.reboot();
  a.ledger.wipe();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(10s);
  ASSERT_EQ(world.oracle.job_register("one")->runs.size(), 1u) << "it may go on there for `lost_after`";
  a.start();
  const auto is_lost = [&] { return b.ledger.row(run, 1) && b.ledger.row(run, 1)->status == Status::lost; };
  ASSERT_TRUE(world.run_while_not(is_lost, 15s));
  EXPECT_TRUE(b.leads("default"));
  world.run_for(2min);
  EXPECT_GT(world.starts_of("one"), 1u) << "`skip` applies no more";
}

struct OutcomesOfAJobThatNoFileDefines : Requests {
  void SetUp() override {}
};

/// The list of registers that it is found by shows it as open.
TEST_F(OutcomesOfAJobThatNoFileDefines, CountAlsoWhereItsLeaderFindsItOnlyOnceItLeads) {
  a.jobs = {define(job("one"))};
  b.jobs = {define(job("two"))};
  a.takes["one"] = 10min;
  a.start();
  ASSERT_TRUE(world.run_while_not([&] { return !world.starts.empty(); }, 2min));
  const RunId run = world.starts[0].run;
  world.run_for(1s);
  a.link.cut = true;
  world.run_for(2s);
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 10s));
  a.link.cut = false;
  const auto is_closed = [&] { return b.ledger.row(run, 1) && is_final(b.ledger.row(run, 1)->status); };
  ASSERT_TRUE(world.run_while_not(is_closed, 20s));
  EXPECT_EQ(b.ledger.row(run, 1)->status, Status::killed);
}

/// The leader knows of a job that another node has run only when its own files are there.
TEST_F(Requests, AnOutcomeIsFoundAlsoWhereTheRegisterIsReadInTheMiddleOfATerm) {
  Job fresh = job("new");
  fresh.on_leadership_lost = OnLeadershipLost::finish;
  a.takes["new"] = 50s;
  const auto before = a.jobs;
  a.jobs.push_back(define(fresh));
  a.load();
  world.run_for(35s);
  ASSERT_EQ(world.starts_of("new"), 1u);
  a.link.cut = true;
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  a.link.cut = false;
  a.jobs = before;
  a.load();
  world.run_for(20s);
  ASSERT_EQ(world.store.list("o/").size(), 1u);
  b.jobs.push_back(define(fresh));
  b.load();
  world.run_for(5s);
  const Start& start =
      *std::find_if(world.starts.begin(), world.starts.end(), [](const Start& s) { return s.job == "new"; });
  const Row* row = b.row("new", start.slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded) << to_string(row->reason);
  EXPECT_TRUE(world.store.list("o/").empty());
}

TEST_F(Outcomes, OfAJobThatNobodyLeadsAreRemovedOnceSomebodyDoes) {
  const auto jobs = b.jobs;
  a.link.cut = true;
  world.run_for(30s);
  ASSERT_TRUE(b.leads("default"));
  core::Request forget = for_run(Kind::forget);
  b.ask(forget, world.starts[0].run.text());
  ASSERT_TRUE(wait_for_reply(b));
  b.jobs = {define(job("two"))};
  b.load();
  a.jobs = b.jobs;
  a.load();
  world.run_for(10s);
  a.link.cut = false;
  world.run_for(2min);  // it has ended, and its outcome is published
  ASSERT_EQ(world.store.list("o/").size(), 1u);
  b.jobs = jobs;
  b.load();
  a.jobs = jobs;
  a.load();
  world.run_for(10s);
  EXPECT_TRUE(world.store.list("o/").empty());
}

TEST_F(Outcomes, ANodeThatNeverComesBackLosesItsRunAfterAWhile) {
  a.reboot();
  world.run_for(8min);
  EXPECT_EQ(world.starts_of("one"), 1u);
  world.run_for(5min);
  EXPECT_GT(world.starts_of("one"), 1u);
  const Row* row = b.row("one", world.starts[0].slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::lost);
  EXPECT_EQ(row->reason, Reason::node_died);
}

TEST_F(Outcomes, ForgettingARunClosesItAtOnce) {
  a.reboot();
  world.run_for(1min);
  b.ask(for_run(Kind::forget), world.starts[0].run.text());
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(2min);
  EXPECT_GT(world.starts_of("one"), 1u);
  EXPECT_EQ(b.row("one", world.starts[0].slot)->reason, Reason::forgotten);
}

TEST_F(Outcomes, ACleanStopLeavesFinishRunsToTheRunner) {
  a.stop();
  world.run_for(5s);
  EXPECT_TRUE(a.stopped());
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 1);
}

struct AtLeastOnce : Requests {
  void SetUp() override {
    Job again = job("one");
    again.guarantee = Guarantee::at_least_once;
    again.details.edit().lost_limit = 2;
    a.jobs = b.jobs = {define(again)};
    a.takes["one"] = b.takes["one"] = 30s;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(1min + 5s);
    ASSERT_TRUE(a.leads("default"));
    ASSERT_EQ(a.open_children(), 1);
  }
};

TEST_F(AtLeastOnce, ALostRunIsRunAgainUnderItsIdWithAHigherFence) {
  a.reboot();
  world.run_for(1min);
  ASSERT_GE(world.starts.size(), 2u);
  EXPECT_EQ(world.starts[1].run, world.starts[0].run);
  EXPECT_EQ(world.starts[1].slot, world.starts[0].slot);
  EXPECT_EQ(world.starts[1].attempt, 2);
  EXPECT_GT(world.starts[1].fence, world.starts[0].fence);
  EXPECT_EQ(world.starts[1].node, "b");
  expect_accounted();
}

TEST_F(AtLeastOnce, ALostRunThatWasAskedForByHandIsRunAgainInAPauseToo) {
  world.run_for(30s);
  const RunId run = a.trigger("one");
  world.run_for(1s);
  ASSERT_EQ(world.starts.back().run, run);
  a.pause("one", true);
  world.run_for(1s);
  a.reboot();
  world.run_for(1min);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().attempt, 2);
}

TEST_F(AtLeastOnce, ARunThatIsLostTooOftenHasFailed) {
  a.reboot();
  ASSERT_TRUE(world.run_while_not([&] { return b.open_children() == 1; }, 1min));
  b.reboot();
  a.start();
  world.run_for(10min);
  b.start();
  world.run_for(1min);
  int attempts = 0;
  for (const Start& start : world.starts) attempts += start.run == world.starts[0].run ? 1 : 0;
  EXPECT_EQ(attempts, 2);
  bool failed = false;
  for (const Row& row : a.rows()) failed = failed || row.reason == Reason::lost_limit;
  EXPECT_TRUE(failed);
  expect_accounted();
}

/// The first attempt of a run goes on though another node has taken it for lost, and has begun the second one.
struct TakenForLost : Requests {
  void SetUp() override {
    Job finish = job("one");
    finish.on_leadership_lost = OnLeadershipLost::finish;
    finish.details.edit().lost_after = 1min;
    finish.guarantee = Guarantee::at_least_once;
    finish.details.edit().lost_limit = 3;
    finish.retries = 1;
    finish.details.edit().retry_delay = 1s;
    a.jobs = b.jobs = {define(finish)};
    a.takes["one"] = 5min;
  }
  void take_for_lost() {
    a.start();
    world.run_for(1s);
    b.start();
    ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
    world.run_for(1s);
    a.link.cut = true;
    ASSERT_TRUE(world.run_while_not([&] { return b.open_children() == 1; }, 2min));
    ASSERT_EQ(world.starts.back().run, world.starts[0].run);
    ASSERT_EQ(world.starts.back().attempt, 2);
    a.link.cut = false;
    world.run_for(10s);
  }
  void run_until_shortly_before_its_end() {
    const SteadyTime due = world.starts[0].at + 5min;
    world.run_for(std::chrono::duration_cast<Millis>(due - world.loop.now()) - 20s);
  }
  /// a leads again shortly before its attempt ends.
  void lead_again() {
    run_until_shortly_before_its_end();
    b.link.cut = true;
    ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 15s));
    b.link.cut = false;
  }
  void end_the_first() {
    lead_again();
    ASSERT_TRUE(world.run_while_not([&] { return world.starts[0].ended.has_value(); }, 20s));
    world.run_for(3s);
    ASSERT_TRUE(a.leads("default"));
  }
  int attempts() const {
    return static_cast<int>(std::count_if(world.starts.begin(), world.starts.end(),
                                          [&](const Start& start) { return start.run == world.starts[0].run; }));
  }
};

TEST_F(TakenForLost, AnAttemptThatEndsDoesNotCloseTheNextOneThatGoesOn) {
  b.takes["one"] = 4min + 10s;
  take_for_lost();
  end_the_first();
  ASSERT_EQ(b.open_children(), 1);
  ASSERT_EQ(world.oracle.job_register("one")->runs.size(), 1u);
  EXPECT_EQ(world.oracle.job_register("one")->runs[0].attempt, 2);
  EXPECT_TRUE(a.runner.unacknowledged().empty()) << "the first one's end is recorded, and that is all";
  const std::size_t before = world.starts.size();
  world.run_for(10s);
  EXPECT_EQ(world.starts.size(), before) << "`skip` applies while it goes on";
  a.takes["one"] = b.takes["one"] = 1s;
  expect_accounted();
  EXPECT_EQ(a.ledger.row(world.starts[0].run, 2)->status, Status::succeeded);
}

TEST_F(TakenForLost, AnAttemptThatFailsIsNotTriedAgainWhereTheNextOneHasBeenAlready) {
  a.exits["one"] = 3;
  b.takes["one"] = 10s;
  take_for_lost();
  a.exits["one"] = 0;
  a.takes["one"] = 1s;
  end_the_first();
  world.run_for(10s);
  EXPECT_EQ(attempts(), 2);
  EXPECT_EQ(a.ledger.row(world.starts[0].run, 1)->status, Status::failed);
  expect_accounted();
}

TEST_F(TakenForLost, AnAttemptThatIsLostIsNotRepeatedWhereTheNextOneHasBeenAlready) {
  b.takes["one"] = 10s;
  take_for_lost();
  a.takes["one"] = 1s;
  lead_again();
  a.runner.crash();
  world.run_for(15s);
  EXPECT_EQ(attempts(), 2);
  EXPECT_EQ(a.ledger.row(world.starts[0].run, 1)->reason, Reason::runner_died);
  expect_accounted();
}

/// The first attempt's end cannot be written, nor the claim of the third one.
TEST_F(TakenForLost, AClaimThatIsGivenUpIsMadeAnewForTheAttemptBeforeItAlone) {
  b.takes["one"] = 20min;
  take_for_lost();
  const RunId run = world.starts[0].run;
  run_until_shortly_before_its_end();
  b.reboot();
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 15s));
  a.link.refuse_write = 1000;
  const auto is_lost = [&] { return a.ledger.row(run, 2) && a.ledger.row(run, 2)->status == Status::lost; };
  ASSERT_TRUE(world.run_while_not(is_lost, 2min));
  ASSERT_TRUE(world.starts[0].ended);
  world.run_for(3s);
  a.link.refuse_write = 0;
  a.takes["one"] = 1s;
  world.run_for(10s);
  EXPECT_EQ(attempts(), 3);
  const Row* third = a.ledger.row(run, 3);
  ASSERT_NE(third, nullptr) << "the second one was begun twice";
  EXPECT_EQ(third->status, Status::succeeded);
  expect_accounted();
}

/// A run has ended, and is published before its node leads again; the link to the runner is down meanwhile, and is back
/// before the end is durable once more.
TEST(Outcome, IsForgottenByTheRunnerThoughItsNodeTakesTheRunUpOnceMore) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.takes["job"] = 3s;
  a.start();
  ASSERT_TRUE(world.run_while_not([&] { return a.open_children() == 1; }, 2min));
  a.link.cut = true;
  world.run_for(15s);
  ASSERT_FALSE(a.leads("default"));
  ASSERT_EQ(a.runner.unacknowledged().size(), 1u);
  a.runner.break_link(6s, 500ms);
  a.find_unfit("default", "a check is critical");
  world.run_for(10ms);
  a.link.cut = false;
  ASSERT_TRUE(world.run_while_not([&] { return !world.store.list("o/").empty(); }, 4s));
  world.run_for(1s);
  a.ledger.frozen = true;
  a.find_unfit("default", "");
  world.run_for(9s);
  a.ledger.frozen = false;
  world.run_for(20s);
  EXPECT_TRUE(a.leads("default"));
  EXPECT_TRUE(a.runner.unacknowledged().empty());
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
