// What people ask of any node is done by whoever leads, and survives whoever that is.
#include "sim/requests.hpp"
#include "support/sim/core_views.hpp"

namespace ballot {
namespace {

TEST_F(Requests, ATriggerTakenByAStandByIsRunByTheLeader) {
  const RunId run = b.trigger("one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  EXPECT_EQ(b.replies[0].run, run);
  world.run_for(1s);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().node, "a");
  expect_no_records();
}

TEST_F(Requests, WhoTriggersElsewhereHearsOfTheEnd) {
  a.exits["one"] = 7;
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.wait = true;
  b.ask(request);
  ASSERT_TRUE(world.run_while_not([&] { return !b.ends.empty(); }, 1min));
  EXPECT_EQ(b.ends[0].row.exit_code, 7);
  EXPECT_EQ(b.replies.size(), 1u);
  expect_no_records();
}

TEST_F(Requests, ATriggerSurvivesTheDeathOfTheLeader) {
  a.link.cut = true;  // it leads still, and does not know of it
  world.run_for(100ms);
  const RunId run = b.trigger("one");
  world.run_for(500ms);
  a.crash();
  a.link.cut = false;
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(2s);
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_EQ(world.starts.back().node, "b");
  expect_no_records();
}

TEST_F(Requests, ATriggerThatALostTermRefusedIsAnsweredByTheTermThatRanIt) {
  a.takes["one"] = 10min;
  a.link.delay_min = a.link.delay_max = 50ms;  // the refusal is recorded before it can be told in the store
  world.run_for(1min);
  ASSERT_EQ(a.open_children(), 1);
  const RunId run = a.trigger("one");
  const auto is_refused = [&] {
    const auto rows = a.rows();
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.trigger == Trigger::manual; });
  };
  ASSERT_TRUE(world.run_while_not(is_refused, 1s));
  a.link.cut = true;  // the request stays in the store
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(3s);
  EXPECT_TRUE(a.replies.empty());
  a.link.cut = false;
  ASSERT_TRUE(wait_for_reply(a));
  EXPECT_EQ(world.starts.back().run, run);
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
  world.run_for(1min);
  world.judge_ends();
  EXPECT_EQ(world.broken_promises(), "");
  expect_no_records();
}

TEST_F(Requests, ATriggerThatAStoppingLeaderHasRefusedIsNotSaidToBeRefusedWhileTheNextOneMayRunIt) {
  a.takes["one"] = 10min;
  a.link.delay_min = a.link.delay_max = 50ms;  // the refusal is recorded before it can be told in the store
  world.run_for(1min);
  const RunId run = a.trigger("one");
  const auto is_refused = [&] {
    const auto rows = a.rows();
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.trigger == Trigger::manual; });
  };
  ASSERT_TRUE(world.run_while_not(is_refused, 1s));
  a.link.cut = true;
  world.run_for(1s);
  a.stop(0s);
  ASSERT_TRUE(wait_for_reply(a));
  EXPECT_EQ(a.replies[0].code, Errc::unavailable) << a.replies[0].text;
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  world.run_for(3s);
  EXPECT_EQ(world.starts.back().run, run);
}

TEST_F(Requests, APauseTakenByAStandByHoldsOverAFailoverUntilItIsEnded) {
  b.pause("one", true);
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok);
  const std::size_t before = world.starts_of("one");
  a.reboot();
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_EQ(world.starts_of("one"), before);
  b.pause("one", false);
  ASSERT_TRUE(wait_for_reply(b, 2));
  expect_accounted();
  EXPECT_GT(world.starts_of("one"), before);
}

