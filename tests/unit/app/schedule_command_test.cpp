#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

std::string slots(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "schedule");
  const Ran ran = ballot(std::move(arguments));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

TEST(ScheduleCommand, PrintsFiveSlotsALineEach) {
  EXPECT_EQ(slots({"0 2 * * *", "--from", "2025-03-08T00:00:00Z"}),
            "2025-03-08T02:00:00Z\n2025-03-09T02:00:00Z\n2025-03-10T02:00:00Z\n2025-03-11T02:00:00Z\n"
            "2025-03-12T02:00:00Z\n");
}

TEST(ScheduleCommand, StartsStrictlyAfterTheTime) {
  EXPECT_EQ(slots({"0 2 * * *", "--from", "2025-03-08T02:00:00Z", "--count", "1"}), "2025-03-09T02:00:00Z\n");
}

TEST(ScheduleCommand, FollowsTheZone) {
  EXPECT_EQ(slots({"30 2 * * *", "--timezone", "America/New_York", "--from", "2025-03-08T12:00:00Z", "--count", "2"}),
            "2025-03-09T07:00:00Z\n2025-03-10T06:30:00Z\n");
}

TEST(ScheduleCommand, CountsEveryFromTheTime) {
  EXPECT_EQ(slots({"@every 90s", "--from", "2025-01-01T00:00:01Z", "--count", "2"}),
            "2025-01-01T00:01:31Z\n2025-01-01T00:03:01Z\n");
}

TEST(ScheduleCommand, PrintsNothingForReboot) { EXPECT_EQ(slots({"@reboot"}), ""); }

TEST(ScheduleCommand, HashesTheJobForH) {
  const std::vector<std::string> from{"--from", "2025-01-01T00:00:00Z", "--count", "1"};
  const auto at = [&](const std::string& job) {
    return slots({"H H * * *", "--job", job, from[0], from[1], from[2], from[3]});
  };
  EXPECT_EQ(at("g/a"), at("g/a"));
  EXPECT_NE(at("g/a"), at("g/b"));
}

TEST(ScheduleCommand, SaysWhereTheYearsEndForWhichSlotsAreComputed) {
  const Ran last = ballot({"schedule", "0 0 1 1 *", "--from", "2397-06-01T00:00:00Z"});
  EXPECT_EQ(last.code, 0);
  EXPECT_EQ(last.out, "2398-01-01T00:00:00Z\n2399-01-01T00:00:00Z\n");
  EXPECT_EQ(last.err, "ballot schedule: there are no more slots: none is computed after the year 2399\n");
  for (const char* from : {"2400-01-01T00:00:00Z", "2450-01-01T00:00:00Z", "1799-12-31T23:59:59Z"}) {
    const Ran outside = ballot({"schedule", "0 0 1 1 *", "--from", from});
    EXPECT_EQ(outside.code, 2) << from;
    EXPECT_TRUE(contains(outside.err, "must be within the years 1800 to 2399")) << outside.err;
  }
}

TEST(ScheduleCommand, SaysWhatShowsTheSlotsOfAJobWhereAJobIsGiven) {
  const TempFolder folder;
  folder.write("a.toml", "[job.backup]\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n");
  const std::string config = folder.write("ballot.toml", "jobs_dir = \"" + folder.path() + "\"\n");
  const Ran job = ballot({"schedule", "backup", "--config", config});
  EXPECT_EQ(job.code, 2);
  EXPECT_TRUE(contains(job.err, "backup is a job: its next slots are in `ballot show backup`")) << job.err;
  EXPECT_FALSE(contains(ballot({"schedule", "backpu", "--config", config}).err, "is a job"));
}

TEST(ScheduleCommand, RefusesWhatItDoesNotUnderstand) {
  const Ran expression = ballot({"schedule", "0 99 * * *"});
  EXPECT_EQ(expression.code, 2);
  EXPECT_EQ(expression.out, "");
  EXPECT_TRUE(contains(expression.err, "column 3")) << expression.err;
  const Ran zone = ballot({"schedule", "0 0 * * *", "--timezone", "Europe/Pariss"});
  EXPECT_EQ(zone.code, 2);
  EXPECT_TRUE(contains(zone.err, "Europe/Pariss")) << zone.err;
  EXPECT_EQ(ballot({"schedule", "0 0 * * *", "--job", "name"}).code, 2);
  EXPECT_EQ(ballot({"schedule", "0 0 * * *", "--count", "0"}).code, 2);
  EXPECT_EQ(ballot({"schedule"}).code, 2);
}

}  // namespace
}  // namespace ballot::app
