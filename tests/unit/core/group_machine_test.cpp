#include "core/group/group_machine.hpp"

#include <algorithm>

#include "unit/core/group_of_node_a.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
using Phase = GroupMachine::Phase;

TEST_F(GroupOfNodeA, CampaignsOnceItIsWantedAndAllJobsRegistersAreListed) {
  parts.listing.state = JobListing::State::first;
  advance();
  EXPECT_EQ(group.phase(), Phase::idle);
  parts.listing.state = JobListing::State::complete;
  advance();
  EXPECT_TRUE(find<Campaign>());
  entry.configured = false;
  advance();
  EXPECT_EQ(group.phase(), Phase::idle);
  EXPECT_TRUE(has_resigned());
}

TEST_F(GroupOfNodeA, ReadsItsRegistersBeforeItLeads) {
  advance();
  elect(7);
  EXPECT_TRUE(group.is_reading(7));
  ASSERT_TRUE(find<Read>());
  EXPECT_EQ(find<Read>()->names, (std::vector<std::string>{"g/g"}));
  EXPECT_FALSE(group.is_led());
  begin_term();
  EXPECT_TRUE(group.leads());
  ASSERT_TRUE(find<RecordTerm>());
  EXPECT_EQ(find<RecordTerm>()->term.epoch, 7u);
}

/// They may say that the store has gone back.
TEST_F(GroupOfNodeA, ReadsThemOnceTheOtherNodesRecordsAreListedAndWaitsNotForLong) {
  parts.feeds.nodes.on_lost();
  advance();
  elect();
  EXPECT_FALSE(find<Read>());
  const auto wait = group.wake(true);
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, at + 5s) << "T/2";
  parts.feeds.nodes.on_listed(at, true, 0);
  act([](GroupMachine& machine, GroupContext& g) { machine.on_nodes_listed(g); });
  EXPECT_TRUE(find<Read>());
  EXPECT_FALSE(group.wake(true));
  parts.feeds.nodes.on_lost();
  act([](GroupMachine& machine, GroupContext& g) { machine.end_term(g, Cause::expired); });
  advance();
  elect(2);
  at = *group.wake(true);
  advance();
  EXPECT_TRUE(find<Read>());
}

TEST_F(GroupOfNodeA, ReadsThemAgainLaterWhereTheyCouldNotBeRead) {
  advance();
  elect();
  act([&](GroupMachine& machine, GroupContext&) { machine.on_unread(at); });
  EXPECT_EQ(group.wake(true), at + 200ms);
  advance();
  EXPECT_FALSE(find<Read>());
  at += 200ms;
  advance();
  EXPECT_TRUE(find<Read>());
}

TEST_F(GroupOfNodeA, WritesWhoLeadsAndHowTheTermHasEnded) {
  advance();
  elect(3);
  begin_term();
  advance();
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->epoch, 3u);
  EXPECT_EQ(write()->node, "a");
  EXPECT_FALSE(write()->ended_at);
  written();
  entry.configured = false;
  advance();
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->ended_at, now().wall);
  EXPECT_EQ(write()->cause, Cause::resigned);
  EXPECT_TRUE(has_resigned());
}

TEST_F(GroupOfNodeA, IsNotResignedWhileAWriteOfItsRegisterIsNotAnswered) {
  advance();
  elect();
  begin_term();
  advance();
  entry.configured = false;
  advance();
  EXPECT_TRUE(group.leads());
  written(StoreResult::unknown);
  advance();
  EXPECT_TRUE(group.leads());
}

TEST_F(GroupOfNodeA, IsHandedOverWhereThisNodeIsEvictedAndComesBackAfterThreeTimeouts) {
  lead();
  take(Request::Kind::evict);
  EXPECT_TRUE(group.is_evicting());
  advance();
  EXPECT_TRUE(group.leads()) << "the store still shows the request, which must not reach the next leader";
  evictions_removed();
  advance();
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->cause, Cause::evicted);
  depose();
  EXPECT_TRUE(group.cools());
  ASSERT_EQ(parts.wants.answers.size(), 1u);
  EXPECT_TRUE(parts.wants.answers.front().answer->ok);
  advance();
  EXPECT_EQ(group.phase(), Phase::idle);
  at += 30s;
  advance();
  EXPECT_EQ(group.phase(), Phase::candidate);
}

