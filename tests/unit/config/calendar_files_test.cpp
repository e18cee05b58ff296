// Calendars over several job files, and over time: who defines them, who names them, and what is read again.
#include <gtest/gtest.h>

#include <filesystem>

#include "config/check.hpp"
#include "config/jobs_dir.hpp"
#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config::calendar_files {
namespace {

std::string job(const std::string& name, const std::string& calendar) {
  return "[job." + name + "]\nshell = \"true\"\nschedule = \"0 2 * * *\"\nexcept = [\"" + calendar + "\"]\n";
}

std::string ical(const std::string& day) {
  return "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:" + day + "\nEND:VEVENT\nEND:VCALENDAR\n";
}

class CalendarFiles : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) const { folder_.write(name, text); }

  /// "NAME: its rule" of each job in force.
  std::string in_force() const {
    std::string text;
    for (const auto& one : jobs_.set().definitions)
      text += (text.empty() ? "" : "; ") + one->job.name + ": " + *one->job.details->days;
    return text;
  }
  std::string findings() const { return text_of(jobs_.set().diagnostics); }
  /// The names of jobs that have changed.
  static std::string changed(const Changes& changes) {
    std::string text;
    for (const auto& one : changes.changed) text += one->job.name;
    return text;
  }

  TempFolder folder_;
  JobsDir jobs_{folder_.path(), {}};
};

TEST_F(CalendarFiles, DefineThemForJobsOfAnyFile) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n" + job("b", "work"));
  write("c.toml", "[calendar.work]\nweekdays = [\"sat\"]\n");
  jobs_.reload();
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(in_force(), "a: except free=12-25; b: except work=sat");
}

TEST_F(CalendarFiles, ChangeJobsOfOtherFilesWhenTheyAreEdited) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n");
  write("c.toml", job("c", "other") + "[calendar.other]\ndates = [\"01-01\"]\n");
  jobs_.reload();
  write("b.toml", "[calendar.free]\ndates = [\"12-26\"]\n");
  const std::string name = "b.toml";
  EXPECT_EQ(changed(jobs_.reload(std::span(&name, 1))), "a");
  EXPECT_EQ(in_force(), "a: except free=12-26; c: except other=01-01");
}

TEST_F(CalendarFiles, LeaveTheLastGoodVersionInForceWhereOneIsGone) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n");
  jobs_.reload();
  std::filesystem::remove(folder_ / "b.toml");
  EXPECT_EQ(changed(jobs_.reload()), "");
  EXPECT_EQ(in_force(), "a: except free=12-25");
  EXPECT_TRUE(findings().starts_with(folder_ / "a.toml" + ":4:11: error: 'except' names the calendar 'free', and no"))
      << findings();
  write("b.toml", "[calendar.free]\ndates = [\"12-31\"]\n");
  const std::string name = "b.toml";
  EXPECT_EQ(changed(jobs_.reload(std::span(&name, 1))), "a");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(in_force(), "a: except free=12-31");
}

TEST_F(CalendarFiles, OfOneNameCountInTheFirstFile) {
  write("a.toml", "[calendar.free]\ndates = [\"12-25\"]\n");
  write("b.toml", "[calendar.free]\ndates = [\"12-26\"]\n" + job("b", "free"));
  jobs_.reload();
  EXPECT_EQ(in_force(), "b: except free=12-25");
  EXPECT_EQ(findings(), folder_ / "b.toml" + ":1:11: error: calendar 'free' is already defined at " +
                            folder_ / "a.toml" + ":1, and counts there; rename this one\n");
  std::filesystem::remove(folder_ / "a.toml");
  EXPECT_EQ(changed(jobs_.reload()), "b");
  EXPECT_EQ(in_force(), "b: except free=12-26");
  EXPECT_EQ(findings(), "");
}

