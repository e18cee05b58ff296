// What waits: slots behind a run that goes on, launches that the runner refused, terms that are renewed meanwhile.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/record/register.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

std::size_t count(const std::vector<Row>& rows, Status status, Reason reason) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Row& r) { return r.status == status && r.reason == reason; }));
}

TEST(Waiting, ASlotPastItsStartDeadlineIsMissedAndNeverClaimed) {
  SimWorld world;
  SimNode& a = world.add("a");
  Job job = minutely();
  job.misfire = Misfire::all;
  a.jobs = {define(job)};
  a.takes["job"] = 100s;
  a.start();
  const WallTime from = world.wall();
  world.run_for(30s);
  a.stop(0s);
  world.run_for(1s);
  a.crash();
  world.run_for(5min);
  a.start();  // five slots to catch up, each longer than a minute
  world.run_for(20min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 7min), "") << "what is due meanwhile joins, and waits";
  EXPECT_GE(count(a.rows(), Status::missed, Reason::start_deadline), 2u);
  for (const Row& row : a.rows()) EXPECT_FALSE(row.status == Status::missed && row.run) << line_of(row);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Refused, ALaunchIsPermittedAnewWhileItsTermLives) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  const WallTime from = world.wall();
  world.run_for(59s);
  a.runner.habits.slowest_start = 12s;  // past the present deadline, which is renewed meanwhile
  world.run_for(20min);
  EXPECT_TRUE(std::any_of(world.starts.begin(), world.starts.end(), [](const Start& start) {
    return start.at.time_since_epoch() % 1min > 5s;
  })) << "some launch came later than any deadline that stood when it was asked for";
  a.runner.habits.slowest_start = 2ms;
  world.run_for(2min);
  EXPECT_EQ(count(a.rows(), Status::missed, Reason::stale), 0u);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Deadline, MovesOnWithEachRenewalAndRunsGoOn) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.takes["job"] = 50s;
  a.start();
  world.run_for(10min + 55s);
  EXPECT_EQ(count(a.rows(), Status::killed, Reason::leadership_lost), 0u);
  EXPECT_EQ(count(a.rows(), Status::succeeded, Reason::none), 10u);
}

TEST(Gap, ADateThatDoesNotExistIsMissedAndNeverRun) {
  SimWorld world(1, {.timeout = 1h});  // few renewals
  SimNode& a = world.add("a");
  const auto before_the_gap = WallTime(std::chrono::sys_days(std::chrono::year(2011) / 12 / 28).time_since_epoch());
  a.clock.step_wall(before_the_gap - world.wall());
  Job job;
  job.name = "samoa";
  job.schedule = {"0 12 * * *"};
  job.timezone = "Pacific/Apia";  // had no 30 December 2011
  a.jobs = {define(job)};
  a.start();
  world.run_for(std::chrono::hours(24 * 5));
  EXPECT_EQ(count(a.rows(), Status::missed, Reason::dst_gap), 1u);
  EXPECT_EQ(world.starts.size(), 5u);
  EXPECT_EQ(count(a.rows(), Status::succeeded, Reason::none), 5u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST(Stop, RecordsTheEndOfTheTermForTheNextOne) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.jobs = {define(minutely())};
  a.start();
  world.run_for(90s);
  a.stop(0s);
  world.run_for(2s);
  ASSERT_TRUE(a.stopped());
  const auto stored = core::parse_group_register(world.store.contents().registers.at("g/default").value);
  ASSERT_TRUE(stored);
  ASSERT_TRUE(stored->ended_at);
  EXPECT_EQ(stored->cause, Cause::shutdown);
  EXPECT_LE(world.wall() - *stored->ended_at, Millis(2s));
}

/// Registers are written one at a time over a slow way: the last claim is made long after its slot, which is no
/// misfire.
TEST(Waiting, ForOthersWritesMakesNoMisfire) {
  SimWorld world;
  SimNode& a = world.add("a");
  a.most_writes = 1;
  a.link.delay_min = a.link.delay_max = 150ms;
  for (int i = 0; i < 8; ++i) {
    Job job = minutely("job" + std::to_string(i));
    job.misfire = Misfire::skip;
    a.jobs.push_back(define(job));
  }
  a.start();
  world.run_for(3min + 30s);
  for (const Row& row : a.rows()) {
    EXPECT_EQ(row.status, Status::succeeded) << row.job << " " << to_string(row.reason);
    EXPECT_EQ(row.trigger, Trigger::schedule) << row.job;
  }
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
