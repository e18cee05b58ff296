#include "support/judge/merged_ledger.hpp"

#include <gtest/gtest.h>

#include "right_evidence.hpp"

namespace ballot::testing {
namespace {

/// What the merged ledger says of run 1, which n1 executed.
Status merged(Status on_n1, Status on_n2) {
  const auto ledger = [](const std::string& node, Status status) {
    Row row = row_of(1, 0, "n1", 1);
    row.status = status;
    return NodeLedger{.node = node, .rows = {row}, .terms = {}};
  };
  const Status one = MergedLedger({ledger("n1", on_n1), ledger("n2", on_n2)}).find(run_id(1), 1)->row.status;
  const Status other = MergedLedger({ledger("n2", on_n2), ledger("n1", on_n1)}).find(run_id(1), 1)->row.status;
  EXPECT_EQ(one, other) << "the order of the ledgers decides nothing";
  return one;
}

TEST(MergedLedger, BelievesTheNodeThatExecutedTheRun) {
  EXPECT_EQ(merged(Status::succeeded, Status::lost), Status::succeeded);
  EXPECT_EQ(merged(Status::succeeded, Status::running), Status::succeeded);
}

TEST(MergedLedger, BelievesOthersWhereThatNodeNeverSaidHowItEnded) {
  EXPECT_EQ(merged(Status::running, Status::lost), Status::lost);
  EXPECT_EQ(merged(Status::claimed, Status::failed), Status::failed);
  EXPECT_EQ(merged(Status::running, Status::claimed), Status::running);
}

TEST(MergedLedger, BelievesWhoSawTheEndRatherThanANodeThatTakesItsOwnRunForLost) {
  EXPECT_EQ(merged(Status::lost, Status::failed), Status::failed);
}

TEST(MergedLedger, GivesEachAttemptAndEachSlotOnce) {
  const Row skipped = row_without_run(2, "n1", 1, Status::skipped, Reason::paused);
  const Row halted = row_without_run(2, "n2", 2, Status::missed, Reason::halted);
  const Row run = row_of(1, 3, "n1", 1), of_a_repair = row_without_run(3, "n2", 2, Status::missed, Reason::halted);
  const MergedLedger merged({{.node = "n2", .rows = {halted, of_a_repair}}, {.node = "n1", .rows = {skipped, run}}});
  EXPECT_EQ(merged.entries().size(), 4u);
  ASSERT_EQ(merged.rows().size(), 2u);
  EXPECT_EQ(merged.rows()[0].run, run.run);
  EXPECT_EQ(merged.rows()[1].reason, Reason::paused);
}

TEST(MergedLedger, KeepsAttemptsApart) {
  Row second = row_of(1, 0, "n2", 2);
  second.attempt = 2;
  const MergedLedger merged({{.node = "n1", .rows = {row_of(1, 0, "n1", 1), second}, .terms = {}}});
  EXPECT_EQ(merged.attempts().size(), 2u);
  EXPECT_EQ(merged.last(run_id(1)).row.attempt, 2);
  EXPECT_EQ(merged.find(run_id(2), 1), nullptr);
}

}  // namespace
}  // namespace ballot::testing