TEST_F(GroupOfNodeA, ComesBackAtOnceAfterAnEvictionWhereItIsAlone) {
  lead();
  take(Request::Kind::evict);
  evictions_removed();
  advance();
  depose();
  observe({{"a", "s"}, {"b", "t"}});
  EXPECT_TRUE(group.cools());
  observe({{"a", "s"}});
  EXPECT_FALSE(group.cools());
}

TEST_F(GroupOfNodeA, DrainsWhileThisNodeMayNotLeadItAndGoesOnWhereItMayAgainInTime) {
  lead();
  parts.health.on_clock(11s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  EXPECT_TRUE(group.term().draining);
  parts.health.on_clock(0s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  EXPECT_FALSE(group.term().draining);
  advance();
  EXPECT_TRUE(group.leads());
}

TEST_F(GroupOfNodeA, IsResignedAsUnfitWhereTheStoreFindsThisNodeUnfitAndEnteredAgainOnceItIsFit) {
  lead();
  find_unfit("check 'db' is critical");
  ASSERT_TRUE(find<Notice>());
  EXPECT_EQ(find<Notice>()->text, "not fit to lead: check 'db' is critical");
  advance();
  EXPECT_EQ(group.phase(), Phase::resigning);
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->cause, Cause::resigned) << "an older build does not know the word";
  EXPECT_TRUE(has_resigned());
  depose();
  ASSERT_TRUE(find<RecordTerm>());
  EXPECT_EQ(find<RecordTerm>()->term.cause, Cause::unfit);
  advance();
  EXPECT_EQ(group.phase(), Phase::idle) << "it does not campaign";
  find_unfit("check 'db' is critical");
  EXPECT_FALSE(find<Notice>()) << "once";
  find_unfit("");
  advance();
  EXPECT_EQ(group.phase(), Phase::candidate);
}

TEST_F(GroupOfNodeA, LeavesTheElectionWhileTheStoreFindsThisNodeUnfit) {
  advance();
  find_unfit("maintenance");
  advance();
  EXPECT_EQ(group.phase(), Phase::idle);
  EXPECT_TRUE(has_resigned());
}

TEST_F(GroupOfNodeA, IsDrainedWhereItIsWonByANodeThatIsUnfit) {
  advance();
  elect();
  find_unfit("maintenance");
  begin_term();
  EXPECT_TRUE(group.term().draining);
  advance();
  written();
  advance();
  EXPECT_EQ(group.phase(), Phase::resigning);
}

TEST_F(GroupOfNodeA, ThatIsHandedBackForWhatTheFilesSayHasResigned) {
  lead();
  entry.settings.candidates = {"b"};
  advance();
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->cause, Cause::resigned);
}

