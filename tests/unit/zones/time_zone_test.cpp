#include "zones/time_zone.hpp"

#include <gtest/gtest.h>

#include "zones/zone_names.hpp"

namespace ballot::zones {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

TEST(TimeZone, LoadsNamesOfTheDatabase) {
  for (const char* name : {"UTC", "Etc/UTC", "Europe/Paris", "America/Argentina/Buenos_Aires", "EST5EDT", "Etc/GMT+12",
                           "America/Port-au-Prince", "GMT0"})
    EXPECT_TRUE(TimeZone::load(name)) << name;
}

TEST(TimeZone, RefusesWhatIsNoNameOfTheDatabase) {
  for (const char* name : {"",
                           "Mars/Base",
                           "/usr/share/zoneinfo/Europe/Paris",
                           "../zoneinfo/Europe/Paris",
                           "Europe/../Europe/Paris",
                           "Europe//Paris",
                           "Europe/",
                           "Europe",
                           "localtime",
                           "libc:localtime",
                           "file:Europe/Paris",
                           "Fixed/UTC+01:00:00",
                           "UTC0",
                           "CET-1CEST",
                           "<+03>-3",
                           "posix/Europe/Paris",
                           "right/Europe/Paris",
                           "posixrules",
                           ":Europe/Paris",
                           "tzdata.zi",
                           "zone.tab",
                           "europe/paris",
                           "Europe/Paris "})
    EXPECT_FALSE(TimeZone::load(name)) << name;
}

TEST(TimeZone, NamesTheNearestKnownOne) {
  const auto says = [](const char* name) { return TimeZone::load(name).error().what; };
  EXPECT_EQ(says("Europe/Pari"), "unknown time zone 'Europe/Pari'; did you mean Europe/Paris?");
  EXPECT_EQ(says("europe/berlin"), "unknown time zone 'europe/berlin'; did you mean Europe/Berlin?");
  EXPECT_EQ(says("US/Pacfic"), "unknown time zone 'US/Pacfic'; did you mean US/Pacific?");
  EXPECT_EQ(says("Mars/Olympus_Mons"),
            "unknown time zone 'Mars/Olympus_Mons'; write a name of the IANA database, such as Europe/Paris or UTC");
}

TEST(TimeZone, PlacesLabels) {
  const auto zone = *TimeZone::load("America/New_York");
  using Kind = TimeZone::Place::Kind;
  const auto once = zone.find(local_days(2025y / 7 / 1) + 12h);
  EXPECT_EQ(once.kind, Kind::once);
  EXPECT_EQ(once.first, sys_days(2025y / 7 / 1) + 16h);
  const auto skipped = zone.find(local_days(2025y / 3 / 9) + 2h + 30min);
  EXPECT_EQ(skipped.kind, Kind::skipped);
  EXPECT_EQ(skipped.change, sys_days(2025y / 3 / 9) + 7h);
  EXPECT_EQ(skipped.shift, 1h);
  const auto repeated = zone.find(local_days(2025y / 11 / 2) + 1h + 30min);
  EXPECT_EQ(repeated.kind, Kind::repeated);
  EXPECT_EQ(repeated.first, sys_days(2025y / 11 / 2) + 5h + 30min);
  EXPECT_EQ(repeated.change, sys_days(2025y / 11 / 2) + 6h);
  EXPECT_EQ(repeated.shift, -1h);
}

TEST(TimeZone, SpansEndWhereTheOffsetChangesAndNotWhereOnlyItsNameDoes) {
  const auto utc = *TimeZone::load("UTC");
  EXPECT_EQ(utc.span(sys_days(2025y / 1 / 1)).end, sys_seconds::max());
  const auto summer = TimeZone::load("America/New_York")->span(sys_days(2025y / 7 / 1));
  EXPECT_EQ(summer.offset, -4h);
  EXPECT_EQ(summer.end, sys_days(2025y / 11 / 2) + 6h);
  // Yellowknife's table: MST from 1979; Ho Chi Minh: +08 to +07 on 1975-06-12 and no change since
  const auto ho_chi_minh = *TimeZone::load("Asia/Ho_Chi_Minh");
  EXPECT_EQ(ho_chi_minh.span(sys_days(1976y / 1 / 1)).end, sys_seconds::max());
}

TEST(ZoneNames, HaveLettersInEveryPart) {
  EXPECT_TRUE(is_zone_name("America/North_Dakota/New_Salem"));
  EXPECT_FALSE(is_zone_name("America/"));
  EXPECT_FALSE(is_zone_name("a b"));
  EXPECT_FALSE(is_zone_name(std::string(65, 'a')));
  EXPECT_EQ(nearest_zone_name(""), std::nullopt);
}

}  // namespace
}  // namespace ballot::zones
