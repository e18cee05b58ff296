#include "app/candidates/election_notes.hpp"

#include <gtest/gtest.h>

namespace ballot::app {
namespace {

using namespace std::chrono_literals;
using Notes = std::vector<std::string>;

constexpr WallTime now{1'000'000s};

Candidate candidate(const std::string& node, bool leads = false) {
  Candidate c;
  c.id = "session-of-" + node;
  c.node = node;
  c.since = now - 1min;
  c.timeout = 5s;
  c.last_seen = now - 1s;
  c.leads = leads;
  return c;
}

bool has(const Notes& notes, const std::string& note) {
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

TEST(ElectionNotes, SayOfAHealthyElectionWhoLeadsAndSinceWhen) {
  const Election election{"g", 3, {candidate("a", true), candidate("b")}};
  EXPECT_EQ(leader_notes(election.candidates[0], now), (Notes{"is leader", "last heartbeat 1s ago"}));
  EXPECT_EQ(candidate_notes(election, 0, now),
            (Notes{"this candidate id claimed leadership", "last heartbeat 1s ago", "proposal node created 1m ago"}));
  EXPECT_EQ(candidate_notes(election, 1, now), (Notes{"last heartbeat 1s ago", "proposal node created 1m ago"}));
}

TEST(ElectionNotes, SayOfASilentLeaderThatAnotherMayBeOnItsWay) {
  Election election{"g", 3, {candidate("a", true), candidate("b")}};
  election.candidates[0].last_seen = now - 9s;
  EXPECT_EQ(leader_notes(election.candidates[0], now),
            (Notes{"is leader", "last heartbeat 9s ago", "possibly resigning", "election may be in progress"}));
  EXPECT_TRUE(has(candidate_notes(election, 0, now), "gone"));
  EXPECT_TRUE(has(candidate_notes(election, 0, now), "possibly resigning"));
}

TEST(ElectionNotes, SayOfTheFirstInTurnThatItWaits) {
  const Election nobody{"g", 3, {candidate("a"), candidate("b")}};
  EXPECT_TRUE(has(candidate_notes(nobody, 0, now), "election may be in progress"));
  EXPECT_TRUE(has(candidate_notes(nobody, 0, now), "possibly waiting for previous leader resignation"));
  EXPECT_FALSE(has(candidate_notes(nobody, 1, now), "election may be in progress"));
  const Election other{"g", 3, {candidate("a"), candidate("b", true)}};
  EXPECT_TRUE(has(candidate_notes(other, 0, now), "should be leader but another candidate is claiming the role"));
  const Election first{"g", 0, {candidate("a")}};
  EXPECT_FALSE(has(candidate_notes(first, 0, now), "possibly waiting for previous leader resignation"));
}

TEST(ElectionNotes, SayOfAnEntryThatCannotBeReadNothingElse) {
  Election election{"g", 3, {candidate("a", true), Candidate{}}};
  election.candidates[1].id = "0000000042";
  election.candidates[1].readable = false;
  EXPECT_EQ(candidate_notes(election, 1, now), Notes{"unparseable"});
}

TEST(ElectionNotes, SayOfAnotherSessionOfTheLeadersNameThatItIsTheOne) {
  const Election election{"g", 3, {candidate("a", true), candidate("a")}};
  EXPECT_TRUE(has(candidate_notes(election, 1, now), "this candidate id claimed leadership"));
}

TEST(ElectionNotes, SayHowFarTheClocksAreApartWhereItMatters) {
  Election election{"g", 3, {candidate("a", true)}};
  election.candidates[0].stored_at = election.candidates[0].since - 900ms;
  EXPECT_FALSE(has(candidate_notes(election, 0, now), "time drift of 900ms between it and the store"));
  election.candidates[0].stored_at = election.candidates[0].since + 61s;
  EXPECT_TRUE(has(candidate_notes(election, 0, now), "time drift of 1m1s between it and the store"));
}

}  // namespace
}  // namespace ballot::app