TEST_F(Requests, APausedGroupStartsNothingAndAccountsForWhatItPassed) {
  b.ask(for_group(Kind::pause));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  const std::size_t before = world.starts.size();
  EXPECT_TRUE(groups_of(a)[0].paused);
  EXPECT_EQ(jobs_of(a)[0].state, "paused");
  EXPECT_EQ(jobs_of(a)[0].leader, "a");
  EXPECT_EQ(jobs_of(a)[0].next, std::nullopt);
  EXPECT_EQ(jobs_of(b)[0].state, "active") << "only the leader knows";
  world.run_for(3min);
  a.crash();
  world.run_for(3min);
  EXPECT_EQ(world.starts.size(), before);
  ASSERT_TRUE(b.leads("default"));
  b.ask(for_group(Kind::resume));
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_TRUE(b.replies[1].ok) << b.replies[1].text;
  expect_accounted();
  EXPECT_GT(world.starts.size(), before);
  int paused = 0;
  for (const Row& row : b.rows()) paused += row.reason == Reason::paused ? 1 : 0;
  EXPECT_GE(paused, 10);
  expect_no_records();
}

TEST_F(Requests, WhoResumesAJobIsToldThatItsGroupIsStillPausedAndByWhom) {
  core::Request pause = for_group(Kind::pause);
  pause.by = "b uid 7";
  b.ask(pause);
  ASSERT_TRUE(wait_for_reply(b));
  b.pause("one", false);
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_NE(b.replies[1].text.find("its group default is since "), std::string::npos) << b.replies[1].text;
  EXPECT_NE(b.replies[1].text.find(", by b uid 7: `ballot resume --group default`"), std::string::npos);
  b.pause("one", true);
  ASSERT_TRUE(wait_for_reply(b, 3));
  b.pause("one", false);
  ASSERT_TRUE(wait_for_reply(b, 4));
  EXPECT_EQ(b.replies[3].text, b.replies[1].text) << "whether it was paused itself or not";
  b.ask(for_group(Kind::resume));
  ASSERT_TRUE(wait_for_reply(b, 5));
  EXPECT_EQ(b.replies[4].text, "");
}

TEST_F(Requests, WhoResumesAGroupIsToldWhichOfItsJobsAreStillPausedAndByWhom) {
  b.pause("two", true);
  ASSERT_TRUE(wait_for_reply(b));
  b.ask(for_group(Kind::pause));
  ASSERT_TRUE(wait_for_reply(b, 2));
  b.ask(for_group(Kind::resume));
  ASSERT_TRUE(wait_for_reply(b, 3));
  EXPECT_TRUE(b.replies[2].ok);
  EXPECT_NE(b.replies[2].text.find("by themselves these jobs are: two since "), std::string::npos) << b.replies[2].text;
  EXPECT_NE(b.replies[2].text.find("`ballot resume JOB` ends that"), std::string::npos);
}

TEST_F(Requests, PausesAndResumptionsOfAGroupAreDoneInTheOrderInWhichTheyWereAsked) {
  a.freeze();  // so that the leader receives all at once
  b.ask(for_group(Kind::resume)), world.run_for(10ms), b.ask(for_group(Kind::pause));
  world.run_for(1s);
  a.thaw();
  world.run_for(3s);
  const std::size_t before = world.starts.size();
  world.run_for(3min);
  EXPECT_EQ(world.starts.size(), before) << "the pause came last";
  a.freeze();
  b.ask(for_group(Kind::pause)), world.run_for(10ms), b.ask(for_group(Kind::resume));
  world.run_for(1s);
  a.thaw();
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  expect_accounted();
}

TEST_F(Requests, WhatNobodyAnswersIsGivenUpAndNotDoneLater) {
  a.link.cut = true;
  world.run_for(100ms);
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  b.feed(core::Ask{77, request, {}, 1s});
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::timeout);
  a.link.cut = false;
  world.run_for(1min);
  for (const Start& start : world.starts) EXPECT_NE(start.run, request.id);
  expect_no_records();
}

