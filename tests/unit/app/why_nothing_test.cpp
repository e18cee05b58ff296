#include "library/why/why_nothing.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "unit/app/rows.hpp"

namespace ballot::library {
namespace {

using testing::slot;
using Schedule = UnrecordedSlot::Schedule;
using Daemon = UnrecordedSlot::Daemon;

/// Of a job that this node leads, an hour ago.
UnrecordedSlot passed() {
  UnrecordedSlot facts;
  facts.job = "nightly";
  facts.group = "g";
  facts.slot = slot;
  facts.now = slot + std::chrono::hours(1);
  facts.keep = std::chrono::hours(24);
  facts.node = facts.leader = "host-1";
  facts.state = "active";
  return facts;
}

void expect(const UnrecordedSlot& facts, const std::string& word, const std::string& part) {
  const Explained why = why_nothing(facts);
  EXPECT_EQ(why.word, word);
  EXPECT_NE(why.text.find(part), std::string::npos) << why.text;
  EXPECT_EQ(why.text.find(" may "), std::string::npos) << "one cause, and no maybes: " << why.text;
}

TEST(WhyNothing, APauseIsTheCauseAlsoWhereNodesAreAway) {
  UnrecordedSlot facts = passed();
  facts.schedule = Schedule::some;
  facts.daemon = Daemon::there;
  facts.missing = {"host-2"};
  facts.state = "paused";
  facts.pauses = {{.since = slot - std::chrono::hours(1), .by = "host-1 uid 0"}};
  expect(facts, "not recorded", "paused since");
  facts.pauses.front().since = slot + std::chrono::minutes(1);
  EXPECT_NE(why_nothing(facts).text.find("node host-2 has not answered"), std::string::npos) << "it was paused later";
}

TEST(WhyNothing, ASlotToComeThatACalendarLeavesOutWillBeSkipped) {
  UnrecordedSlot facts = passed();
  facts.now = slot - std::chrono::hours(1);
  facts.left_out = "2026-12-25 is in holidays";
  expect(facts, "to come", "2026-12-25 is in holidays. Nothing is due then: it will be skipped: calendar.");
}

TEST(WhyNothing, ASlotThatIsLeftOutOfTheTimeBeforeTheJobPromisesNoRow) {
  UnrecordedSlot facts = passed();
  facts.left_out = "2026-12-25 is in holidays";
  expect(facts, "not recorded", "written within seconds");
  facts.since = slot + std::chrono::minutes(1);
  expect(facts, "not recorded", "The slot was not due: the job, as it is defined now, counts from ");
  EXPECT_EQ(why_nothing(facts).text.find("within seconds"), std::string::npos);
}

TEST(WhyNothing, AJobAfterOneWithoutAScheduleSaysSo) {
  UnrecordedSlot facts = passed();
  facts.slot.reset();
  facts.schedule = Schedule::none;
  facts.no_slots = "it has the slots of job extract, and job extract has no schedule";
  expect(facts, "no slot",
         "It has no schedule of its own: it has the slots of job extract, and job extract has no schedule.");
}

TEST(WhyNothing, ASlotBehindOneThatWaitsIsQueued) {
  UnrecordedSlot facts = passed();
  facts.waits_behind = slot - std::chrono::minutes(5);
  expect(facts, "queued", "that of " + format_slot(*facts.waits_behind) + ", which comes before, still waits");
}

/// The node of the instance is there, and its job files do not define the job.
TEST(WhyNothing, NamesWhatIsWrongWithTheJobFilesOfTheNodeWhoseInstanceItIs) {
  UnrecordedSlot facts = passed();
  facts.job = "trim@host-2";
  facts.group = "g@host-2";
  facts.schedule = Schedule::not_loaded;
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "";
  facts.is_led_by_nobody = true;
  facts.undefined_there = "config: 1 error in the job files: jobs.d/trim.toml:2:1: error: no such key";
  expect(facts, "not recorded", "It has answered: the job is not defined there (config: 1 error in the job files: ");
}

/// As its own node says, or the store.
TEST(WhyNothing, APauseIsTheCauseOfAnotherNodesInstanceToo) {
  UnrecordedSlot facts = passed();
  facts.job = "trim@host-2";
  facts.schedule = Schedule::not_loaded;
  facts.daemon = Daemon::unaware;
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "host-2";
  facts.state = "paused";
  facts.pauses = {{.since = slot - std::chrono::hours(1), .by = "host-1 uid 0"}};
  expect(facts, "not recorded", "paused since");
  facts.missing = {"host-2"};
  expect(facts, "not recorded", "paused since");
  facts.state = "active", facts.missing = {};
  expect(facts, "not recorded", "It has answered, and has no row of the slot: ");
}

TEST(WhyNothing, OfAPausedInstanceWhoseNodeIsAwayItIsSaidThatTheStoreAloneKnowsThePause) {
  UnrecordedSlot facts = passed();
  facts.job = "trim@host-2";
  facts.schedule = Schedule::not_loaded;
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader.clear();
  facts.missing = {"host-2"};
  facts.missing_heard = slot - Millis(9000);
  facts.state = "paused";
  facts.pauses = {{.since = slot - std::chrono::hours(1), .by = "host-1 uid 0"}};
  expect(facts, "not recorded", "The job is paused since 2025-03-09T06:00:00.000Z, by host-1 uid 0.");
  expect(
      facts, "not recorded",
      "Node host-2, which runs it for itself, has not answered; last heard of 2025-03-09T06:59:51Z: that is what the "
      "store shows of its pause, and while that node is away nobody runs it.");
  facts.pauses.front().since = slot + Millis(1000);
  expect(facts, "not recorded", "It has not answered: what became of the slot nobody else knows");
  expect(facts, "not recorded", "By the store it is paused since 2025-03-09T07:00:01.000Z, by host-1 uid 0.");
  facts.slot.reset();
  expect(facts, "no slot", "By the store it is paused since");
  facts.has_phase = false;
  expect(facts, "not recorded", "By the store it is paused since");
  facts.state.clear(), facts.pauses.clear();
  facts.store_is_silent = true;
  expect(facts, "not recorded", "Whether it is paused is not known: the store does not answer this node.");
}

TEST(WhyNothing, AJobThatRunsByHandAloneWasNeverTriggeredWhereNoLedgerHasARun) {
  UnrecordedSlot facts = passed();
  facts.slot.reset();
  facts.schedule = Schedule::none;
  facts.scope = UnrecordedSlot::Scope::fleet;
  for (const char* leader : {"host-1", "host-2", ""}) {
    facts.leader = leader;
    EXPECT_EQ(
        why_nothing(facts).text,
        "It has no schedule: it runs by `ballot trigger` only. It was never triggered: no ledger has a run of it; "
        "rows are kept for 1d ([history] keep).");
  }
  facts.at = slot;
  expect(facts, "no slot", "It was never triggered up to that time: no ledger has a run of it");
  facts.schedule = Schedule::disabled;
  expect(facts, "no slot", "It was never triggered up to that time: no ledger has a run of it");
  facts.at.reset();
  facts.scope = UnrecordedSlot::Scope::node;
  expect(facts, "no slot", "It was never triggered, as far as this node's ledger knows; rows");
}

TEST(WhyNothing, ADaemonThatHangsIsNotSaidToBeAway) {
  UnrecordedSlot facts = passed();
  facts.daemon = Daemon::hung;
  facts.leader.clear();
  EXPECT_NE(why_nothing(facts).text.find("the daemon here, which may know more, does not answer"), std::string::npos);
  facts.daemon = Daemon::away;
  EXPECT_NE(why_nothing(facts).text.find("no daemon runs here"), std::string::npos);
}

TEST(WhyNothing, OfAJobThatRunsByHandARunMayBeRecordedOnANodeThatIsAway) {
  UnrecordedSlot facts = passed();
  facts.slot.reset();
  facts.schedule = Schedule::none;
  expect(facts, "no slot", "It has no schedule");
  facts.missing = {"host-2"};
  for (const Schedule schedule : {Schedule::none, Schedule::disabled}) {
    facts.schedule = schedule;
    EXPECT_EQ(why_nothing(facts).word, "not recorded");
    EXPECT_NE(why_nothing(facts).text.find("node host-2 has not answered: a run of it may be recorded there."),
              std::string::npos)
        << why_nothing(facts).text;
  }
}

TEST(WhyNothing, ASlotOfBeforeTheJobWasDefinedIsNotBlamedOnANodeThatIsAway) {
  UnrecordedSlot facts = passed();
  facts.schedule = Schedule::some;
  facts.daemon = Daemon::there;
  facts.missing = {"host-2", "host-3"};
  facts.since = slot + std::chrono::minutes(5);
  EXPECT_EQ(why_nothing(facts).text,
            "The slot was not due: the job, as it is defined now, counts from " + format_slot(*facts.since) +
                " on. No ledger that was asked has a row of it by an earlier definition; nodes host-2, host-3 have not "
                "answered.");
  facts.since = slot - std::chrono::minutes(5);
  EXPECT_NE(why_nothing(facts).text.find("nodes host-2, host-3 have not answered: what became"), std::string::npos);
}

TEST(WhyNothing, ASlotThatNoNodeHasARowOfIsNotToBeAskedForElsewhere) {
  UnrecordedSlot facts = passed();
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "host-2";
  facts.now = *facts.slot + std::chrono::seconds(4);
  expect(facts, "not recorded", "written within seconds. Ask again.");
  facts.now = *facts.slot + std::chrono::hours(1);
  expect(facts, "not recorded", "`ballot audit` says which slots have no row.");
  EXPECT_EQ(why_nothing(facts).text.find("ask there"), std::string::npos);
  facts.leader = facts.node;
  EXPECT_EQ(why_nothing(facts).text.find("the node that led the group then wrote"), std::string::npos);
}

TEST(WhyNothing, OfAnInstanceOfANodeThatIsAwayNobodyElseKnows) {
  UnrecordedSlot facts = passed();
  facts.job = "trim@host-2";
  facts.schedule = UnrecordedSlot::Schedule::not_loaded;
  facts.slot.reset();
  expect(facts, "no slot", "keeps what became of it: ask there.");
  facts.missing = {"host-2"};
  expect(facts, "no slot", "nobody else knows, and while that node is away nobody runs it.");
}

TEST(WhyNothing, NamesWhatTheFilesSay) {
  UnrecordedSlot facts = passed();
  facts.schedule = Schedule::disabled;
  expect(facts, "not recorded", "enabled = false");
  facts.slot.reset();
  expect(facts, "no slot", "enabled = false");
  facts.schedule = Schedule::none;
  expect(facts, "no slot", "no schedule");
  facts.schedule = Schedule::only_reboot;
  expect(facts, "no slot", "boots");
  facts.schedule = Schedule::not_loaded;
  expect(facts, "no slot", "No job file");
  facts.leader = "host-2";
  for (const Schedule by_hand : {Schedule::disabled, Schedule::none}) {
    facts.schedule = by_hand;
    expect(facts, "no slot", "Node host-2 leads group g: ask there.");
  }
  facts.leader = "host-1";
  facts.schedule = Schedule::some;
  facts.next = slot + std::chrono::hours(5);
  expect(facts, "no slot", "The next slot is 2025-03-09T12:00:00Z.");
}

TEST(WhyNothing, SaysThatASlotIsToCome) {
  UnrecordedSlot facts = passed();
  facts.slot = facts.now + Millis(1);
  expect(facts, "to come", "still to come");
}

TEST(WhyNothing, SaysThatTheJobIsNewerThanTheSlot) {
  UnrecordedSlot facts = passed();
  facts.since = slot;
  expect(facts, "not recorded", "counts from 2025-03-09T07:00:00Z on");
  facts.since = slot - Millis(1000);
  expect(facts, "not recorded", "leads the group");
}

TEST(WhyNothing, SaysWhoPausedIt) {
  UnrecordedSlot facts = passed();
  facts.state = "paused";
  facts.pauses = {{Pause::Of::group, slot - Millis(1000), "host-2 uid 1000"}};
  expect(facts, "not recorded", "paused with its group since 2025-03-09T06:59:59.000Z, by host-2 uid 1000.");
  facts.pauses[0].since = slot + Millis(1000);
  expect(facts, "not recorded", "leads the group");
}

TEST(WhyNothing, SaysWhatAGroupWaitsForWhoseLeaderIsDead) {
  UnrecordedSlot facts = passed();
  facts.leader = "host-2";
  facts.leader_is_silent = true;
  facts.leader_heard = slot - Millis(1000);
  expect(facts, "not recorded",
         "Node host-2, which leads group g by the store, does not renew its session; it was last heard of");
  expect(facts, "not recorded", "runs of the dead term with on_leadership_lost = \"terminate\" are killed by then");
}

TEST(WhyNothing, SaysWhenAnotherNodeLeadsAtTheLatestWhereTheLeaderDoesNotAnswer) {
  UnrecordedSlot facts = passed();
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "host-2";
  facts.missing = {"host-2"};
  facts.leader_heard = slot - Millis(1000);
  facts.leader_until = slot + Millis(9000);
  expect(facts, "not recorded", "Node host-2, which leads group g by the store, does not answer; it was last heard of");
  expect(facts, "not recorded", "is over, which is at 2025-03-09T07:00:09Z unless it is renewed:");
  facts.leader_heard = slot + Millis(1000);
  EXPECT_NE(why_nothing(facts).text.find("what became of it may be recorded there"), std::string::npos);
}

TEST(WhyNothing, ANodeThatWasSilentBeforeTheSlotIsNotSaidToHaveRecordedIt) {
  UnrecordedSlot facts = passed();
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.now = *facts.slot + std::chrono::seconds(4);
  facts.missing = {"host-2"};
  facts.missing_heard = slot - Millis(9000);
  expect(facts, "not recorded",
         "host-2 has not answered; last heard of 2025-03-09T06:59:51Z, before the slot was due.");
  expect(facts, "not recorded", "This node leads group g now: what becomes of a slot is written within seconds.");
  facts.leader = "host-3";
  expect(facts, "not recorded", "Node host-3 leads group g now: what becomes");
  facts.leader_trouble = "it is stopping";
  expect(facts, "not recorded", "Node host-3 leads group g, and says of itself that it is not fit to: it is stopping.");
  facts.leader_trouble = "";
  facts.missing_heard = slot + Millis(1);
  EXPECT_NE(why_nothing(facts).text.find("what became of it may be recorded there"), std::string::npos);
}

TEST(WhyNothing, SaysWhatTheLeaderSaysAgainstItself) {
  UnrecordedSlot facts = passed();
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "host-2";
  facts.leader_trouble = "its runner does not answer";
  facts.now = *facts.slot + std::chrono::seconds(4);
  expect(facts, "not recorded", "Node host-2 leads group g, and says of itself that it is not fit to: its runner does");
  EXPECT_EQ(why_nothing(facts).text.find("Ask again"), std::string::npos);
  facts.leader = facts.node;
  facts.leader_trouble = "runner: it does not answer";
  expect(facts, "not recorded", "This node leads group g, and is not fit to: runner: it does not answer. What is due");
}

TEST(WhyNothing, NamesAStoreThatRefusesWritesWhoeverLeadsAndWhateverElseItSays) {
  const std::string refusal = "the store refuses writes: there is no space, since 2025-03-09T07:00:02Z";
  UnrecordedSlot facts = passed();
  facts.now = *facts.slot + Millis(1);
  EXPECT_EQ(refusal_beside(facts, "It was not due."), "");
  facts.leader_trouble = refusal;
  expect(facts, "not recorded", "This node leads group g, and starts nothing: " + refusal + ". What is due is");
  EXPECT_EQ(refusal_beside(facts, why_nothing(facts).text), "") << "that says it already";
  EXPECT_EQ(refusal_beside(facts, "It was not due."),
            " Nothing of group g is started at present, by hand neither: " + refusal + ".");
  facts.leader = "host-2";
  facts.scope = UnrecordedSlot::Scope::fleet;
  expect(facts, "not recorded", "Node host-2 leads group g, and says of itself that it starts nothing: " + refusal);
  facts.leader = facts.leader_trouble = "";
  facts.store_refusal = refusal;
  expect(facts, "not recorded", "Nobody leads group g at present: " + refusal + ". Whoever leads it next settles");
  EXPECT_NE(refusal_beside(facts, "It was not due."), "");
}

TEST(WhyNothing, NamesAStoreThatDoesNotAnswerAndSinceWhen) {
  UnrecordedSlot facts = passed();
  facts.leader = "";
  facts.store_is_silent = true;
  expect(facts, "not recorded", "The store does not answer this node: who leads group g is not known here");
  facts.store_heard = slot - Millis(3000);
  expect(facts, "not recorded", "The store does not answer this node, since 2025-03-09T06:59:57Z:");
  EXPECT_EQ(why_nothing(facts).text.find("Nobody leads"), std::string::npos);
  facts.missing = {"host-2"};
  expect(facts, "not recorded", "policy. Also, node host-2 has not answered.");
  facts.missing.clear();
  facts.leader = facts.node;
  expect(facts, "not recorded", "who leads group g next is not known, and node host-1 led it last");
  facts.store_heard = slot + Millis(1);
  expect(facts, "not recorded", "This node leads the group");
}

TEST(WhyNothing, SaysWhatKeepsTheJobFromBeingSettled) {
  UnrecordedSlot facts = passed();
  facts.state = "waiting for group other";
  expect(facts, "not recorded", "waiting for group other");
  facts.state = "clock_skew";
  expect(facts, "not recorded", "ahead of this node's clock");
}

TEST(WhyNothing, SaysSinceWhenAJobIsHaltedWhyAndHowToRepairIt) {
  UnrecordedSlot facts = passed();
  facts.state = "halted";
  facts.trouble = "the register is unreadable";
  expect(facts, "not recorded",
         "The job is halted: the register is unreadable. Nothing of it is launched until `ballot repair nightly`;");
  facts.halted_at = slot + Millis(1000);
  expect(facts, "not recorded", "The job is halted since 2025-03-09T07:00:01.000Z: the register");
  facts.halted_with_group = true;
  facts.leader = "";
  expect(facts, "not recorded", "Group g is halted since");
  expect(facts, "not recorded", "until `ballot repair --group g`;");
  facts.daemon = Daemon::away;
  expect(facts, "not recorded", "Group g is halted since");
  facts.trouble = "the register is of a newer format: upgrade this node";
  EXPECT_EQ(why_nothing(facts).text.find("repair"), std::string::npos) << why_nothing(facts).text;
}

TEST(WhyNothing, OfASlotBeforeAHaltThatAnotherNodeLedThatOneKnowsMore) {
  UnrecordedSlot facts = passed();
  facts.state = "halted";
  facts.leader = "host-2";
  facts.halted_at = slot - Millis(1000);
  EXPECT_EQ(why_nothing(facts).text.find("ask there"), std::string::npos);
  facts.halted_at = slot + Millis(1000);
  expect(facts, "not recorded", "ask there. Ledgers belong to their nodes. The job is halted since");
}

TEST(WhyNothing, SaysWhoKnowsMore) {
  UnrecordedSlot facts = passed();
  facts.leader = "host-2";
  expect(facts, "not recorded", "Node host-2 leads group g: ask there.");
  facts.leader = "";
  expect(facts, "not recorded", "Nobody leads group g");
  facts.daemon = Daemon::away;
  expect(facts, "not recorded", "no daemon runs here");
  facts.daemon = Daemon::unaware;
  expect(facts, "not recorded", "The daemon does not have the job");
}

TEST(WhyNothing, SaysThatRowsAreNotKeptForEver) {
  UnrecordedSlot facts = passed();
  facts.keep = std::chrono::minutes(59);
  expect(facts, "not recorded", "kept for 59m");
}

TEST(WhyNothing, WhichSlotsAnEveryHasIsNotKnownWhileItsLeaderIsSilent) {
  UnrecordedSlot facts = passed();
  facts.slot.reset();
  facts.has_phase = false;
  facts.scope = UnrecordedSlot::Scope::fleet;
  facts.leader = "host-2";
  expect(facts, "no slot", "The schedule has no slot up to that time.");
  facts.missing = {"host-2"};
  facts.leader_is_silent = true;
  facts.leader_heard = facts.now - Millis(9000);
  expect(facts, "not recorded", "Its @every counts from a time that only the node which leads the job");
  expect(facts, "not recorded", "Node host-2, which leads group g by the store, does not renew its session");
  facts.at = facts.now - Millis(10'000);
  EXPECT_TRUE(
      why_nothing(facts).text.ends_with("node host-2 has not answered: what became of it may be recorded there."))
      << why_nothing(facts).text;
  facts.at.reset();
  facts.state = "paused";
  facts.pauses = {{.since = facts.now - Millis(1000), .by = "host-1 uid 0"}};
  expect(facts, "not recorded", "The job is paused since");
}

TEST(WhyNothing, WhichSlotsAnEveryHasIsNotKnownWhileNobodyLeadsIt) {
  UnrecordedSlot facts = passed();
  facts.slot.reset();
  facts.has_phase = false;
  facts.leader.clear();
  expect(facts, "not recorded", "Nobody leads group g at present.");
  facts.store_is_silent = true;
  expect(facts, "not recorded", "The store does not answer this node");
  facts.daemon = Daemon::away;
  expect(facts, "not recorded", "no daemon runs here");
  facts.has_phase = true;
  expect(facts, "no slot", "The schedule has no slot up to that time.");
}

TEST(WhyNothing, SaysThatASlotWaits) {
  UnrecordedSlot facts = passed();
  facts.waits = true;
  expect(facts, "queued", "waits");
}

}  // namespace
}  // namespace ballot::library