TEST_F(GroupOfNodeA, AnEvictionIsNotForgottenWhereTheNodeMayLeadAgain) {
  lead();
  parts.health.on_clock(11s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  take(Request::Kind::evict);
  parts.health.on_clock(0s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  EXPECT_TRUE(group.is_evicting());
  EXPECT_TRUE(group.term().draining);
}

TEST_F(GroupOfNodeA, ANodeThatReelectsAndMayNotLeadMeanwhileStillGivesTheGroupAway) {
  lead();
  act([](GroupMachine& machine, GroupContext& g) { machine.reelect(g); });
  parts.health.on_clock(11s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  parts.health.on_clock(0s);
  act([](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
  advance();
  EXPECT_EQ(group.phase(), Phase::resigning);
  depose();
  EXPECT_TRUE(group.cools());
}

TEST_F(GroupOfNodeA, IsHandedOverToANodeThatTakesPartAndNamesIt) {
  lead();
  act([](GroupMachine& machine, GroupContext& g) { machine.begin_handover(g, "t"); });
  EXPECT_TRUE(find<Observe>());
  observe({{"a", "s"}});
  EXPECT_TRUE(group.leads()) << "it does not take part";
  act([](GroupMachine& machine, GroupContext& g) { machine.begin_handover(g, "t"); });
  observe({{"a", "s"}, {"b", "t"}});
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->hand_over_to, "b");
  EXPECT_TRUE(has_resigned());
  ASSERT_TRUE(find<Notice>());
  EXPECT_EQ(find<Notice>()->text,
            "hands over to b: the hash of group and node chooses it, so that groups spread over the nodes");
}

TEST_F(GroupOfNodeA, SaysOfAHandOverWhyTheOtherNodeShouldLead) {
  lead();
  entry.settings.preferred = {"b"};
  act([](GroupMachine& machine, GroupContext& g) { machine.begin_handover(g, "t"); });
  observe({{"a", "s"}, {"b", "t"}});
  ASSERT_TRUE(find<Notice>());
  EXPECT_EQ(find<Notice>()->text, "hands over to b: it comes before this node in the group's preferred");
}

TEST_F(GroupOfNodeA, ForwardsWhatIsHandedOverToAnotherThatTakesPartAndLeadsNothing) {
  const Register stored = elected_in_place_of_b();
  bool considers = false;
  act([&](GroupMachine& machine, GroupContext& g) { considers = machine.considers_forwarding(g, stored, {stored}); });
  ASSERT_TRUE(considers);
  EXPECT_FALSE(observe({{"a", "s"}, {"b", "t"}}));
  EXPECT_FALSE(group.is_led());
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->epoch, 1u) << "as the term before has left it";
  EXPECT_EQ(write()->forwards, 1);
  EXPECT_TRUE(has_resigned());
  depose(2);
  EXPECT_FALSE(find<RecordTerm>());
  EXPECT_EQ(group.phase(), Phase::idle);
}

TEST_F(GroupOfNodeA, LeadsItselfWhereTheOtherDoesNotTakePart) {
  const Register stored = elected_in_place_of_b();
  act([&](GroupMachine& machine, GroupContext& g) { machine.considers_forwarding(g, stored, {stored}); });
  EXPECT_TRUE(observe({{"a", "s"}}));
  EXPECT_EQ(group.take_registers().size(), 1u);
  begin_term(stored);
  EXPECT_TRUE(group.leads());
  advance();
  EXPECT_EQ(write()->hand_over_to, "") << "a hand-over that has failed is over";
  EXPECT_EQ(write()->failed_handovers, 1);
}

TEST_F(GroupOfNodeA, APauseIsAnsweredOnceItsRegisterSaysSo) {
  lead();
  take(Request::Kind::pause);
  advance();
  ASSERT_TRUE(write());
  EXPECT_TRUE(write()->paused);
  EXPECT_TRUE(parts.wants.answers.empty());
  written();
  advance();
  EXPECT_EQ(parts.wants.answers.size(), 1u);
}

TEST_F(GroupOfNodeA, AHaltIsWrittenAndLoggedOnceHoweverOftenItIsLed) {
  lead();
  act([](GroupMachine& machine, GroupContext& g) { machine.halt(g, "the store has gone back"); });
  EXPECT_TRUE(find<Notice>());
  advance();
  ASSERT_TRUE(write());
  EXPECT_EQ(write()->halted, "the store has gone back");
  const auto since = write()->halted_at;
  EXPECT_TRUE(since);
  const Register stored{"g/g", find<Write>()->batch.front().value, 9};
  written();
  act([](GroupMachine& machine, GroupContext& g) { machine.end_term(g, Cause::expired); });
  advance();
  elect(2);
  begin_term(stored);
  EXPECT_EQ(group.term().halted, "the store has gone back");
  EXPECT_EQ(group.known_register().halted_at, since);
  for (const Action& action : out) {
    const auto* const notice = std::get_if<Notice>(&action);
    EXPECT_TRUE(!notice || notice->text == "leads") << notice->text;
  }
}

TEST_F(GroupOfNodeA, ATermThatEndsIsRecordedAndIsNoTermAnyMore) {
  lead();
  act([](GroupMachine& machine, GroupContext& g) { machine.end_term(g, Cause::expired); });
  ASSERT_TRUE(find<RecordTerm>());
  EXPECT_EQ(find<RecordTerm>()->term.cause, Cause::expired);
  EXPECT_EQ(find<RecordTerm>()->term.ended_at, now().wall);
  EXPECT_FALSE(group.is_led());
  EXPECT_TRUE(parts.groups.led().empty());
}

}  // namespace
}  // namespace ballot::core
