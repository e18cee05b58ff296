// [calendar.NAME], and the keys of jobs that name calendars: what they mean, and each thing that can be wrong.
#include "config/calendars.hpp"
#include "config/job_keys.hpp"

#include "job_file_text.hpp"

namespace ballot::config::calendars {
namespace {

const std::string daily = "[job.x]\nshell = \"true\"\nschedule = \"0 2 * * *\"\n";
const std::string free_days = "[calendar.free]\ndates = [\"2026-12-25\"]\n";

std::string days_of(const std::string& text) {
  const JobFile file = read(text);
  EXPECT_EQ(text_of(file.diagnostics), "") << text;
  return file.definitions.empty() ? "" : *file.definitions.front().definition->job.details->days;
}

TEST(Calendars, AreReadIntoTheRuleOfTheJobsThatNameThem) {
  EXPECT_EQ(
      days_of(daily + "except = [\"free\"]\nshift = \"next\"\n"
                      "[calendar.free]\ndates = [\"12-25\", 2026-12-26, \"2026-12-24..2026-12-25\", \"2026-01-01\"]\n"
                      "weekdays = [\"Sun\", \"sat\"]\n"),
      "except free=2026-01-01,2026-12-24..2026-12-26,12-25,sat,sun shift=next");
  EXPECT_EQ(days_of(daily + "except = [\"a\", \"b\"]\nonly = [\"c\"]\n"
                            "[calendar]\na.dates = [\"01-01\"]\nb.dates = [\"05-01\"]\nc.weekdays = [\"mon\"]\n"),
            "except a=01-01 except b=05-01 only c=mon");
  EXPECT_EQ(days_of(daily), "");
  EXPECT_EQ(days_of(daily + free_days), "");
}

TEST(Calendars, ChangeTheDefinitionOfTheJobsThatNameThem) {
  const auto digest = [](const std::string& text) { return read(text).definitions.front().definition->digest.text(); };
  const std::string job = daily + "except = [\"free\"]\n";
  EXPECT_NE(digest(job + free_days), digest(job + "[calendar.free]\ndates = [\"2026-12-26\"]\n"));
  EXPECT_EQ(digest(job + free_days), digest(job + "[calendar.free]\ndates = [2026-12-25]\n"));
  EXPECT_EQ(digest(daily + free_days), digest(daily));
}

TEST(Calendars, OfOneJobAreNamedAmongTheKeysThatDiffer) {
  const auto job = [](const std::string& calendar) {
    return read(daily + "except = [\"free\"]\n" + calendar).definitions.front().definition->job;
  };
  const auto differing = differing_keys(job(free_days), job("[calendar.free]\nweekdays = [\"sun\"]\n"));
  EXPECT_EQ(differing, std::vector<std::string_view>{"calendar"});
}

TEST(Calendars, LeaveOutSlotsOfTheirJobs) {
  const JobFile file = read(daily + "except = [\"free\"]\n" + free_days);
  const schedule::Plan& plan = file.definitions.front().definition->plan;
  const auto from = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 12 / 25));
  EXPECT_EQ(plan.next(from, {})->kind, schedule::Slot::Kind::left_out);
  EXPECT_EQ(plan.next_due(from, {})->at, from + std::chrono::hours(26));
  EXPECT_EQ(plan.why_left_out(from), "2026-12-25 is in free");
}

struct Wrong {
  std::string keys, finding;
};

