#include "core/job/register/register_view.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime seen_at{Millis(1'767'268'800'000)};

struct View : ::testing::Test {
  RegisterView view;

  static JobRegister with_fence(std::uint64_t fence) {
    JobRegister r;
    r.group = "g";
    r.definition = "d";
    r.cursor = r.since = seen_at;
    r.fence = fence;
    r.epoch = 1;
    return r;
  }
  static Register stored(const JobRegister& r, std::uint64_t version) { return {"j/a", to_text(r), version}; }
  static Term term(std::uint64_t epoch) {
    Term term;
    term.group = "g";
    term.epoch = epoch;
    return term;
  }
  static OpenRun run(const std::string& last) {
    OpenRun run;
    run.id = *RunId::parse("00000000-0000-7000-8000-0000000000" + last);
    run.slot = seen_at;
    run.node = "n";
    run.fence = 1;
    return run;
  }
  /// One of its lines cannot be read; then a term repairs it.
  void repair(const JobRegister& r, const std::string& line, const std::string& instead, std::uint64_t epoch) {
    std::string text = to_text(r);
    text.replace(text.find(line), line.size(), instead);
    view.read("a", Register{"j/a", text, 9}, seen_at);
    ASSERT_FALSE(view.is_sound());
    lost = view.restore(term(epoch), seen_at, {});
  }
  std::vector<std::string> lost;  // that the repair names
  bool reads(std::uint64_t fence, std::uint64_t version) {
    return view.read("a", stored(with_fence(fence), version), seen_at);
  }
};

TEST_F(View, OfAJobThatHasNoneIsKnownAndOwnedByWhoeverDefinesIt) {
  EXPECT_TRUE(view.read("a", std::nullopt, seen_at));
  EXPECT_TRUE(view.is_known());
  EXPECT_FALSE(view.exists());
  EXPECT_EQ(view.owner("theirs"), "theirs");
}

TEST_F(View, OfAReleasedJobIsAnybodys) {
  reads(1, 1);
  EXPECT_EQ(view.owner("theirs"), "g");
  JobRegister released = with_fence(1);
  released.released = true;
  view.written(released, 2, seen_at);
  EXPECT_EQ(view.owner("theirs"), "theirs");
}

TEST_F(View, AnOlderRegisterIsReadAgainBeforeItCounts) {
  ASSERT_TRUE(reads(7, 7));
  EXPECT_FALSE(reads(5, 5));
  EXPECT_FALSE(view.is_known());
  EXPECT_TRUE(reads(7, 7));
  EXPECT_TRUE(view.is_sound());
}

TEST_F(View, TwoOlderAnswersMeanThatTheRegisterHasGoneBack) {
  reads(7, 7);
  reads(5, 5);
  EXPECT_TRUE(reads(5, 5));
  EXPECT_NE(view.rollback_reason(), "");
  EXPECT_EQ(view.highest_fence(), 7U);
}

TEST_F(View, AfterARepairItIsWhatWasSeenLast) {
  reads(7, 7);
  view.expect_newest();
  ASSERT_TRUE(reads(5, 5));
  ASSERT_FALSE(view.is_sound());
  view.restore(term(2), seen_at, {});
  EXPECT_TRUE(view.is_sound());
  EXPECT_EQ(view.stored().fence, 7U);
}

/// Other terms have written since: this node had read it before.
struct ReadInAnotherTerm : View {
  ReadInAnotherTerm() {
    now.epoch = 3;
    JobRegister before = with_fence(1);
    before.runs.push_back(run("10"));
    view.read("a", stored(before, 1), seen_at);
  }
  JobRegister now = with_fence(5);
};

TEST_F(ReadInAnotherTerm, ARepairGoesByWhatCanBeRead) {
  now.runs.push_back(run("20"));
  now.triggered = {run("30").id};
  repair(now, "\nfence 5", "\nfence x", 4);
  EXPECT_TRUE(view.shows(run("20").id));
  EXPECT_FALSE(view.shows(run("10").id)) << "it has ended, as all lines of runs can be read";
  EXPECT_EQ(view.stored().triggered.size(), 1u) << "the run that it names would be begun again";
}