TEST_F(Requests, AnEvictedLeaderHandsOverAndStaysOutForAWhile) {
  const Millis timeout = a.core().session().timeout();
  b.ask(for_group(Kind::evict));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(500ms);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(b.terms().size(), 1u) << "who leads next was not meant";
  b.stop();
  world.run_for(timeout / 2);
  EXPECT_TRUE(a.leads("default")) << "it is the only candidate";
  bool evicted = false;
  for (const TermRow& term : a.terms()) evicted = evicted || term.cause == Cause::evicted;
  EXPECT_TRUE(evicted);
}

TEST_F(Requests, AnEvictedLeaderIsNoCandidateForThreeTimeoutsWhereThereIsAnother) {
  const Millis timeout = a.core().session().timeout();
  const auto takes_part = [&] {
    for (const Election& election : world.store.observe("default"))
      for (const Candidate& candidate : election.candidates)
        if (candidate.node == "a") return true;
    return false;
  };
  b.ask(for_group(Kind::evict));
  ASSERT_TRUE(wait_for_reply(b));
  world.run_for(timeout);
  ASSERT_TRUE(b.leads("default"));
  EXPECT_FALSE(takes_part());
  world.run_for(2 * timeout - 500ms);
  EXPECT_FALSE(takes_part());
  world.run_for(2s);
  EXPECT_TRUE(takes_part());
}

TEST_F(Requests, AnEvictionWaitsForRunsAndThenEndsThem) {
  a.takes["one"] = 20min;
  world.run_for(1min);
  b.ask(for_group(Kind::evict));
  world.run_for(20s);
  EXPECT_TRUE(a.leads("default"));
  world.run_for(20s);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_EQ(a.open_children(), 0);
  expect_accounted();
}

/// A daemon that leaves its runs to the next one keeps the term for it.
TEST_F(Requests, AnEvictedLeaderThatLeavesItsRunsToARestartDoesNotGiveTheGroupAwayBesideThem) {
  a.takes["one"] = 3s;
  world.run_for(31s - world.wall().time_since_epoch() % 1min + 1min);
  a.trigger("one");
  world.run_for(100ms);
  ASSERT_EQ(a.open_children(), 1);
  b.ask(for_group(Kind::evict));
  world.run_for(100ms);
  a.stop(Millis(0), true);
  world.run_for(100ms);
  EXPECT_EQ(a.open_children(), 1);
  EXPECT_FALSE(b.leads("default"));
}

struct Halts : Requests {
  void break_register(const std::string& text) {
    SimStore::Contents contents = world.store.contents();
    Register& broken = contents.registers.at("j/one");
    broken.value = text;
    broken.version = ++contents.revision;
    world.store.restore(contents);
  }
};

TEST_F(Halts, AnUnreadableRegisterHaltsTheJobUntilItIsRepaired) {
  a.crash();
  std::string text = world.store.list("j/one").front().value;
  text.replace(text.find("definition"), 10, "\x01\x02\x03");
  text += "run nobody\n";
  break_register(text);
  world.run_for(3min);
  ASSERT_TRUE(b.leads("default"));
  const std::size_t before = world.starts_of("one");
  std::uint64_t fence = 0;
  for (const Start& start : world.starts)
    if (start.job == "one") fence = std::max(fence, start.fence);
  world.run_for(3min);
  EXPECT_EQ(world.starts_of("one"), before);
  b.trigger("one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_EQ(b.replies[0].code, Errc::refused) << b.replies[0].text;
  b.ask(Kind::repair, "one");
  ASSERT_TRUE(wait_for_reply(b, 2));
  EXPECT_TRUE(b.replies[1].ok) << b.replies[1].text;
  world.run_for(3min);
  EXPECT_GT(world.starts_of("one"), before);
  EXPECT_GT(world.starts.back().fence, fence);
  int halted = 0;
  for (const Row& row : b.rows()) halted += row.reason == Reason::halted ? 1 : 0;
  EXPECT_GE(halted, 5) << "the slots of the halt are accounted for";
}

TEST_F(Halts, ARegisterOfANewerFormatIsNotRepaired) {
  a.crash();
  break_register("ballot 2\ngroup default\n");
  world.run_for(1min);
  b.ask(Kind::repair, "one");
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_FALSE(b.replies[0].ok);
  EXPECT_EQ(world.store.list("j/one").front().value, "ballot 2\ngroup default\n");
}

TEST_F(Halts, AStoreThatHasGoneBackHaltsTheGroupUntilItIsRepaired) {
  const auto snapshot = world.store.contents();
  world.run_for(5min);
  a.link.cut = b.link.cut = true;
  world.run_for(1min);
  world.store.restore(snapshot);
  a.link.cut = b.link.cut = false;
  const std::size_t before = world.starts.size();
  world.run_for(5min);
  EXPECT_EQ(world.starts.size(), before);
  SimNode& leader = a.leads("default") ? a : b;
  b.ask(for_group(Kind::repair));
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_TRUE(b.replies[0].ok) << b.replies[0].text;
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.broken_promises(), "");
  (void)leader;
}