TEST(Calendars, SayWhatIsWrongWithThemAndWhere) {
  const Wrong all[] = {
      {"dates = [\"2026-02-30\"]",
       "2:10: error: 'dates' has a date that is none: 2026-02-30 is no day of the calendar"},
      {"dates = [\"2026-01-01\", \"2026-1-1\"]",
       "2:24: error: 'dates' has a date that is none: \"2026-1-1\" is no date: write"},
      {"dates = [\"02-30\"]", "2:10: error: 'dates' has a date that is none: 02-30 is no day of any year"},
      {"dates = [\"2026-12-26..2026-12-24\"]",
       "2:10: error: 'dates' has a date that is none: the range 2026-12-26..2026-12-24 ends before it begins"},
      {"dates = [\"1799-12-31\"]",
       "2:10: error: 'dates' has a date that is none: 1799-12-31 is outside of the years 1800 to 2399"},
      {"dates = [5]", "2:10: error: 'dates' must be a string"},
      {"dates = \"2026-12-25\"", "2:9: error: 'dates' must be a list of dates, not a string"},
      {"weekdays = [\"sunday\"]",
       "2:13: error: 'weekdays' has a day that is none: \"sunday\" is no day of the week: write mon"},
      {"weekdays = \"sun\"", "2:12: error: 'weekdays' must be a list of days of the week, not a string"},
      {"file = \"../holidays.ics\"",
       "2:8: error: 'file' must be the name of an iCalendar file in the job file's folder"},
      {"file = \"/etc/passwd\"", "2:8: error: 'file' must be the name of an iCalendar file"},
      {"file = \".ics\"", "2:8: error: 'file' must be the name of an iCalendar file"},
      {"file = 1", "2:8: error: 'file' must be a string"},
      {"day = [\"sun\"]", "2:1: error: unknown key 'day'"},
      {"", "1:11: error: calendar 'c' has no day; give it 'dates', 'weekdays' or a 'file'"},
      {"dates = []\nweekdays = []", "1:11: error: calendar 'c' has no day"},
  };
  for (const auto& [keys, finding] : all) {
    const std::string found = findings("[calendar.c]\n" + keys + "\n");
    EXPECT_TRUE(found.starts_with("x.toml:" + finding)) << keys << "\n" << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
  EXPECT_TRUE(findings("[calendar.\"a b\"]\n").starts_with("x.toml:1:11: error: 'a b' is not a valid calendar name"));
  EXPECT_TRUE(findings("calendar = 1\n").starts_with("x.toml:1:12: error: 'calendar' must be a table"));
  EXPECT_TRUE(findings("calendar.c = 1\n").starts_with("x.toml:1:14: error: 'c' must be a table"));
}

TEST(Calendars, AreNamedByJobsThatHaveDaysAlone) {
  const Wrong all[] = {
      {"schedule = \"0 2 * * *\"\nexcept = [\"free\", \"fre\"]",
       "4:19: error: 'except' names the calendar 'fre', and no job file has a [calendar.fre] without an error; did you "
       "mean 'free'?"},
      {"schedule = \"0 2 * * *\"\nonly = [\"work\"]", "4:9: error: 'only' names the calendar 'work'"},
      {"schedule = \"0 2 * * *\"\nshift = \"next\"",
       "4:9: error: 'shift' says where a slot goes from a day that calendars leave out"},
      {"except = [\"free\"]", "3:10: error: 'except' chooses days of a 'schedule', and the job has none"},
      {"schedule = [\"0 2 * * *\", \"@every 5m\"]\nexcept = [\"free\"]\nshift = \"next\"",
       "3:27: error: schedule: the slots of '@every' follow elapsed time and have no time of day that they could keep "
       "on another day"},
      {"schedule = \"@reboot\"\nexcept = [\"free\"]", "3:13: error: schedule: '@reboot' is due when a node boots"},
      {"schedule = \"CRON_TZ=Asia/Tokyo 0 2 * * *\"\nexcept = [\"free\"]",
       "3:13: error: schedule: calendars have the days of the job's timezone"},
      {"schedule = \"0 2 * * *\"\nexcept = [\"all\"]", "4:10: error: 'except' leaves the job no day at all"},
      {"schedule = \"0 2 * * *\"\nonly = [\"free\"]\nexcept = [\"free\"]",
       "5:10: error: 'except' leaves the job no day at all"},
  };
  for (const auto& [keys, finding] : all) {
    const std::string found =
        findings("[job.x]\nshell = \"true\"\n" + keys + "\n" + free_days +
                 "[calendar.all]\nweekdays = [\"mon\",\"tue\",\"wed\",\"thu\",\"fri\",\"sat\",\"sun\"]\n");
    EXPECT_TRUE(found.starts_with("x.toml:" + finding)) << keys << "\n" << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
  EXPECT_EQ(
      findings(
          "[job.x]\nshell = \"true\"\nschedule = [\"@every 5m\", \"CRON_TZ=UTC 0 2 * * *\"]\nexcept = [\"free\"]\n" +
          free_days),
      "");
}

TEST(Calendars, ThatNoSlotOfAScheduleMeetsAreAWarning) {
  const std::string sundays = "[job.x]\nshell = \"true\"\nschedule = \"0 6 * * 0\"\nexcept = [\"weekend\"]\n";
  const std::string weekend = "[calendar.weekend]\nweekdays = [\"sat\", \"sun\"]\n";
  EXPECT_EQ(
      findings(sundays + weekend),
      "x.toml:3:12: warning: schedule: none of its slots is on a day that the job's calendars allow: each is left "
      "out\n");
  EXPECT_EQ(findings(sundays + "shift = \"next\"\n" + weekend), "");
}

TEST(Calendars, OfMoreThanADefinitionMayHaveAreRefused) {
  std::string dates;
  for (int year = 1900; year < 2300; ++year)
    for (const char* day : {"-01-01", "-05-01", "-12-25"}) dates += "\"" + std::to_string(year) + day + "\", ";
  const std::string found = findings(daily + "except = [\"many\"]\n[calendar.many]\ndates = [" + dates + "]\n");
  EXPECT_NE(found.find("x.toml:4:10: error: 'except' names calendars of more than 8 KiB as text"), std::string::npos)
      << found;
}

TEST(Calendars, AreLookedForOnlyWhereATextHasTheirWords) {
  EXPECT_FALSE(may_have_calendars(daily));
  EXPECT_TRUE(may_have_calendars(free_days));
  EXPECT_TRUE(may_have_calendars(daily + "except = [\"x\"]\n"));
  EXPECT_TRUE(may_have_calendars(daily + "only = [\"x\"]\n"));
  EXPECT_TRUE(may_have_calendars("[\"c\\u0061lendar\".x]\n"));
}

}  // namespace
}  // namespace ballot::config::calendars