TEST_F(ReadInAnotherTerm, ARunWhoseLineMayBeLostGoesOnUnlessItHasEnded) {
  now.runs.push_back(run("20"));
  repair(now, "\nrun ", "\nrun x", 4);
  EXPECT_TRUE(view.shows(run("10").id));
  EXPECT_FALSE(view.shows(run("20").id));
}

TEST_F(ReadInAnotherTerm, ARunThatOtherLinesNameAsEndedDoesNotGoOn) {
  now.runs.push_back(run("20"));
  now.triggered = {run("10").id};
  repair(now, "\nrun ", "\nrun x", 4);
  EXPECT_FALSE(view.shows(run("10").id));
}

TEST_F(ReadInAnotherTerm, SlotsThatWereSettledSinceAreNotMissedWhereTheCursorIsLost) {
  now.cursor = now.since = seen_at + Millis(60'000);
  repair(now, "\ncursor ", "\ncursor x", 4);
  EXPECT_EQ(view.stored().cursor, seen_at) << "from now on: that is its time of repair";
  EXPECT_EQ(view.stored().since, now.since);
}

TEST_F(ReadInAnotherTerm, WhatSaysThatItIsOlderIsNotGoneBy) {
  now.epoch = 1;
  now.fence = 0;
  now.cursor = now.since = seen_at - Millis(60'000);
  repair(now, "\nsince ", "\nsince x", 4);
  EXPECT_TRUE(view.shows(run("10").id));
  EXPECT_EQ(view.stored().cursor, seen_at);
}

TEST_F(ReadInAnotherTerm, ATermGoesByWhatItHasWrittenItself) {
  view.written(now, 2, seen_at);
  JobRegister lost = now;
  lost.timing.timezone = "UTC";
  now.runs.push_back(run("20"));
  view.written(now, 3, seen_at);
  repair(lost, "\nfence 5", "\nfence x", 3);
  EXPECT_TRUE(view.shows(run("20").id));
}

TEST_F(ReadInAnotherTerm, ATermKeepsTheLastEndThatItKnowsWhereOtherLinesOnlySayThatARunHasEnded) {
  now.runs.push_back(run("20"));
  now.last_end.edit().run = run("40").id;
  view.written(now, 2, seen_at);
  JobRegister ended = with_fence(5);
  ended.epoch = 3;
  ended.triggered = {run("20").id};
  repair(ended, "\nfence 5", "\nfence x", 3);
  EXPECT_FALSE(view.shows(run("20").id));
  EXPECT_EQ(view.stored().last_end->run, run("40").id);
}

TEST_F(ReadInAnotherTerm, OfAPauseTheLinesThatAreLostAreThoseThatItHad) {
  JobRegister before = with_fence(1);
  before.paused = true;
  Interventions& of = before.interventions.edit();
  of.paused_at = seen_at, of.paused_by = "ann", of.pause_terms = {seen_at + 1h, "disks"};
  view.read("a", stored(before, 2), seen_at);
  now.paused = true;
  now.interventions = before.interventions;
  repair(now, "\npause_terms ", "\npause_terms x", 4);
  EXPECT_EQ(view.stored().pause_ends(), seen_at + 1h);
}

/// This node has never read it before.
struct Unread : View {
  Unread() { of.epoch = 3; }
  /// Found at `seen_at`, repaired an hour later.
  void repair_later(const std::string& text) {
    view.read("a", Register{"j/a", text, 9}, seen_at);
    ASSERT_FALSE(view.is_sound());
    lost = view.restore(term(4), seen_at + 1h, {});
  }
  void repair_later(const std::string& line, const std::string& instead) {
    std::string text = to_text(of);
    text.replace(text.find(line), line.size(), instead);
    repair_later(text);
  }
  JobRegister of = with_fence(5);
};

TEST_F(Unread, WhereSinceIsLostItsSlotsAreDueFromTheCursorOn) {
  of.cursor = of.since = seen_at - 1min;
  repair_later("\nsince ", "\nsince x");
  EXPECT_EQ(view.stored().cursor, seen_at - 1min);
  EXPECT_EQ(view.stored().since, seen_at - 1min);
  EXPECT_EQ(lost, std::vector<std::string>{"since"});
}

TEST_F(Unread, WhereTheCursorIsLostItWasAtTheLastClaim) {
  of.cursor = of.claimed_until = seen_at - 2min;
  repair_later("\ncursor ", "\ncursor x");
  EXPECT_EQ(view.stored().cursor, seen_at - 2min);
}

TEST_F(Unread, WhereTheCursorIsLostItWasAtTheEndOfWhatIsSettled) {
  of.cursor = seen_at - 1min;
  of.claimed_until = seen_at - 3min;
  of.dispositions = {{seen_at - 2min, seen_at - 1min, 2, Status::missed, Reason::no_leader}};
  repair_later("\ncursor ", "\ncursor x");
  EXPECT_EQ(view.stored().cursor, seen_at - 1min);
  EXPECT_EQ(view.stored().dispositions.size(), 1u) << "its slots have their rows";
}

TEST_F(Unread, WhereNoLineSaysWhereTheCursorWasItsSlotsAreMissedSinceItWasFound) {
  of.cursor = of.claimed_until = seen_at - 2min;
  std::string text = to_text(of);
  text.replace(text.find("\nclaimed "), 9, "\nclaimed x");
  text.replace(text.find("\ncursor "), 8, "\ncursor x");
  repair_later(text);
  EXPECT_EQ(view.stored().cursor, seen_at);
}

TEST_F(Unread, WhereNothingCanBeReadItsSlotsAreMissedSinceItWasFound) {
  repair_later("no register");
  EXPECT_EQ(view.stored().cursor, seen_at);
  EXPECT_EQ(view.stored().since, seen_at);
  EXPECT_EQ(lost.front(), "");
}

TEST_F(Unread, OfARegisterThatIsEmptyAnyLineIsLost) {
  repair_later("");
  EXPECT_EQ(view.stored().cursor, seen_at);
  EXPECT_EQ(lost.front(), "");
}

TEST_F(Unread, AClaimThatIsAheadOfTheClockDoesNotSayWhereTheCursorWas) {
  of.cursor = of.claimed_until = seen_at + 2h;
  repair_later("\ncursor ", "\ncursor x");
  EXPECT_EQ(view.stored().cursor, seen_at);
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h)) << "by a clock that was ahead: it stays done";
}