/// The file is the unit: its calendar does not count before its job is right.
TEST_F(CalendarFiles, WithAnErrorKeepTheirCalendarsAsTheyWere) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n" + job("b", "free"));
  jobs_.reload();
  write("b.toml", "[calendar.free]\ndates = [\"12-26\"]\n" + job("b", "fre"));
  EXPECT_EQ(changed(jobs_.reload()), "");
  EXPECT_EQ(in_force(), "a: except free=12-25; b: except free=12-25");
  EXPECT_NE(findings().find("b.toml:6:11: error: 'except' names the calendar 'fre'"), std::string::npos) << findings();
  write("b.toml", "[calendar.free]\ndates = [\"12-26\"]\n" + job("b", "free"));
  EXPECT_EQ(changed(jobs_.reload()), "ab");
  EXPECT_EQ(in_force(), "a: except free=12-26; b: except free=12-26");
}

TEST_F(CalendarFiles, ThatAreNewAndBrokenServeOtherFilesWithWhatIsRightInThem) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n[calendar.bank]\nfile = \"gone.ics\"\n" + job("b", "free"));
  write("c.toml", job("c", "bank"));
  jobs_.reload();
  EXPECT_EQ(in_force(), "a: except free=12-25");
  EXPECT_NE(findings().find("b.toml:4:8: error: "), std::string::npos) << findings();
  EXPECT_NE(findings().find("c.toml:4:11: error: 'except' names the calendar 'bank'"), std::string::npos) << findings();
  write("gone.ics", ical("20261225"));
  jobs_.reload();
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(in_force(), "a: except free=12-25; b: except free=12-25; c: except bank=2026-12-25");
  write("b.toml", "[calendar.free]\ndates = [\"12-26\"]\n[calendar.bank]\nfile = \"lost.ics\"\n" + job("b", "free"));
  EXPECT_EQ(changed(jobs_.reload()), "");
  EXPECT_EQ(in_force(), "a: except free=12-25; b: except free=12-25; c: except bank=2026-12-25");
}

TEST_F(CalendarFiles, ReadICalendarFilesBesideThem) {
  write("holidays.ics", ical("20261225"));
  write("a.toml", "[calendar.free]\nfile = \"holidays.ics\"\ndates = [\"01-01\"]\n" + job("a", "free"));
  jobs_.reload();
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(in_force(), "a: except free=2026-12-25,01-01");
  ASSERT_EQ(jobs_.set().calendars.size(), 1u);
  EXPECT_EQ(jobs_.set().calendars[0].name, "free");
  EXPECT_EQ(schedule::text_of(*jobs_.set().calendars[0].last_date), "2026-12-25");
  write("holidays.ics", ical("20261226"));
  const std::string name = "holidays.ics";
  EXPECT_EQ(changed(jobs_.reload(std::span(&name, 1))), "a");
  EXPECT_EQ(in_force(), "a: except free=2026-12-26,01-01");
  write("holidays.ics", ical("20261227"));
  EXPECT_EQ(changed(jobs_.reload()), "a");
}

