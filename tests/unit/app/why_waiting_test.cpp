// What `why` says of slots that wait, or had waited when something else came between.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "library/why/why_nothing.hpp"
#include "unit/app/rows.hpp"

namespace ballot::library {
namespace {

using std::chrono::minutes;
using testing::slot;

/// Of a job that this node leads, some time ago.
struct WhyWaiting : ::testing::Test {
  WhyWaiting() {
    facts.job = "nightly";
    facts.group = "g";
    facts.slot = slot;
    facts.now = slot + minutes(10);
    facts.node = facts.leader = "host-1";
    facts.state = "active";
  }
  void expect(const std::string& word, const std::string& part) const {
    const Explained why = why_nothing(facts);
    EXPECT_EQ(why.word, word);
    EXPECT_NE(why.text.find(part), std::string::npos) << why.text;
  }

  UnrecordedSlot facts;
};

TEST_F(WhyWaiting, ASlotBehindAFullQueueIsToBeSkipped) {
  facts.waits_behind = slot - minutes(5);
  expect("queued", "which comes before, still waits");
  facts.queue_is_full = true;
  expect("not recorded", "so this one becomes skipped: queue_full.");
  expect("not recorded", "that waits is that of " + format_slot(slot - minutes(5)) + ".");
}

TEST_F(WhyWaiting, ASlotOfAGroupWaitsForANodeThatMayLeadIt) {
  facts.leader.clear();
  facts.without_candidates = true;
  expect("not recorded", "Of the nodes that are there none may lead group g, by the candidates of [group.g], so ");
  facts.missing = {"host-2"};
  expect("not recorded", "Of the nodes that are there none may lead group g, by the candidates of [group.g], so ");
  expect("not recorded", "No ledger that was asked has a row of the slot, and node host-2 has not answered.");
  facts.without_candidates = false;
  expect("not recorded", "node host-2 has not answered: what became of it may be recorded there.");
}

TEST_F(WhyWaiting, ASlotThatHadWaitedWhenAPauseBeganIsOneOfItsSlots) {
  facts.state = "paused";
  facts.pauses = {{.since = slot + minutes(1), .by = "ada"}};
  facts.settled_until = slot - minutes(1);
  const std::string waited = "by ada. The slot was due before that, and waited when the pause began. It becomes, ";
  expect("not recorded", waited);
  facts.missing = {"host-2"};
  expect("not recorded", waited);
  facts.missing.clear();
  facts.settled_until = slot;
  EXPECT_EQ(why_nothing(facts).text.find("paused"), std::string::npos) << "something has become of it";
  facts.settled_until.reset();
  EXPECT_EQ(why_nothing(facts).text.find("paused"), std::string::npos) << "that is not known";
  facts.settled_until = slot - minutes(1);
  facts.slot = slot + minutes(2);
  expect("not recorded", "by ada. Slots that pass meanwhile become skipped: paused when it is resumed");
}

/// Skips are written some seconds later, together.
TEST_F(WhyWaiting, OfANewSlotNothingIsSaidToBeWrittenYet) {
  facts.now = slot + std::chrono::seconds(4);
  const std::string none = "This node leads the group, and its ledger says nothing of the slot";
  expect("not recorded", none + " yet: what becomes of a slot is written within seconds. Ask again.");
  facts.settled_until = slot;
  expect("not recorded", none + ", which is settled: the node that led the group then wrote what became of it.");
  facts.settled_until.reset(), facts.now = slot + minutes(2);
  expect("not recorded", none + ": the node that led the group then wrote what became of it, or nobody has");
}

TEST_F(WhyWaiting, ASlotOfAHaltIsToldSoWhoeverDoesNotAnswer) {
  facts.state = "halted", facts.trouble = "the register is unreadable at line 7";
  facts.halted_at = slot - minutes(1);
  facts.missing = {"host-2"};
  expect("not recorded", "The job is halted since " + format_millis(*facts.halted_at));
  facts.halted_at = slot + minutes(1);
  expect("not recorded", "host-2 has not answered");
}

}  // namespace
}  // namespace ballot::library
