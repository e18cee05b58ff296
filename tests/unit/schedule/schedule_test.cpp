// The daylight-saving rule, row by row.
#include "plans.hpp"

namespace ballot::schedule {
namespace {

struct Row {
  std::string expression, zone, from, to;
  Texts slots;
};

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(slots_of(plan_of(row.expression, row.zone), row.from, row.to), row.slots)
        << row.expression << " in " << row.zone << " after " << row.from;
}

const std::string new_york = "America/New_York";

// 2025-03-09: 02:00 EST is 03:00 EDT, 07:00Z. The date lasts from 05:00Z to 04:00Z the next day.
Row in_gap(const std::string& expression, const Texts& slots) {
  return {expression, new_york, "2025-03-09T04:59:59Z", "2025-03-10T03:59:59Z", slots};
}
// 2025-11-02: 02:00 EDT is 01:00 EST, 06:00Z. The date lasts from 04:00Z to 05:00Z the next day.
Row in_overlap(const std::string& expression, const Texts& slots) {
  return {expression, new_york, "2025-11-02T03:59:59Z", "2025-11-03T04:59:59Z", slots};
}

TEST(Schedule, FiresOnceForLabelsOfASkippedHour) {
  const Texts once{"2025-03-09T07:00:00Z"};
  expect_rows({in_gap("30 2 * * *", once), in_gap("*/15 2 * * *", once), in_gap("0 2,3 * * *", once),
               in_gap("0 2 * * *", once), in_gap("59 59 2 * * *", once), in_gap("30 2 9 3 *", once)});
}

TEST(Schedule, KeepsTheOtherLabelsOfADateWithASkippedHour) {
  expect_rows({in_gap("0 1-5 * * *",
                      {"2025-03-09T06:00:00Z", "2025-03-09T07:00:00Z", "2025-03-09T08:00:00Z", "2025-03-09T09:00:00Z"}),
               in_gap("30 1-3 * * *", {"2025-03-09T06:30:00Z", "2025-03-09T07:00:00Z", "2025-03-09T07:30:00Z"}),
               in_gap("0 0 * * *", {"2025-03-09T05:00:00Z"})});
}

TEST(Schedule, HasNothingToDoInASkippedHourWhenItMatchesEveryHour) {
  expect_rows({{"0 * * * *",
                new_york,
                "2025-03-09T05:00:00Z",
                "2025-03-09T08:00:00Z",
                {"2025-03-09T06:00:00Z", "2025-03-09T07:00:00Z", "2025-03-09T08:00:00Z"}},
               {"30 * * * *",
                new_york,
                "2025-03-09T06:00:00Z",
                "2025-03-09T08:00:00Z",
                {"2025-03-09T06:30:00Z", "2025-03-09T07:30:00Z"}}});
}

TEST(Schedule, FiresInTheFirstPassOfARepeatedHourOnly) {
  expect_rows({in_overlap("30 1 * * *", {"2025-11-02T05:30:00Z"}),
               in_overlap("0 1 * * *", {"2025-11-02T05:00:00Z"}),
               in_overlap("0 2 * * *", {"2025-11-02T07:00:00Z"}),
               in_overlap("*/15 1 * * *", {"2025-11-02T05:00:00Z", "2025-11-02T05:15:00Z", "2025-11-02T05:30:00Z",
                                           "2025-11-02T05:45:00Z"}),
               {"*/15 0-5 * * *",
                new_york,
                "2025-11-02T05:00:00Z",
                "2025-11-02T07:00:00Z",
                {"2025-11-02T05:15:00Z", "2025-11-02T05:30:00Z", "2025-11-02T05:45:00Z", "2025-11-02T07:00:00Z"}}});
}

TEST(Schedule, FiresInBothPassesOfARepeatedHourWhenItMatchesEveryHour) {
  const Texts eight{"2025-11-02T05:00:00Z", "2025-11-02T05:15:00Z", "2025-11-02T05:30:00Z", "2025-11-02T05:45:00Z",
                    "2025-11-02T06:00:00Z", "2025-11-02T06:15:00Z", "2025-11-02T06:30:00Z", "2025-11-02T06:45:00Z"};
  for (const char* hours : {"*", "0-23", "*/1", "?", "0/1", "0-11,12-23"})
    expect_rows(
        {{"*/15 " + std::string(hours) + " * * *", new_york, "2025-11-02T04:59:59Z", "2025-11-02T06:59:59Z", eight}});
}

TEST(Schedule, FindsTheSecondPassOfAnHourWhoseNextLabelIsAYearAway) {
  // Sao Paulo, 2018-02-18: 00:00 is 23:00 of the 17th again, 02:00Z
  expect_rows({{"30 * 17 2 *",
                "America/Sao_Paulo",
                "2018-02-18T00:31:00Z",
                "2019-02-17T03:30:00Z",
                {"2018-02-18T01:30:00Z", "2018-02-18T02:30:00Z", "2019-02-17T03:30:00Z"}}});
}

TEST(Schedule, StaysSilentWhenAskedFromWithinASecondPass) {
  expect_rows({{"* 1 * * *", new_york, "2025-11-02T06:10:30Z", "2025-11-03T06:00:00Z", {"2025-11-03T06:00:00Z"}},
               {"30 1,2 * * *", new_york, "2025-11-02T06:00:00Z", "2025-11-02T08:00:00Z", {"2025-11-02T07:30:00Z"}}});
}

TEST(Schedule, FiresAfterAGapThatSwallowsMidnight) {
  expect_rows(
      {{"0 0 * * *",
        "America/Sao_Paulo",
        "2018-11-03T12:00:00Z",
        "2018-11-05T12:00:00Z",
        {"2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}},
       {"30 0 4 11 *", "America/Sao_Paulo", "2018-01-01T00:00:00Z", "2018-12-31T00:00:00Z", {"2018-11-04T03:00:00Z"}}});
}

TEST(Schedule, FollowsShiftsOfHalfAnHour) {
  const std::string zone = "Australia/Lord_Howe";
  expect_rows({{"15 2 * * *", zone, "2025-10-04T12:00:00Z", "2025-10-05T12:00:00Z", {"2025-10-04T15:30:00Z"}},
               {"45 1 * * *", zone, "2025-04-05T12:00:00Z", "2025-04-06T12:00:00Z", {"2025-04-05T14:45:00Z"}},
               // 02:00 of the first pass is 01:30 of the second: the next 02:00 is an hour and a half away
               {"0 * * * *",
                zone,
                "2025-04-05T13:00:00Z",
                "2025-04-05T16:00:00Z",
                {"2025-04-05T14:00:00Z", "2025-04-05T15:30:00Z"}},
               {"45 * * * *",
                zone,
                "2025-04-05T13:59:00Z",
                "2025-04-05T15:45:00Z",
                {"2025-04-05T14:45:00Z", "2025-04-05T15:15:00Z"}}});
}

TEST(Schedule, RecordsADateThatDoesNotExistOnceAtTheLastSecondBeforeIt) {
  const std::string zone = "Pacific/Apia";  // after 2011-12-29T23:59:59-10:00 comes 2011-12-31T00:00:00+14:00
  const std::string from = "2011-12-29T00:00:00Z", to = "2012-01-01T00:00:00Z";
  expect_rows({{"0 9 * * *",
                zone,
                from,
                to,
                {"2011-12-29T19:00:00Z", "2011-12-30T09:59:59Z gap", "2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z"}},
               {"*/10 9-17 30 12 *", zone, from, to, {"2011-12-30T09:59:59Z gap"}},
               {"0 0 * * *",
                zone,
                "2011-12-29T12:00:00Z",
                "2011-12-30T12:00:00Z",
                {"2011-12-30T09:59:59Z gap", "2011-12-30T10:00:00Z"}},
               {"0 9 31 * *", zone, from, to, {"2011-12-30T19:00:00Z"}},
               // the last second before the gap is due itself
               {"59 59 23 * * *", zone, from, "2011-12-30T10:00:00Z", {"2011-12-29T09:59:59Z", "2011-12-30T09:59:59Z"}},
               // every hour: elapsed time has no gap
               {"0 * 30 12 *", zone, from, to, {}},
               {"0 9 * * *",
                "Pacific/Kwajalein",
                "1993-08-20T12:00:00Z",
                "1993-08-21T23:59:59Z",
                {"1993-08-20T21:00:00Z", "1993-08-21T11:59:59Z gap", "1993-08-21T21:00:00Z"}}});
}

TEST(Schedule, FollowsOffsetsWithSeconds) {
  // Monrovia, 1972-01-07: from -0:44:30 to UTC, 00:00:00 to 00:44:30
  expect_rows({{"15 0 * * *",
                "Africa/Monrovia",
                "1972-01-06T00:00:00Z",
                "1972-01-08T12:00:00Z",
                {"1972-01-06T00:59:30Z", "1972-01-07T00:44:30Z", "1972-01-08T00:15:00Z"}},
               {"0 * * * *",
                "Africa/Monrovia",
                "1972-01-06T23:00:00Z",
                "1972-01-07T01:30:00Z",
                {"1972-01-06T23:44:30Z", "1972-01-07T01:00:00Z"}}});
}

TEST(Schedule, FollowsChangesThatAreNotDaylightSaving) {
  // Caracas went from -4:30 to -4:00 on 2016-05-01 at 02:30, by law
  expect_rows({{"45 2 * * *",
                "America/Caracas",
                "2016-04-30T12:00:00Z",
                "2016-05-02T12:00:00Z",
                {"2016-05-01T07:00:00Z", "2016-05-02T06:45:00Z"}}});
}

TEST(Schedule, KeepsToTheRulesOfAZoneLongAfterItsTable) {
  expect_rows({{"30 2 * * *",
                new_york,
                "2199-03-09T12:00:00Z",
                "2199-03-11T12:00:00Z",
                {"2199-03-10T07:00:00Z", "2199-03-11T06:30:00Z"}}});
}

TEST(Schedule, ReadsTheZoneOfAnExpressionBeforeTheJobs) {
  expect_rows({{"CRON_TZ=Asia/Tokyo 0 9 * * *",
                new_york,
                "2025-01-01T00:00:00Z",
                "2025-01-02T12:00:00Z",
                {"2025-01-02T00:00:00Z"}}});
}

}  // namespace
}  // namespace ballot::schedule