TEST_F(Unread, WhereTheLastClaimIsLostNoSlotUpToACursorThatIsAheadRunsOnceMore) {
  of.cursor = of.claimed_until = seen_at + 2h;
  repair_later("\nclaimed ", "\nclaimed x");
  view.bring_cursor_back(seen_at + 1h);
  EXPECT_LE(view.stored().cursor, seen_at + 1h);
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h));
  EXPECT_FALSE(view.stored().is_claimed(seen_at + 2h + 1s));
}

TEST_F(Unread, WhereSinceIsLostNoSlotUpToACursorThatIsAheadRunsOnceMore) {
  of.cursor = of.claimed_until = seen_at + 2h;
  repair_later("\nsince ", "\nsince x");
  view.bring_cursor_back(seen_at + 1h);
  EXPECT_LE(view.stored().since, view.stored().cursor);
  EXPECT_LE(view.stored().cursor, seen_at + 1h);
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h));
}

TEST_F(ReadInAnotherTerm, WhereTheLastClaimIsLostTheOneOfBeforeIsNotTakenForIt) {
  JobRegister before = with_fence(1);
  before.cursor = before.claimed_until = seen_at - 1h;
  view.read("a", stored(before, 2), seen_at - 1h);
  now.cursor = now.claimed_until = seen_at + 2h;
  repair(now, "\nclaimed ", "\nclaimed x", 4);
  view.bring_cursor_back(seen_at);
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h));
}

