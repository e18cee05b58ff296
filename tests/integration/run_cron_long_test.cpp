// The ten-minute form of what run_cron_test.cpp shows in twenty seconds.
#include "integration/cron_candidates.hpp"

namespace ballot::testing {

TEST_F(RunCron, HasFiveCandidatesTakeTurnsForTenMinutes) {
  const auto all = start_five();
  ASSERT_TRUE(wait_until([&] { return folder.said("END").size() >= 580; }, std::chrono::seconds(700)));
  for (const auto& one : all) one->send(SIGTERM);
  for (const auto& one : all) one->wait();
  EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
  expect_each_second_accounted_for(all);
  expect_fair_turns();
}

}  // namespace ballot::testing
