// Records of ends that others have published, while this term does not know yet what its register shows.
#include <gtest/gtest.h>

#include "unit/core/runs_of_a_node.hpp"

namespace ballot::core {
namespace {

/// Where the store does not know terms, a claim of the term before may land after this one has read the register.
TEST(KeptOutcome, OfARunThatTheRegisterDoesNotShowYetUntilThisTermHasWrittenIt) {
  RunsOfANode node;
  JobMachine before("tick"), own("tock");
  node.take_over(before, 0, 1);
  node.take_over(own, 0, 2);
  EXPECT_FALSE(node.drops_outcome(before));
  EXPECT_TRUE(node.drops_outcome(own));
}

TEST(KeptOutcome, IsReadBeforeARunThatIsFoundInTheMiddleOfATermIsTakenForLost) {
  RunsOfANode node;
  const auto [patience, reads] = node.read_again();
  EXPECT_GE(patience, Millis(1000));
  EXPECT_TRUE(reads);
}

}  // namespace
}  // namespace ballot::core
