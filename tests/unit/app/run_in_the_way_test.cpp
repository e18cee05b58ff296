#include "library/why/run_in_the_way.hpp"

#include <gtest/gtest.h>

#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using library::run_in_the_way;
using library::RunSpan;
using library::spans_of;
using std::chrono::seconds;
using testing::run_row;
using testing::slot;

const RunId first = testing::run, second = *RunId::parse("0195798e-1f00-7abc-8def-99999abcdef0");

/// An attempt of a slot so many seconds after the first; `ended` < 0: it goes on.
Row attempt(const RunId& run, int at, int number, int begun, int ended, Status status = Status::failed) {
  Row row = run_row(ended < 0 ? Status::running : status, Reason::none, run);
  row.slot = slot + seconds(at);
  row.attempt = number;
  row.started_at = slot + seconds(begun);
  if (ended >= 0) row.ended_at = slot + seconds(ended);
  return row;
}

/// Of rows newest first: the run in the way of a slot so many seconds after the first.
std::optional<RunId> in_the_way(const std::vector<Row>& rows, int at, bool waits = false) {
  const std::vector<RunSpan> spans = spans_of(rows);
  const RunSpan* const found = run_in_the_way(
      spans, slot + seconds(at), [&](const RunId&) { return waits ? std::optional<std::int64_t>(2) : std::nullopt; });
  return found ? std::optional(found->run) : std::nullopt;
}

TEST(RunInTheWay, IsTheOneThatWentOn) {
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, -1)}, 60), first);
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, 90, Status::succeeded)}, 60), first);
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, 50, Status::succeeded)}, 60), std::nullopt);
}

TEST(RunInTheWay, IsOneThatWasBetweenTwoAttempts) {
  EXPECT_EQ(in_the_way({attempt(first, 0, 2, 70, 80), attempt(first, 0, 1, 0, 10)}, 60), first);
}

TEST(RunInTheWay, IsOneThatWaitsForItsNextAttempt) {
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, 10)}, 60, true), first);
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, 10)}, 60, false), std::nullopt);
  EXPECT_EQ(in_the_way({attempt(first, 0, 1, 0, 10, Status::succeeded)}, 60, true), std::nullopt);
}

TEST(RunInTheWay, IsNoneThatBeganAfterTheSlotWhereAnotherWentOn) {
  const std::vector<Row> rows{attempt(second, 30, 1, 65, -1), attempt(first, 0, 1, 0, 62, Status::succeeded)};
  EXPECT_EQ(in_the_way(rows, 60), first);
  EXPECT_EQ(in_the_way({rows[0]}, 60), second) << "the slot was settled later";
}

Row on(const std::string& node, Row row) {
  row.node = node;
  return row;
}

TEST(RunInTheWay, BeganWhereAndWhenItsFirstAttemptDid) {
  const auto spans = spans_of({on("host-3", attempt(first, 0, 2, 70, -1)), on("host-2", attempt(first, 0, 1, 5, 10))});
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].begun, slot + seconds(5));
  EXPECT_EQ(spans[0].begun_on, "host-2");
  EXPECT_EQ(spans[0].attempt, 2);
  EXPECT_EQ(spans[0].node, "host-3");
  EXPECT_EQ(spans[0].attempt_begun, slot + seconds(70));
}

TEST(RunInTheWay, IsAtItsLastAttemptThatHasBegun) {
  Row waiting = on("", attempt(first, 0, 2, 0, -1, Status::queued));
  waiting.status = Status::queued, waiting.started_at.reset();
  const auto spans = spans_of({waiting, on("host-2", attempt(first, 0, 1, 5, 10))});
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].next_attempt, 2);
  EXPECT_EQ(spans[0].attempt, 1);
  EXPECT_EQ(spans[0].node, "host-2");
}

}  // namespace
}  // namespace ballot::app
