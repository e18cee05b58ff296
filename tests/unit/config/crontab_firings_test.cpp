// That what is imported is due when cron would have started it: each line through the import, the loader and the plan,
// against cron's own rules.
#include <gtest/gtest.h>

#include <random>

#include "config/crontab/crontab_import.hpp"
#include "cron_rules.hpp"
#include "diagnostics_text.hpp"
#include "zones/time_zone.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono;
using ballot::testing::CronRules;

std::vector<std::string> lines_by_hand() {
  return {
      "* * * * *",
      "0 * * * *",
      "17 * * * *",
      "0 0 * * *",
      "5 0 * * *",
      "15 14 1 * *",
      "0 22 * * 1-5",
      "23 0-23/2 * * *",
      "5 4 * * sun",
      "0 0,12 1 */2 *",
      "*/15 * * * *",
      "*/7 * * * *",
      "*/59 * * * *",
      "*/60 * * * *",
      "*/61 * * * *",
      "*/1000 * * * *",
      "0-59/7 3 * * *",
      "1-59/2 * * * *",
      "5-10/99 4 * * *",
      "09,39 * * * *",
      "00 06 01 01 *",
      "0 */5 * * *",
      "0 */23 * * *",
      "0 */24 * * *",
      "0 */25 * * *",
      "0 0-23 * * *",
      "30 7-23 * * *",
      "0 9-17/3 * * *",
      "0 0 */31 * *",
      "0 0 */40 * 1-5",
      "0 0 */2 * 1",
      "0 0 */2 * *",
      "0 0 * * */2",
      "0 0 * * */3",
      "0 0 * * */7",
      "0 0 * * */8",
      "0 0 1 * */100",
      "0 0 13 * 5",
      "30 4 1,15 * 5",
      "0 0 13 * fri",
      "0 0 31 * *",
      "0 0 29 2 *",
      "0 0 30 2 1",
      "0 0 31 2 sun",
      "0 0 1-7 * 1",
      "0 0 1-7 * *",
      "0 0 */1 * 3",
      "0 0 1,* * 3",
      "0 0 *,1 * 3",
      "0 0 3 * 1,*",
      "0 0 3 * *,1",
      "0 0 1-31 * 3",
      "0 0 3 * 0-7",
      "0 0 3 * 0-6",
      "0 0 * * 0",
      "0 0 * * 7",
      "0 0 * * 0,7",
      "0 0 * * 5-7",
      "0 0 * * 0-7/2",
      "0 0 * * 1-7/2",
      "0 0 * * 0-7/7",
      "0 0 * * 7-7",
      "0 0 * * 6-7",
      "0 0 * * SUN",
      "0 0 * * Mon-Fri",
      "0 0 * * sun-sat",
      "0 0 * * tue,Thu,sAT",
      "0 0 * * sun-wed/2",
      "0 0 * jan *",
      "0 0 1 JAN,jul *",
      "0 0 1 feb-apr *",
      "0 0 1 jan-dec/3 *",
      "0 0 1 */12 *",
      "0 0 1 */13 *",
      "0 0 1 */5 mon",
      "0 0 1 1 *",
      "@yearly",
      "@annually",
      "@monthly",
      "@weekly",
      "@daily",
      "@midnight",
      "@hourly",
      "1,2,3,4,5 * * * *",
      "0,0,0 5,5 * * *",
      "10-20,15-25 1 * * *",
      "5,10-12,*/30 * * * *",
      "0 0 1,15,31 2-11/3 0,6",
      "007 0003 * * *",
      "59 23 31 12 *",
  };
}

/// Lines by chance, such as people write and such as they do not.
class LineMaker {
 public:
  std::string line() {
    return field(0, 59, "") + " " + field(0, 23, "") + " " + field(1, 31, "") + " " +
           field(1, 12, "jan feb mar apr may jun jul aug sep oct nov dec") + " " +
           field(0, 7, "sun mon tue wed thu fri sat");
  }

 private:
  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

  std::string value(int number, int low, const std::string& names) {
    const auto at = static_cast<std::size_t>(number - low) * 4;
    return at < names.size() && between(0, 3) == 0 ? names.substr(at, 3) : std::to_string(number);
  }

  std::string field(int low, int high, const std::string& names) {
    if (between(0, 2) == 0) return "*";
    std::string field;
    for (int items = between(0, 2) == 0 ? between(2, 4) : 1; items > 0; --items)
      field += (field.empty() ? "" : ",") + item(low, high, names);
    return field;
  }

  std::string item(int low, int high, const std::string& names) {
    int from = between(low, high), to = between(low, high);
    if (from > to) std::swap(from, to);
    if (from == high && high == 7) from = 0;  // `7-sun` and the like run backwards in cron
    const std::string range = value(from, low, names) + "-" + (to == 7 ? "7" : value(to, low, names));
    const std::string step = "/" + std::to_string(between(0, 4) == 0 ? between(1, 120) : between(1, high));
    switch (between(0, 6)) {
      case 0: return "*";
      case 1: return "*" + step;
      case 2: return range;
      case 3: return range + step;
      default: return value(to == 7 && high == 7 ? 0 : to, low, names);
    }
  }

  std::mt19937 random_{20270314};
};

