// The ten-minute form of what run_cron_test.cpp shows in twenty seconds.
#include "integration/elections/cron_candidates.hpp"

namespace ballot::testing {

TEST_F(RunCron, HasFiveCandidatesTakeTurnsForTenMinutes) { expect_turns(580, 700s); }

}  // namespace ballot::testing
