// Which dates and times of day an expression matches, without zones.
#include "plans.hpp"

namespace ballot::schedule {
namespace {

/// The dates on which `0 0 FIELDS` is due.
Texts dates(const std::string& fields, const std::string& from, std::size_t count) {
  Texts found = first_slots(plan_of("0 0 " + fields), from, count);
  for (std::string& text : found) text.resize(10);
  return found;
}

TEST(Calendar, FindsTheLastDayOfEveryMonth) {
  EXPECT_EQ(dates("L * *", "2023-12-31T12:00:00Z", 4), (Texts{"2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"}));
  EXPECT_EQ(dates("L-2 2 *", "2024-01-01T00:00:00Z", 2), (Texts{"2024-02-27", "2025-02-26"}));
  EXPECT_EQ(dates("L-30 * *", "2024-01-01T00:00:00Z", 3), (Texts{"2024-03-01", "2024-05-01", "2024-07-01"}));
  EXPECT_EQ(dates("15,l * *", "2024-01-01T00:00:00Z", 3), (Texts{"2024-01-15", "2024-01-31", "2024-02-15"}));
}

TEST(Calendar, FindsTheWeekdayNearestToADayWithinTheMonth) {
  EXPECT_EQ(dates("15W 2,3,6 *", "2025-01-01T00:00:00Z", 3), (Texts{"2025-02-14", "2025-03-14", "2025-06-16"}));
  EXPECT_EQ(dates("1W 2,3,6 *", "2025-01-01T00:00:00Z", 3), (Texts{"2025-02-03", "2025-03-03", "2025-06-02"}));
  EXPECT_EQ(dates("31W 8 *", "2025-01-01T00:00:00Z", 1), (Texts{"2025-08-29"}));
  EXPECT_EQ(dates("30W 11 *", "2025-01-01T00:00:00Z", 1), (Texts{"2025-11-28"}));
  EXPECT_EQ(dates("28W 2 *", "2026-01-01T00:00:00Z", 1), (Texts{"2026-02-27"}));
}

TEST(Calendar, SkipsTheNearestWeekdayOfADayThatTheMonthHasNot) {
  EXPECT_EQ(dates("31W * *", "2025-01-31T12:00:00Z", 2), (Texts{"2025-03-31", "2025-05-30"}));
  EXPECT_EQ(dates("29W 2 *", "2025-01-01T00:00:00Z", 1), (Texts{"2028-02-29"}));
}

TEST(Calendar, FindsTheLastWeekdayOfTheMonth) {
  EXPECT_EQ(dates("LW * *", "2025-05-01T00:00:00Z", 4),
            (Texts{"2025-05-30", "2025-06-30", "2025-07-31", "2025-08-29"}));
}

TEST(Calendar, FindsTheNthAndTheLastWeekdayOfTheMonth) {
  EXPECT_EQ(dates("* * 1#1", "2025-05-31T00:00:00Z", 3), (Texts{"2025-06-02", "2025-07-07", "2025-08-04"}));
  EXPECT_EQ(dates("* * FRI#5", "2025-01-01T00:00:00Z", 3), (Texts{"2025-01-31", "2025-05-30", "2025-08-29"}));
  EXPECT_EQ(dates("* * 7#1,sun#3", "2025-06-01T00:00:00Z", 3), (Texts{"2025-06-15", "2025-07-06", "2025-07-20"}));
  EXPECT_EQ(dates("* * 5L", "2025-01-01T00:00:00Z", 3), (Texts{"2025-01-31", "2025-02-28", "2025-03-28"}));
  EXPECT_EQ(dates("* * 0L,MonL", "2025-01-01T00:00:00Z", 3), (Texts{"2025-01-26", "2025-01-27", "2025-02-23"}));
}

TEST(Calendar, FindsRareDates) {
  EXPECT_EQ(dates("* 2 6#5", "2025-01-01T00:00:00Z", 2), (Texts{"2048-02-29", "2076-02-29"}));
  EXPECT_EQ(dates("29 2 *", "1895-01-01T00:00:00Z", 3), (Texts{"1896-02-29", "1904-02-29", "1908-02-29"}));
  EXPECT_EQ(dates("29 2 *", "2096-02-29T00:00:00Z", 2), (Texts{"2104-02-29", "2108-02-29"}));
  EXPECT_EQ(dates("29 2 *", "1999-01-01T00:00:00Z", 2), (Texts{"2000-02-29", "2004-02-29"}));
  // */28 is the 1st and the 29th, and restricts the weekday: 40 years without, across 2100
  EXPECT_EQ(dates("*/28 2 1#5", "2072-03-01T00:00:00Z", 1), (Texts{"2112-02-29"}));
}

TEST(Calendar, WantsBothDaysWhenOneOfTheFieldsStartsWithAStar) {
  EXPECT_EQ(dates("*/2 * 1", "2025-06-01T00:00:00Z", 3), (Texts{"2025-06-09", "2025-06-23", "2025-07-07"}));
  EXPECT_EQ(dates("?/2 * 1", "2025-06-01T00:00:00Z", 3), (Texts{"2025-06-09", "2025-06-23", "2025-07-07"}));
  EXPECT_EQ(dates("13 * */5", "2025-01-01T00:00:00Z", 3), (Texts{"2025-04-13", "2025-06-13", "2025-07-13"}));
  EXPECT_EQ(dates("LW * */5", "2025-01-01T00:00:00Z", 2), (Texts{"2025-01-31", "2025-02-28"}));
}

TEST(Calendar, WantsEitherDayWhenNeitherFieldStartsWithAStar) {
  EXPECT_EQ(dates("13 * 5", "2025-06-01T00:00:00Z", 4),
            (Texts{"2025-06-06", "2025-06-13", "2025-06-20", "2025-06-27"}));
  EXPECT_EQ(dates("13 * 5", "2025-07-05T00:00:00Z", 3), (Texts{"2025-07-11", "2025-07-13", "2025-07-18"}));
  EXPECT_EQ(dates("L * 5L", "2025-06-01T00:00:00Z", 3), (Texts{"2025-06-27", "2025-06-30", "2025-07-25"}));
  EXPECT_EQ(dates("1-31 * 1", "2025-06-01T00:00:00Z", 2), (Texts{"2025-06-02", "2025-06-03"}));
}

TEST(Calendar, KnowsSundayAsZeroAndSeven) {
  for (const char* sundays : {"0", "7", "SUN", "sun", "7-7", "0,7"})
    EXPECT_EQ(dates("* * " + std::string(sundays), "2025-06-01T00:00:00Z", 2), (Texts{"2025-06-08", "2025-06-15"}));
  const Texts weekend{"2025-06-06", "2025-06-07", "2025-06-08", "2025-06-13"};
  for (const char* days : {"5-7", "FRI-SUN", "5-0", "5,6,0"})
    EXPECT_EQ(dates("* * " + std::string(days), "2025-06-01T00:00:00Z", 4), weekend) << days;
  for (const char* days : {"SUN-TUE", "7-2", "0-2"})
    EXPECT_EQ(dates("* * " + std::string(days), "2025-05-31T00:00:00Z", 4),
              (Texts{"2025-06-01", "2025-06-02", "2025-06-03", "2025-06-08"}))
        << days;
}

TEST(Calendar, CountsStepsFromSundayAsSevenAsFromZero) {
  for (const char* days : {"7/3", "0/3", "SUN/3", "sun-sat/3"})
    EXPECT_EQ(dates("* * " + std::string(days), "2025-06-01T12:00:00Z", 3),
              (Texts{"2025-06-04", "2025-06-07", "2025-06-08"}))
        << days;
}

TEST(Calendar, CountsStepsFromTheFirstValueOfTheField) {
  EXPECT_EQ(dates("*/10 * *", "2025-01-30T12:00:00Z", 4),
            (Texts{"2025-01-31", "2025-02-01", "2025-02-11", "2025-02-21"}));
  EXPECT_EQ(dates("1 */5 *", "2025-01-01T12:00:00Z", 3), (Texts{"2025-06-01", "2025-11-01", "2026-01-01"}));
  EXPECT_EQ(dates("1 8/2 *", "2025-01-01T12:00:00Z", 3), (Texts{"2025-08-01", "2025-10-01", "2025-12-01"}));
  EXPECT_EQ(dates("* * 1/2", "2025-06-01T12:00:00Z", 4),
            (Texts{"2025-06-02", "2025-06-04", "2025-06-06", "2025-06-09"}));
  EXPECT_EQ(dates("1 jan-JUN/2,dec *", "2025-02-01T12:00:00Z", 3), (Texts{"2025-03-01", "2025-05-01", "2025-12-01"}));
}

TEST(Calendar, FindsTimesOfDayToTheSecond) {
  EXPECT_EQ(first_slots(plan_of("*/20 59 23 31 12 *"), "2025-06-01T00:00:00Z", 4),
            (Texts{"2025-12-31T23:59:00Z", "2025-12-31T23:59:20Z", "2025-12-31T23:59:40Z", "2026-12-31T23:59:00Z"}));
  EXPECT_EQ(first_slots(plan_of("7,5 1-2 3 * * *"), "2025-06-01T03:01:05Z", 4),
            (Texts{"2025-06-01T03:01:07Z", "2025-06-01T03:02:05Z", "2025-06-01T03:02:07Z", "2025-06-02T03:01:05Z"}));
  EXPECT_EQ(first_slots(plan_of("10-50/20 8-10 * * *"), "2025-06-01T10:30:00Z", 2),
            (Texts{"2025-06-01T10:50:00Z", "2025-06-02T08:10:00Z"}));
}

TEST(Calendar, EndsAtItsHorizon) {
  EXPECT_EQ(first_slots(plan_of("0 0 1 1 *"), "2398-06-01T00:00:00Z", 5), (Texts{"2399-01-01T00:00:00Z"}));
  EXPECT_EQ(first_slots(plan_of("0 * 1 1 *"), "2399-01-01T22:30:00Z", 5), (Texts{"2399-01-01T23:00:00Z"}));
}

}  // namespace
}  // namespace ballot::schedule
