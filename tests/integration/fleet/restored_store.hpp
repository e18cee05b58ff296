// What must be true of a daemon whose store has gone back while it led: the group is halted and it says so, nothing is
// launched; a repair ends it, and fences go on above all that were seen.
#pragma once

#include <gtest/gtest.h>

#include "support/process/fleet.hpp"

namespace ballot::testing {

/// Of the only daemon of the fleet, whose jobs are all in the group `default`.
inline void expect_halted_until_it_is_repaired(Fleet& fleet, BallotDaemon& daemon) {
  ASSERT_TRUE(daemon.wait_for("group halted: the store has gone back")) << daemon.log;
  const Instant halted = Instant::now();
  const Ran status = daemon.ballot({"status"});
  EXPECT_EQ(status.code, 1) << "degraded";
  EXPECT_NE(status.out.find("halted: group default: the store has gone back"), std::string::npos) << status.out;
  std::uint64_t before = 0;
  for (const Report& report : fleet.oracle.reports()) {
    before = std::max(before, report.fence);
    EXPECT_LE(report.started.boot, halted.boot) << report.text();
  }
  const Ran repaired = daemon.ballot({"repair", "--group", "default"});
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  const auto later = [&](const Report& report) { return report.started.boot > halted.boot; };
  ASSERT_TRUE(fleet.oracle.wait_until(
      [&](const Reports& all) { return std::any_of(all.begin(), all.end(), later) && all.back().on_time(); }));
  for (const Report& report : fleet.oracle.reports())
    if (later(report)) {
      EXPECT_GT(report.fence, before) << report.text();
    }
}

}  // namespace ballot::testing
