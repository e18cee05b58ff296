#include "app/why_nothing.hpp"

#include <gtest/gtest.h>

#include "unit/app/rows.hpp"

namespace ballot::app {
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
  facts.paused_at = slot - Millis(1000);
  facts.paused_by = "host-2 uid 1000";
  expect(facts, "not recorded", "paused since 2025-03-09T06:59:59.000Z, by host-2 uid 1000.");
  facts.paused_at = slot + Millis(1000);
  expect(facts, "not recorded", "leads the group");
}

TEST(WhyNothing, SaysWhatKeepsTheJobFromBeingSettled) {
  UnrecordedSlot facts = passed();
  facts.state = "halted";
  facts.trouble = "the store has gone back";
  expect(facts, "not recorded", "halted: the store has gone back");
  facts.state = "waiting for group other";
  expect(facts, "not recorded", "waiting for group other");
  facts.state = "clock_skew";
  expect(facts, "not recorded", "ahead of this node's clock");
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

TEST(WhyNothing, SaysThatASlotWaits) {
  UnrecordedSlot facts = passed();
  facts.waits = true;
  expect(facts, "queued", "waits");
}

}  // namespace
}  // namespace ballot::app
