// Kills: by the node that executes the run, wherever it is asked for; and what is said where nobody can.
#include "sim/requests.hpp"

namespace ballot {
namespace {

TEST_F(Requests, AKillReachesTheNodeThatExecutesTheRun) {
  a.takes["one"] = 10min;
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  const std::string run = world.starts.back().job == "one" ? world.starts.back().run.text()
                                                           : world.starts[world.starts.size() - 2].run.text();
  b.ask(for_run(Kind::kill), run.substr(28));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  EXPECT_EQ(a.open_children(), 0);
  bool killed = false;
  for (const Row& row : a.rows()) killed = killed || (row.status == Status::killed && row.reason == Reason::operator_);
  EXPECT_TRUE(killed);
  expect_no_records();
}

/// The runner was slow: the kill finds it with a launch that is too late by then, and that it refuses.
TEST_F(Requests, ARunThatIsKilledBeforeItsLaunchIsRefusedIsNotLaunchedAgain) {
  a.runner.habits.slowest_start = 1h;
  const RunId run = b.trigger("one");
  ASSERT_TRUE(wait_for_reply(b));
  world.run_for(15s);
  a.runner.habits.slowest_start = 2ms;
  b.ask(for_run(Kind::kill), run.text());
  EXPECT_TRUE(world.run_while_not([&] { return b.replies.size() > 1; }, 1min)) << "the kill is answered";
  world.run_for(1min);
  for (const Start& start : world.starts) EXPECT_NE(start.run, run);
  const std::vector<Row> rows = a.rows();
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.run == run && row.status == Status::killed && row.reason == Reason::operator_;
  }));
  expect_no_records();
}

/// The node whose term is over does not know whether its runner has begun the run; the next leader has tried it again.
TEST_F(Requests, AKillIsAnsweredByTheNodeThatHasTheRunAndNotByOneThatNeverBeganIt) {
  Job job = Requests::job("one");
  job.guarantee = Guarantee::at_least_once;
  a.jobs = b.jobs = {define(job)};
  a.load(), b.load();
  b.takes["one"] = 10min;
  b.runner.habits.stubborn = {"one"};
  a.runner.habits.slowest_start = 1h;
  world.run_for(61s - world.wall().time_since_epoch() % 1min);
  a.link.cut = true;
  ASSERT_TRUE(world.run_while_not([&] { return b.open_children() == 1; }, 30s));
  a.link.cut = false;
  world.run_for(3s);
  b.ask(for_run(Kind::kill), world.starts.back().run.text());
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  EXPECT_EQ(b.open_children(), 0) << "it is said to be killed";
}

TEST_F(Requests, AKillOfARunThatHasJustEndedIsAnsweredOnceTheRegisterShowsItNoMore) {
  a.takes["one"] = 10min;
  world.run_for(1min);
  const std::string run = world.starts.back().job == "one" ? world.starts.back().run.text()
                                                           : world.starts[world.starts.size() - 2].run.text();
  b.ask(for_run(Kind::kill), run);
  ASSERT_TRUE(wait_for_reply(b));
  b.ask(for_run(Kind::kill), run);
  world.run_for(5s);
  ASSERT_EQ(b.replies.size(), 2u);
  EXPECT_EQ(b.replies[1].code, Errc::not_found) << b.replies[1].text;
  expect_no_records();
}

/// A `finish` run of a host that is gone blocks its job for `lost_after`.
TEST_F(Requests, AKillOfARunWhoseNodeIsGoneNamesTheNodeAndTheJobGoesOnOnceTheRunIsForgotten) {
  Job job = Requests::job("one");
  job.on_leadership_lost = OnLeadershipLost::finish;
  a.jobs = b.jobs = {define(job)};
  a.load(), b.load();
  a.takes["one"] = 10min;
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  const RunId run = world.oracle.job_register("one")->runs.front().id;
  a.power_cut();
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  b.ask(for_run(Kind::kill), run.text());
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::timeout);
  EXPECT_EQ(b.replies[0].text.substr(0, b.replies[0].text.find(". ")),
            "not done in time: node a, which executes the run, has not answered");
  b.ask(for_run(Kind::forget), run.text());
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_TRUE(b.replies[1].ok) << b.replies[1].text;
  expect_no_records();
}

TEST_F(Requests, ARunThatNobodyHasIsNotFound) {
  const RunId none = *RunId::parse("01a20998-60fc-7e41-9db6-08cf1b05c813");
  b.ask(for_run(Kind::kill), none.text());
  ASSERT_TRUE(wait_for_reply(b));
  const auto refusal = std::find_if(b.notices.begin(), b.notices.end(),
                                    [](const core::Notice& notice) { return notice.text == "request refused"; });
  ASSERT_NE(refusal, b.notices.end());
  EXPECT_NE(std::find(refusal->fields.begin(), refusal->fields.end(), std::pair(std::string("run"), none.text())),
            refusal->fields.end());
  b.replies.clear();

  b.ask(for_run(Kind::kill), "0123456789ab");
  b.ask(for_run(Kind::forget), "0123456789ab");
  ASSERT_TRUE(wait_for_reply(b, 2));
  for (const core::Reply& reply : b.replies) EXPECT_EQ(reply.code, Errc::not_found) << reply.text;
}

}  // namespace
}  // namespace ballot