TEST_F(ReadInAnotherTerm, WhereTheLastClaimIsLostTooTheOneOfBeforeDoesNotSayWhereTheCursorWas) {
  JobRegister before = with_fence(1);
  before.cursor = before.since = before.claimed_until = seen_at - 1h;
  view.read("a", stored(before, 2), seen_at - 1h);
  now.claimed_until = seen_at - 1min;
  std::string text = to_text(now);
  text.replace(text.find("\nclaimed "), 9, "\nclaimed x");
  text.replace(text.find("\ncursor "), 8, "\ncursor x");
  view.read("a", Register{"j/a", text, 9}, seen_at);
  view.restore(term(4), seen_at + 1h, {});
  EXPECT_EQ(view.stored().cursor, seen_at) << "else what had run since would be missed";
}

TEST_F(ReadInAnotherTerm, WhatTheTermHasWrittenItselfHasLostNoLine) {
  view.written(now, 2, seen_at);
  repair(now, "\ncursor ", "\ncursor x", 3);
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(view.stored().cursor, now.cursor);
}

TEST_F(View, ARepairShowsWhatGoesOnHere) {
  ASSERT_TRUE(reads(7, 7));
  view.restore(term(2), seen_at, {run("10")});
  EXPECT_TRUE(view.shows(run("10").id));
}

TEST_F(View, TheRepairOfItsGroupEndsAHaltOnce) {
  reads(7, 7);
  view.expect_newest();
  reads(5, 5);
  Term term;
  term.group = "g";
  EXPECT_FALSE(view.heed_repair(term));
  term.repair = 9;
  EXPECT_TRUE(view.heed_repair(term));
  EXPECT_TRUE(view.is_sound());
  EXPECT_FALSE(view.heed_repair(term));
}

TEST_F(View, PeopleAreToldOnceWhyItCannotBeRead) {
  EXPECT_TRUE(view.read("a", Register{"j/a", "no register", 1}, seen_at));
  EXPECT_NE(view.trouble(), "");
  EXPECT_TRUE(view.is_new_trouble());
  EXPECT_FALSE(view.is_new_trouble());
}

TEST_F(View, ACursorThatIsAheadOfTheClockGoesBackToWhereItWasSeen) {
  reads(1, 1);
  JobRegister ahead = with_fence(2);
  ahead.cursor = seen_at + 1h;
  view.written(ahead, 2, seen_at + 10s);
  EXPECT_TRUE(view.clock_skew(seen_at + 10s));
  EXPECT_EQ(view.bring_cursor_back(seen_at + 10s), seen_at + 1h);
  EXPECT_EQ(view.stored().cursor, seen_at);
}

TEST_F(View, ACursorThatIsAheadOfTheClockGoesBackBehindSlotsThatWereClaimed) {
  JobRegister ahead = with_fence(2);
  ahead.cursor = ahead.claimed_until = seen_at + 1h;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(ahead), 2}, seen_at));
  view.bring_cursor_back(seen_at);
  EXPECT_EQ(view.stored().cursor, seen_at);
  EXPECT_FALSE(view.clock_skew(seen_at));
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 1h)) << "it stays done";
  JobRegister begun = view.stored();  // and its leader is gone before the repair has been written as done
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(begun), 3}, seen_at));
  EXPECT_FALSE(view.clock_skew(seen_at)) << "such a claim is ahead for a while, after a repair";
}

TEST_F(View, OnlyASinceThatIsAheadOfTheClockLeavesTheCursorWhereItIs) {
  reads(1, 1);
  JobRegister ahead = with_fence(2);
  ahead.cursor = ahead.claimed_until = seen_at + 10s;
  ahead.since = seen_at + 1h;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(ahead), 2}, seen_at + 20s));
  view.bring_cursor_back(seen_at + 20s);
  EXPECT_EQ(view.stored().cursor, seen_at + 10s);
  EXPECT_FALSE(view.clock_skew(seen_at + 20s));
}