TEST_F(Halts, AStoreThatHasLostWhatItHadAcknowledgedHaltsWhatTheNodeLeadsUntilItIsRepaired) {
  backend::Renewed renewed;
  renewed.outcome = StoreResult::done;
  renewed.gone_back = true;
  renewed.text = "version 3 was given, and 4 had been acknowledged";
  a.feed(BackendEvent{1, renewed});
  world.run_for(1s);
  const std::size_t before = world.starts.size();
  world.run_for(5min);
  EXPECT_EQ(world.starts.size(), before);
  EXPECT_NE(world.store.list("g/default").front().value.find("4 had been acknowledged"), std::string::npos);
  a.ask(for_group(Kind::repair));
  ASSERT_TRUE(wait_for_reply(a));
  EXPECT_TRUE(a.replies[0].ok) << a.replies[0].text;
  world.run_for(3min);
  EXPECT_GT(world.starts.size(), before);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Requests, WhoAskedIsInTheLogAndTheLedgerOfTheNodeThatDoesIt) {
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.by = "mallory";
  b.ask(request);
  ASSERT_TRUE(wait_for_reply(b));
  const auto has_replied = [](const SimNode& node) {
    return std::any_of(node.notices.begin(), node.notices.end(), [](const core::Notice& notice) {
      const auto has = [&](const char* key, const char* value) {
        return std::any_of(notice.fields.begin(), notice.fields.end(),
                           [&](const auto& field) { return field.first == key && field.second == value; });
      };
      return notice.text == "request taken" && has("by", "mallory") && has("request", "trigger") && has("job", "one");
    });
  };
  EXPECT_TRUE(has_replied(a)) << "it leads";
  EXPECT_FALSE(has_replied(b));
  world.run_for(1s);
  ASSERT_EQ(a.ledger.requests().size(), 1u);
  const RequestRow& row = a.ledger.requests()[0];
  EXPECT_EQ(row.kind, "trigger");
  EXPECT_EQ(row.job, "one");
  EXPECT_EQ(row.by, "mallory");
  EXPECT_EQ(row.id, b.replies[0].run) << "a trigger's is its run's";
  EXPECT_EQ(row.result, "done");
  EXPECT_TRUE(b.ledger.requests().empty());
}

TEST_F(Requests, WhatIsRefusedIsInTheLedgerOfTheNodeThatRefusesIt) {
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "nosuch";
  request.by = "mallory";
  b.ask(request);
  world.run_for(1s);
  ASSERT_EQ(b.ledger.requests().size(), 1u);
  EXPECT_EQ(b.ledger.requests()[0].result, "refused");
  EXPECT_EQ(b.ledger.requests()[0].by, "mallory");
  EXPECT_NE(b.ledger.requests()[0].text.find("no job nosuch is in force"), std::string::npos);
}

}  // namespace
}  // namespace ballot
