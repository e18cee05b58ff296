// The fence that a repair gives a job (raise_fence).
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "core/job/repair.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::uint64_t raised_at_ms = 1'741'241'600'000;
const WallTime raised_at{Millis(raised_at_ms)};

JobRegister raised(std::uint64_t fence, std::uint64_t seen, std::uint64_t repair = 0, std::uint64_t of_group = 0) {
  JobRegister next;
  next.fence = fence;
  next.interventions.edit().repair = repair;
  raise_fence(next, seen, of_group, raised_at);
  return next;
}

TEST(RaisedFence, IsAboveWhatIsKnownAndTheClock) {
  EXPECT_EQ(raised(5, 7).fence, raised_at_ms);
  EXPECT_EQ(raised(raised_at_ms + 5, raised_at_ms + 7).fence, raised_at_ms + 8);
  EXPECT_EQ(raised(5, 7, 0, raised_at_ms + 9).fence, raised_at_ms + 9);
  EXPECT_EQ(raised(5, 7).interventions->repair, raised_at_ms);
}

/// Else each repair would be followed by a halt: the next leader could not read the register.
TEST(RaisedFence, IsOneThatIsReadWhereOneWasWrittenByHand) {
  for (const std::uint64_t known :
       {largest_counter / 2 + 1, largest_counter - 1, largest_counter, largest_counter + 6}) {
    for (const JobRegister& next : {raised(known, 7), raised(5, known), raised(5, 7, 0, known)}) {
      EXPECT_EQ(next.fence, raised_at_ms) << known;
      EXPECT_LE(next.interventions->repair, largest_counter) << known;
    }
    EXPECT_GT(raised(known, 7, 9).interventions->repair, 9u);
    EXPECT_LE(raised(5, 7, known).interventions->repair, largest_counter);
  }
}

std::string answer(std::vector<std::string> lost) {
  Repair repair;
  repair.lost = std::move(lost);
  return repair.text("a");
}

TEST(AnswerOfARepair, NamesTheLinesThatCouldNotBeRead) {
  EXPECT_EQ(answer({}), "repaired: job a");
  EXPECT_EQ(answer({"cursor", "settled", "settled"}),
            "repaired: job a; lines of its register that could not be read: cursor, settled");
}

TEST(AnswerOfARepair, SaysThatARunMayGoOnWhoseLineIsLost) {
  EXPECT_EQ(
      answer({"run", "pause_terms"}),
      "repaired: job a; lines of its register that could not be read: run, pause_terms; a run that was open may go "
      "on beside the next one");
  EXPECT_EQ(
      answer({"", "fence", ""}),
      "repaired: job a; lines of its register that could not be read: fence, and some that have no name; a run that "
      "was open may go on beside the next one");
  EXPECT_EQ(
      answer({""}),
      "repaired: job a; lines of its register that could not be read: some that have no name; a run that was open "
      "may go on beside the next one");
}

TEST(AnswerOfARepair, SaysThatAClaimWasAheadOfTheClock) {
  Repair repair;
  repair.cursor_ahead = raised_at;
  repair.is_claim_ahead = true;
  EXPECT_EQ(repair.text("a"), "repaired: job a: the last claim that its register named was ahead of the clock, at " +
                                  format_slot(raised_at) + "; it is dropped");
}

}  // namespace
}  // namespace ballot::core
