#include "zones/zone_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "schedule/plan.hpp"
#include "support/temp_folder.hpp"
#include "zones/time_zone.hpp"

namespace ballot::zones {
namespace {

/// A database of zones of its own, for the names that this test makes up.
struct ZoneFiles : ::testing::Test {
  ZoneFiles() { ::setenv("TZDIR", folder.path().c_str(), 1); }
  ~ZoneFiles() override { ::unsetenv("TZDIR"); }

  /// As a package puts it there: another file under the name.
  void install(const std::string& name, const std::string& rules) const {
    std::filesystem::copy_file("/usr/share/zoneinfo/" + rules, folder / "new");
    std::filesystem::rename(folder / "new", folder / name);
  }

  const TempFolder folder;
};

schedule::Plan plan_in(const std::string& zone) {
  return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"0 12 * * *"}, .timezone = zone}));
}

TEST_F(ZoneFiles, LoadsAZoneAnewThatAnUpdateHasReplaced) {
  constexpr std::chrono::sys_seconds winter = std::chrono::sys_days(std::chrono::year(2025) / 1 / 1);
  install("Moved", "Asia/Tokyo");
  install("Stays", "Europe/Paris");
  const std::uint64_t before = zone_changes();
  const auto old = TimeZone::load("Moved");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->offset(winter), std::chrono::hours(9));
  const schedule::Plan plan = plan_in("Moved"), other = plan_in("Stays");
  EXPECT_EQ(zone_changes(), before) << "nothing has changed";
  EXPECT_TRUE(plan.has_same_zones(plan_in("Moved")));

  install("Moved", "Asia/Kolkata");
  EXPECT_EQ(TimeZone::load("Moved")->offset(winter), std::chrono::hours(9)) << "nobody has looked";
  EXPECT_EQ(zone_changes(), before + 1);
  EXPECT_EQ(zone_changes(), before + 1) << "once";
  EXPECT_EQ(TimeZone::load("Moved")->offset(winter), std::chrono::minutes(330));
  EXPECT_EQ(old->offset(winter), std::chrono::hours(9)) << "what was loaded stays";
  EXPECT_FALSE(plan.has_same_zones(plan_in("Moved")));
  EXPECT_TRUE(other.has_same_zones(plan_in("Stays")));

  std::filesystem::remove(folder / "Moved");
  EXPECT_EQ(zone_changes(), before + 1) << "it is being replaced";
  install("Moved", "Asia/Tokyo");
  EXPECT_EQ(zone_changes(), before + 2);
  EXPECT_EQ(TimeZone::load("Moved")->offset(winter), std::chrono::hours(9));
}

}  // namespace
}  // namespace ballot::zones
