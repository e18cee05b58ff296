#include "core/job/runs/live_run.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

Row row_of(std::optional<int> exit_code, std::optional<int> signal, Reason reason = Reason::none) {
  runner::Ended ended;
  ended.exit_code = exit_code;
  ended.signal = signal;
  ended.reason = reason;
  ended.leftover = Leftover::escaped;
  Row row;
  conclude(row, ended, {0, 3});
  return row;
}

TEST(LiveRun, EndsAsItsChildDid) {
  EXPECT_EQ(row_of(3, {}).status, Status::succeeded);
  EXPECT_EQ(row_of(1, {}).reason, Reason::exit_code);
  EXPECT_EQ(row_of({}, 9).reason, Reason::signal);
}

TEST(LiveRun, ThatTheKernelKilledForItsMemoryFailedForThatAndNotByASignal) {
  const Row row = row_of({}, 9, Reason::oom);
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, Reason::oom);
  EXPECT_EQ(row.signal, 9);
}

/// No next attempt follows what was ended on purpose.
TEST(LiveRun, ThatWasEndedForAReasonOfANewerVersionWasKilledForIt) {
  const Row row = row_of({}, 15, static_cast<Reason>(57));
  EXPECT_EQ(row.status, Status::killed);
  EXPECT_EQ(row.reason.text(), "57");
}

TEST(LiveRun, KeepsWhatItLeftBehind) { EXPECT_EQ(row_of(0, {}).leftover, Leftover::escaped); }

}  // namespace
}  // namespace ballot::core