/// The plan of the job that a line becomes.
struct Imported {
  std::optional<schedule::Plan> plan;
  std::string findings;
};
Imported import_line(const std::string& times, const std::string& zone) {
  CrontabImport import(zone, {}, sys_days(year(2027) / January / 1));
  const ImportedCrontab imported = import.add(user_crontab("tab", "root"), times + " true\n");
  Identities identities;
  const std::string text = imported.files.empty() ? "" : imported.files.front().text;
  const JobFile file = read_job_file(text, {"tab.toml", std::nullopt}, {}, identities);
  EXPECT_EQ(text_of(file.diagnostics), "") << text;
  if (file.definitions.size() != 1) return {std::nullopt, text_of(imported.diagnostics)};
  return {file.definitions[0].definition->plan, text_of(imported.diagnostics)};
}

std::vector<WallTime> slots_of(const schedule::Plan& plan, WallTime after, std::size_t count, WallTime until) {
  std::vector<WallTime> slots;
  for (auto slot = plan.next(after, {}); slot && slot->at <= until && slots.size() < count;
       slot = plan.next(slot->at, {}))
    slots.push_back(slot->at);
  return slots;
}

/// Samples of three years with a leap day: the next 30 from each quarter on.
void expect_same_firings(const std::string& times) {
  const CronRules rules(times);
  const auto [plan, findings] = import_line(times, "UTC");
  ASSERT_TRUE(plan) << findings;
  EXPECT_EQ(findings, "");
  for (auto month = year(2026) / January; month < year(2029) / January; month += months(3)) {
    const WallTime after = sys_days(month / 1) - seconds(1);
    const WallTime until = after + days(93);
    ASSERT_EQ(slots_of(*plan, after, 30, until), rules.next(after, 30, until)) << times;
  }
}

TEST(CrontabFirings, AreCronsOwnForLinesByHand) {
  for (const std::string& times : lines_by_hand()) expect_same_firings(times);
}

TEST(CrontabFirings, AreCronsOwnForLinesByChance) {
  LineMaker lines;
  int compared = 0;
  while (compared < 250) {
    const std::string times = lines.line();
    const CronRules rules(times);
    if (rules.next(sys_days(year(2020) / 1 / 1), 1, sys_days(year(2029) / 1 / 1)).empty()) continue;  // 30 February
    expect_same_firings(times);
    ++compared;
  }
}

/// 2027 in New York: 02:00 to 03:00 does not exist on 14 March, 01:00 to 02:00 comes twice on 7 November.
constexpr sys_days spring = year(2027) / March / 14, autumn = year(2027) / November / 7;

struct Starts {
  std::vector<WallTime> cron, ballot;
  std::string findings;
};
Starts around(sys_days day, const std::string& times) {
  const auto zone = zones::TimeZone::load("America/New_York");
  const auto offset = [&](WallTime at) { return zone->offset(floor<seconds>(at)); };
  const auto [plan, findings] = import_line(times, "America/New_York");
  const WallTime after = day - hours(12), until = day + hours(36);
  return {CronRules(times).between(after, until, offset), slots_of(*plan, after, 10'000, until), findings};
}

TEST(CrontabFirings, AreCronsOwnWhenTheClocksChangeForMostLines) {
  for (const char* times :
       {"* * * * *", "*/15 * * * *", "17 * * * *", "@hourly", "@daily", "30 2 * * *", "30 1 * * *", "0 3 * * *",
        "25 6 * * *", "*/10 4-23 * * *", "0 */3 * * *", "15 2 14 3 *", "0 0,6,12,18 * * *", "59 1 * * sun"})
    for (const sys_days day : {spring, autumn}) {
      const Starts starts = around(day, times);
      EXPECT_EQ(starts.ballot, starts.cron) << times;
      EXPECT_EQ(starts.findings, "") << times;
    }
}

/// As docs/from-cron.md has it; over the day and the one after.
TEST(CrontabFirings, DifferWhenTheClocksChangeForSomeLinesAndSaySo) {
  struct Case {
    sys_days day;
    const char* times;
    std::size_t cron, ballot;
    const char* warning;
  };
  for (const Case& wanted :
       {Case{spring, "*/15 2 * * *", 4, 5, "03-14T07:00:00Z, cron starts it 0 times, and the job runs 1 time"},
        Case{autumn, "*/15 1 * * *", 12, 8, "11-07T06:00:00Z, cron starts it 8 times, and the job runs 4 times"},
        Case{spring, "0,30 2 * * *", 4, 3, "03-14T07:00:00Z, cron starts it 2 times, and the job runs 1 time"},
        Case{spring, "0 2,3 * * *", 4, 3, "03-14T07:00:00Z, cron starts it 2 times, and the job runs 1 time"},
        Case{spring, "0 */2 * * *", 24, 25, "03-14T07:00:00Z, cron starts it 0 times, and the job runs 1 time"},
        Case{spring, "30 0-23 * * *", 49, 48, "03-14T07:00:00Z, cron starts it 1 time, and the job runs 0 times"},
        Case{autumn, "30 0-23 6-8 11 *", 47, 48, "11-07T06:00:00Z, cron starts it 1 time, and the job runs 2 times"}}) {
    const Starts starts = around(wanted.day, wanted.times);
    EXPECT_EQ(starts.cron.size(), wanted.cron) << wanted.times;
    EXPECT_EQ(starts.ballot.size(), wanted.ballot) << wanted.times;
    EXPECT_EQ(starts.findings, "tab:1:1: warning: where the clocks change, next at 2027-" +
                                   std::string(wanted.warning) + "; docs/from-cron.md says why\n");
  }
}

}  // namespace
}  // namespace ballot::config