/// No node writes so: whoever claims a slot has the cursor pass it.
TEST_F(View, AClaimThatIsAheadOfClockAndCursorIsBroughtBackToTheCursor) {
  JobRegister ahead = with_fence(2);
  ahead.claimed_until = seen_at + 1h;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(ahead), 2}, seen_at + 10s));
  EXPECT_TRUE(view.clock_skew(seen_at + 10s));
  EXPECT_TRUE(view.claim_skew(seen_at + 10s));
  EXPECT_EQ(view.bring_cursor_back(seen_at + 10s), seen_at + 1h);
  EXPECT_EQ(view.stored().cursor, seen_at) << "its slots since then are missed";
  EXPECT_FALSE(view.clock_skew(seen_at + 10s));
  EXPECT_FALSE(view.stored().is_claimed(seen_at + 1min));
  EXPECT_TRUE(view.stored().is_claimed(seen_at)) << "it may be";
}

TEST_F(View, AClaimThatIsAheadIsNotByARepairOnceTheCursorHasPassedAllThatThisHadLeftClaimed) {
  JobRegister edited = with_fence(2);
  edited.claimed_until = seen_at;
  edited.interventions.edit().repaired_at = seen_at - 1h;
  edited.note_claims_passed();
  edited.claimed_until = seen_at + 5h;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(edited), 2}, seen_at));
  EXPECT_TRUE(view.claim_skew(seen_at));
  view.bring_cursor_back(seen_at);
  EXPECT_FALSE(view.stored().is_claimed(seen_at + 2h));
}

TEST_F(View, ARepairLeavesClaimsAheadAlsoWhereTheCursorHasPassedThoseOfTheOneBefore) {
  JobRegister ahead = with_fence(2);
  ahead.cursor = ahead.claimed_until = seen_at + 1h;
  ahead.interventions.edit().repaired_at = seen_at - 1h;
  ahead.note_claims_passed();
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(ahead), 2}, seen_at));
  view.bring_cursor_back(seen_at);
  JobRegister begun = view.stored();
  begun.note_claims_passed();
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(begun), 3}, seen_at));
  EXPECT_FALSE(view.clock_skew(seen_at));
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 1h)) << "it stays done";
}

TEST_F(View, AClaimOfAnotherNodesClockIsNoSkew) {
  JobRegister next = with_fence(2);
  next.claimed_until = seen_at + 1s;
  EXPECT_TRUE(view.read("a", Register{"j/a", to_text(next), 2}, seen_at));
  EXPECT_FALSE(view.clock_skew(seen_at));
}

TEST_F(Unread, ARepairForOtherLinesDropsAClaimThatTheCursorHasNotPassed) {
  of.claimed_until = seen_at + 5h;
  repair_later("\nfence ", "\nfence x");
  EXPECT_FALSE(view.stored().is_claimed(seen_at + 2h));
}

TEST_F(Unread, ARepairForOtherLinesKeepsClaimsThatAnEarlierOneHasLeftAhead) {
  of.claimed_until = seen_at + 5h;
  of.interventions.edit().repaired_at = seen_at;
  of.interventions.edit().repaired_by = "ann";
  repair_later("\nfence ", "\nfence x");
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h));
}

TEST_F(Unread, ARepairKeepsClaimsThatAreAheadWhereAnEarlierOneMayBeLost) {
  of.claimed_until = seen_at + 5h;
  of.interventions.edit().repaired_at = seen_at;
  of.interventions.edit().repaired_by = "ann";
  repair_later("\nrepaired ", "\nrepaired x");
  EXPECT_TRUE(view.stored().is_claimed(seen_at + 2h));
}

}  // namespace
}  // namespace ballot::core