TEST_F(CalendarFiles, SayWhatIsWrongWithAnICalendarFile) {
  const std::string text = "[calendar.free]\nfile = \"holidays.ics\"\n";
  write("a.toml", text);
  jobs_.reload();
  EXPECT_EQ(findings(),
            folder_ / "a.toml" + ":2:8: error: 'file' holidays.ics: no such file in the folder of the job file\n");
  write("holidays.ics",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261225\nRRULE:FREQ=YEARLY\nEND:VEVENT\nEND:VCALENDAR\n");
  jobs_.reload();
  EXPECT_NE(findings().find("a.toml:2:8: error: 'file' holidays.ics, line 4: an event with RRULE recurs"),
            std::string::npos)
      << findings();
  write("holidays.ics", "BEGIN:VCALENDAR\nEND:VCALENDAR\n");
  jobs_.reload();
  EXPECT_NE(findings().find("'file' holidays.ics: it has no all-day event, so no day"), std::string::npos)
      << findings();
  std::filesystem::permissions(folder_ / "holidays.ics", std::filesystem::perms(0666));
  jobs_.reload();
  EXPECT_NE(findings().find("'file' holidays.ics: the file is writable by others (mode 0666)"), std::string::npos)
      << findings();
  std::filesystem::remove(folder_ / "holidays.ics");
  std::filesystem::create_directory(folder_ / "holidays.ics");
  jobs_.reload();
  EXPECT_NE(findings().find("'file' holidays.ics: "), std::string::npos) << findings();
  std::filesystem::remove(folder_ / "holidays.ics");
  write("holidays.ics", std::string(2 * 1024 * 1024, 'x'));
  jobs_.reload();
  EXPECT_NE(findings().find("'file' holidays.ics: the file is larger than 1 MiB"), std::string::npos) << findings();
  write("holidays.ics", ical("20261225"));
  jobs_.reload();
  EXPECT_EQ(findings(), "");
}

TEST_F(CalendarFiles, ServeJobsOfAProgramToo) {
  write("a.toml", "[calendar.free]\ndates = [\"12-25\"]\n");
  jobs_.reload();
  ASSERT_TRUE(jobs_.put("job own", job("own", "free")));
  EXPECT_EQ(in_force(), "own: except free=12-25");
  write("a.toml", "[calendar.free]\ndates = [\"12-26\"]\n");
  const std::string name = "a.toml";
  EXPECT_EQ(changed(jobs_.reload(std::span(&name, 1))), "own");
  EXPECT_EQ(in_force(), "own: except free=12-26");
  const auto refused = jobs_.put("job two", job("two", "none"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("names the calendar 'none'"), std::string::npos) << refused.error().what;
  ASSERT_TRUE(jobs_.put("job two", job("two", "mine") + "[calendar.mine]\nweekdays = [\"sun\"]\n"));
  EXPECT_EQ(in_force(), "own: except free=12-26; two: except mine=sun");
  ASSERT_TRUE(jobs_.drop("job two"));
  EXPECT_EQ(in_force(), "own: except free=12-26");
}

TEST_F(CalendarFiles, OfWhichAJobHasNoneAreNotRead) {
  write("a.toml", "[job.a]\nshell = \"true\"\n");
  write("b.toml", "[calendar.free]\ndates = [\"12-25\"]\n");
  jobs_.reload();
  EXPECT_EQ(in_force(), "a: ");
  EXPECT_TRUE(jobs_.set().calendars.empty());
}

TEST_F(CalendarFiles, AreCheckedByHandTogether) {
  write("a.toml", job("a", "free"));
  write("b.toml", "[calendar.free]\nfile = \"holidays.ics\"\n");
  write("holidays.ics", ical("20261225"));
  const std::vector<std::string> both{folder_ / "a.toml", folder_ / "b.toml"}, alone{folder_ / "a.toml"};
  EXPECT_EQ(text_of(check_job_files(both, {}).diagnostics), "");
  EXPECT_EQ(text_of(check_job_files(alone, {}).diagnostics), "") << "the folder's other files are looked through";
  write("c.toml", "[calendar.free]\nweekdays = [\"sun\"]\n");
  const std::vector<std::string> three{folder_ / "a.toml", folder_ / "b.toml", folder_ / "c.toml"};
  EXPECT_NE(
      text_of(check_job_files(three, {}).diagnostics).find("c.toml:1:11: error: calendar 'free' is already defined at"),
      std::string::npos);
}

TEST(FadingCalendars, AreThoseWhoseDatesEndWithinThirtyDays) {
  using namespace std::chrono;
  const WallTime now = sys_days(year(2026) / 11 / 29) + hours(23);
  const auto warnings = [&](std::optional<schedule::local_days> last) {
    return text_of(fading({{"free", "a.toml", {3, 11}, last}}, now));
  };
  const schedule::local_days today(year(2026) / 11 / 29);
  EXPECT_EQ(warnings(std::nullopt), "");
  EXPECT_EQ(warnings(today + days(30)), "");
  EXPECT_EQ(
      warnings(today + days(29)),
      "a.toml:3:11: warning: calendar 'free' ends with 2026-12-28, and jobs go by it: add the dates that follow\n");
  EXPECT_EQ(
      warnings(today),
      "a.toml:3:11: warning: calendar 'free' ends with 2026-11-29, and jobs go by it: add the dates that follow\n");
  EXPECT_EQ(
      warnings(today - days(1)),
      "a.toml:3:11: warning: calendar 'free' ended with 2026-11-28, and jobs go by it: add the dates that follow\n");
}

}  // namespace
}  // namespace ballot::config::calendar_files
