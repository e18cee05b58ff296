// The ten-minute form of what zookeeper_elections_test.cpp shows of `ballot run cron` in ten seconds.
#include "integration/elections/zookeeper_elections.hpp"

namespace ballot::testing {

TEST_F(CronOnZookeeper, HasFiveCandidatesTakeTurnsForTenMinutes) { expect_turns(580, 700s); }

}  // namespace ballot::testing
