// What the next leader gets to know of the terms before.
#include <gtest/gtest.h>

#include "support/predecessor.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime now{100s};

MemberRecord leader(SteadyTime deadline, const std::string& boot_id = "boot") {
  MemberRecord made;
  made.boot_id = boot_id;
  made.deadline = deadline;
  made.renewed = WallTime(7s);
  return made;
}

TEST(ThePredecessor, OfAFirstTermIsNobody) {
  const auto before = predecessor({}, std::nullopt, "boot", now);
  EXPECT_FALSE(before.resumed);
  EXPECT_FALSE(before.old_deadline);
  EXPECT_FALSE(before.last_alive);
}

TEST(ThePredecessor, ThatDiedMayRunUntilItsDeadlineOnThisBootOnly) {
  const LastTerm open{.clean = false};
  EXPECT_EQ(predecessor(open, leader(now + 5s), "boot", now).old_deadline, now + 5s);
  EXPECT_EQ(predecessor(open, leader(now - 5s), "boot", now).old_deadline, now - 5s)
      << "it is given where it is past, too";
  EXPECT_FALSE(predecessor(open, leader(now + 5s, "another"), "boot", now).old_deadline);
  EXPECT_EQ(predecessor(open, leader(now + 5s, "another"), "boot", now).last_alive, WallTime(7s));
}

TEST(ThePredecessor, ThatResignedLeavesNothingButWhatWasBeforeIt) {
  const LastTerm clean{.clean = true, .earlier_until = now + 3s};
  EXPECT_EQ(predecessor(clean, leader(now + 9s), "boot", now).old_deadline, now + 3s);
  EXPECT_FALSE(predecessor({.clean = true, .earlier_until = now}, leader(now + 9s), "boot", now).old_deadline)
      << "past";
}

TEST(ThePredecessor, IsTheLastOfAllThatDiedOneAfterTheOther) {
  const LastTerm open{.clean = false, .earlier_until = now + 8s};
  EXPECT_EQ(predecessor(open, leader(now + 5s), "boot", now).old_deadline, now + 8s);
  EXPECT_EQ(predecessor(open, leader(now + 9s), "boot", now).old_deadline, now + 9s);
}

TEST(ThePredecessor, OfThisNodeGoesOnUntilItsDeadline) {
  const LastTerm own{.clean = false, .earlier_until = now + 3s, .resumable_until = now + 1ms};
  const auto before = predecessor(own, leader(now + 5s), "boot", now);
  EXPECT_TRUE(before.resumed);
  EXPECT_EQ(before.old_deadline, now + 3s) << "its own runs are no predecessor's";
  EXPECT_FALSE(before.last_alive);
  const auto late = predecessor(own, leader(now + 5s), "boot", now + 1ms);
  EXPECT_FALSE(late.resumed);
  EXPECT_EQ(late.old_deadline, now + 5s);
  EXPECT_FALSE(predecessor({.clean = true, .resumable_until = now + 1s}, leader(now), "boot", now).resumed);
}

}  // namespace
}  // namespace ballot::support
