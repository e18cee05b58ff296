// ballot show, without a daemon: each line that it prints of a job.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::Ran;

/// A day that comes in each of the next years, and never a 29 February.
struct DayOfYear {
  std::chrono::year_month_day date{
      std::chrono::floor<std::chrono::days>(io::read_clocks().wall + std::chrono::days(3))};

  DayOfYear() {
    if (date.month() == std::chrono::February && date.day() == std::chrono::day(29)) date = date.year() / 3 / 1;
  }
  std::string schedule(const std::string& time) const {
    return time + " " + std::to_string(static_cast<unsigned>(date.day())) + " " +
           std::to_string(static_cast<unsigned>(date.month())) + " *";
  }
  std::string slot(int years, Millis time) const {
    return format_seconds(std::chrono::sys_days(date + std::chrono::years(years)) + time);
  }
};

TEST(ShowCommand, PrintsEachFactOfAJob) {
  const DayOfYear day;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "jobs.d");
  const std::string text = "[job.tax]\ndescription = \"the\\nyear's end\"\nschedule = \"" + day.schedule("30 3") +
                           "\"\ntimezone = \"Asia/Tokyo\"\ngroup = \"books\"\ncommand = [\"/bin/true\"]\n";
  folder.write("jobs.d/a.toml", "# first\n" + text + "\n# of the next\n[job.next]\ncommand = [\"/bin/true\"]\n");
  const std::string config =
      folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                      "\"\nrun_dir = \"" + folder.path() + "\"\n");
  const Ran ran = ballot({"show", "tax", "--config", config});
  EXPECT_EQ(ran.code, 0) << ran.err;
  constexpr Millis half_past_three = std::chrono::hours(3) + std::chrono::minutes(30);
  const auto local = [](std::string utc) { return utc.replace(utc.size() - 1, 1, "+09:00"); };  // instead of the Z
  std::string slots;
  for (int year = 0; year < 5; ++year)
    slots += (year == 0 ? "next slots  " : "            ") + local(day.slot(year, half_past_three)) + " (" +
             day.slot(year, half_past_three - std::chrono::hours(9)) + ")\n";
  const std::string before = "job         tax: the\\nyear's end\ngroup       books\nstate       not known: ",
                    file = "\nfile        " + folder / "jobs.d" + "/a.toml:2\ntimezone    Asia/Tokyo\ndigest      ";
  EXPECT_TRUE(ran.out.starts_with(before)) << ran.out;
  const std::size_t at = ran.out.find(file);
  ASSERT_NE(at, std::string::npos) << ran.out;
  const std::string rest = ran.out.substr(at + file.size());
  const std::string digest = rest.substr(0, rest.find('\n'));
  EXPECT_FALSE(digest.empty());
  EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos) << digest;
  EXPECT_EQ(rest.substr(digest.size()), "\n" + slots + "\n" + text) << "03:30 in Tokyo is 18:30 of the day before";
}

}  // namespace
}  // namespace ballot::app
