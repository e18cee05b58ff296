// A daemon whose job has a calendar that leaves out today: the rows, what the commands say of them, and an edit.
#include <gtest/gtest.h>

#include "support/process/ballot_daemon.hpp"
#include "support/process/utc_date.hpp"

namespace ballot::testing {
namespace {

std::string event(const std::string& from, const std::string& until) {
  const auto plain = [](std::string day) { return std::erase(day, '-'), day; };
  return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:" + plain(from) +
         "\r\nDTEND;VALUE=DATE:" + plain(until) + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

/// The days before and after are in it too: a test may run over midnight.
struct CalendarDaemon : ::testing::Test {
  ~CalendarDaemon() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  void write(const std::string& name, const std::string& text) { daemon.folder.write("jobs.d/" + name, text); }
  void begin() {
    write("calendars.toml", "[calendar.holidays]\nfile = \"holidays.ics\"\n");
    write("holidays.ics", event(date(-1), date(2)));
    daemon.job("tick", "schedule = \"* * * * * *\"\nexcept = [\"holidays\"]\ncommand = [\"/bin/true\"]");
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("skipped: calendar")) << daemon.log;
  }
  std::size_t count(Status status) {
    std::size_t rows = 0;
    for (const Row& row : daemon.rows("tick")) rows += row.status == status;
    return rows;
  }

  BallotDaemon daemon;
};

TEST_F(CalendarDaemon, LeavesOutTodayAndSaysSo) {
  begin();
  const std::vector<Row> rows = daemon.rows("tick");
  ASSERT_GE(rows.size(), 3u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.status, Status::skipped);
    EXPECT_EQ(row.reason, Reason::calendar);
    EXPECT_FALSE(row.run);
  }
  const std::string why = daemon.ballot({"why", "tick"}).out;
  EXPECT_NE(why.find("skipped: calendar"), std::string::npos) << why;
  EXPECT_NE(why.find(" is in holidays."), std::string::npos) << why;
  EXPECT_NE(daemon.ballot({"history", "--job", "tick", "--reason", "calendar"}).out.find("calendar"),
            std::string::npos);
  const std::string show = daemon.ballot({"show", "tick"}).out;
  EXPECT_NE(show.find("except holidays"), std::string::npos) << show;
  EXPECT_NE(show.find("next slots  " + date(2) + "T00:00:00Z"), std::string::npos) << show;
  const std::string next = daemon.ballot({"next", "--job", "tick", "--for", "72h"}).out;
  EXPECT_NE(next.find(date(2) + "T00:00:00Z"), std::string::npos) << next;
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

TEST_F(CalendarDaemon, RunsWhatIsTriggeredOnAnyDay) {
  begin();
  EXPECT_EQ(daemon.ballot({"trigger", "tick", "--wait"}).code, 0);
  EXPECT_EQ(count(Status::succeeded), 1u);
}

TEST_F(CalendarDaemon, TakesUpAnEditOfTheICalendarFile) {
  begin();
  write("holidays.ics", event(date(5), date(6)));
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_EQ(daemon.ballot({"audit"}).code, 0) << daemon.ballot({"audit"}).out;
}

TEST_F(CalendarDaemon, SaysInStatusAndCheckThatItsDatesEnd) {
  begin();
  const auto status = daemon.ballot({"status"});
  EXPECT_NE(status.out.find("calendar 'holidays' ends with " + date(1)), std::string::npos) << status.out;
  const auto check = daemon.ballot({"check", daemon.folder / "jobs.d"});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_NE(check.out.find("calendars.toml:1:11: warning: calendar 'holidays' ends with " + date(1)), std::string::npos)
      << check.out;
  write("holidays.ics", event(date(-1), date(60)));
  EXPECT_EQ(daemon.ballot({"check", daemon.folder / "jobs.d"}).out.find("warning:"), std::string::npos);
}

TEST_F(CalendarDaemon, ComputesSlotsOfAnExpressionByItsCalendars) {
  write("calendars.toml",
        "[calendar.holidays]\ndates = [\"12-25\", \"12-26\"]\n[calendar.weekend]\nweekdays = [\"sat\", \"sun\"]\n");
  const auto slots = daemon.ballot({"schedule", "0 6 25 12 *", "--from", "2026-12-01T00:00:00Z", "--count", "2",
                                    "--except", "holidays", "--except", "weekend", "--shift", "next"});
  EXPECT_EQ(slots.out, "2026-12-28T06:00:00Z\n2027-12-27T06:00:00Z\n") << slots.err;
  EXPECT_EQ(daemon.ballot({"schedule", "0 6 * * *", "--except", "holiday"}).code, 2);
}

}  // namespace
}  // namespace ballot::testing
