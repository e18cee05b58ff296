#include "core/record/slot_end.hpp"

#include <gtest/gtest.h>

#include "core/record/open_run_text.hpp"
#include "core/record/register.hpp"

namespace ballot::core {
namespace {

WallTime minute(int n) { return WallTime(std::chrono::minutes(n)); }
SlotEnd run_of(int n, Status status = Status::succeeded) {
  return {minute(n), minute(n), status, minute(n + 1), RunId{}};
}

TEST(SlotEnds, AreInTheOrderOfTheirSlotsHoweverTheyCome) {
  RareList<SlotEnd> ends;
  for (const int n : {3, 1, 2}) add(ends, run_of(n));
  ASSERT_EQ(ends.size(), 3u);
  for (int n = 1; n <= 3; ++n) EXPECT_EQ(ends[static_cast<std::size_t>(n - 1)].from, minute(n));
  EXPECT_EQ(fault_of(ends), "");
}

TEST(SlotEnds, TheLastOneAtOrBeforeASlotCounts) {
  RareList<SlotEnd> ends{run_of(2), {minute(4), minute(9), Status::missed, minute(9), {}}};
  EXPECT_EQ(last_until(ends, minute(1)), nullptr);
  EXPECT_EQ(last_until(ends, minute(2)), &ends[0]);
  EXPECT_EQ(last_until(ends, minute(3)), &ends[0]);
  EXPECT_EQ(last_until(ends, minute(5)), &ends[1]);
  EXPECT_EQ(last_until(ends, minute(20)), &ends[1]);
}

TEST(SlotEnds, ThatOverlapOrAreTooManyMakeARegisterUnreadable) {
  RareList<SlotEnd> ends{run_of(2), run_of(2)};
  EXPECT_NE(fault_of(ends), "");
  ends.clear();
  for (int n = 0; n <= static_cast<int>(slot_end_limit); ++n) ends.push_back(run_of(n));
  EXPECT_NE(fault_of(ends), "");
}

/// A release that does not know them keeps a kilobyte of lines.
TEST(SlotEnds, AsManyAsMayBeKeptAreLessThanAKilobyte) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < slot_end_limit; ++i)
    bytes += to_text(run_of(1, Status::succeeded)).size() + sizeof "ended ";
  EXPECT_LE(bytes, unknown_limit - 200) << "which a run's upstream may have besides";
}

/// Beside as many ends, all that is noticed of a job, and of one run of it.
TEST(SlotEnds, LeaveRoomForWhatIsExpectedOfTheJob) {
  JobRegister r;
  r.kept.edit().success.edit() = {minute(1) + Millis(1), minute(2) + Millis(1)};
  const std::string of_job = to_text(r);
  const std::size_t from = of_job.find("expects_success");
  ASSERT_NE(from, std::string::npos);
  EXPECT_LE(of_job.find('\n', from) - from + 1, 80u);
  OpenRun run;
  run.node = "n";
  const std::size_t plain = to_text(run).size();
  run.begun_at = minute(1);
  run.expect_within = std::chrono::minutes(90);
  run.late = run.slow = true;
  EXPECT_LE(to_text(run).size() - plain, 80u);
}

}  // namespace
}  // namespace ballot::core
