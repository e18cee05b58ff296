// The ten-minute form of what run_cron_test.cpp shows in twenty seconds.
#include "integration/cron_candidates.hpp"

namespace ballot::testing {

TEST_F(RunCron, HasFiveCandidatesTakeTurnsForTenMinutes) {
  const auto all = start_five();
  ASSERT_TRUE(wait_until([&] { return folder.said("END").size() >= 590; }, std::chrono::seconds(700)));
  for (const auto& one : all) one->send(SIGTERM);
  for (const auto& one : all) one->wait();
  expect_one_at_a_time();
  expect_each_second_once();
  expect_fair_turns();
}

}  // namespace ballot::testing
