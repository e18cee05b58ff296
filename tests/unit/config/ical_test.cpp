// iCalendar files: the all-day events of holiday calendars, and what is refused in them.
#include "config/ical.hpp"

#include <gtest/gtest.h>

namespace ballot::config::ical {
namespace {

std::string calendar(const std::string& events) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n" + events + "END:VCALENDAR\r\n";
}

std::string event(const std::string& lines) { return "BEGIN:VEVENT\r\nUID:1\r\n" + lines + "END:VEVENT\r\n"; }

/// The days, or "LINE: FAULT" each.
std::string days_of(const std::string& text) {
  const IcalDays read = read_ical(text);
  std::string found;
  for (const IcalFault& fault : read.faults) found += std::to_string(fault.line) + ": " + fault.text + "\n";
  if (!found.empty()) return found;
  schedule::DaySet set;
  for (const auto& range : read.days) set.add(range);
  return set.text();
}

TEST(Ical, GivesTheDaysOfAllDayEvents) {
  EXPECT_EQ(days_of(calendar(event("DTSTART;VALUE=DATE:20261225\r\n"))), "2026-12-25");
  EXPECT_EQ(
      days_of(calendar(event("DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261227\r\nSUMMARY:Christmas\r\n"))),
      "2026-12-24..2026-12-26");
  EXPECT_EQ(days_of(calendar(event("DTSTART;VALUE=DATE:20260101\r\nDTEND;VALUE=DATE:20260101\r\n"))), "2026-01-01");
  EXPECT_EQ(days_of(calendar(event("DTSTART;VALUE=DATE:20260101\r\nDURATION:P1W\r\n"))), "2026-01-01..2026-01-07");
  EXPECT_EQ(days_of(calendar(event("DTSTART:20260501\n") + event("dtstart;value=date:20260502\n"))),
            "2026-05-01..2026-05-02");
}

TEST(Ical, PassesOverWhatSaysNothingOfDays) {
  EXPECT_EQ(days_of("\xef\xbb\xbf" +
                    calendar("BEGIN:VTIMEZONE\r\nTZID:Europe/Paris\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\n"
                             "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n" +
                             event("DTSTART;VALUE=DATE;X-Y=\"a:b;c\":20261225\r\nDESCRIPTION:long li\r\n ne RRULE:x\r\n"
                                   "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nDURATION:PT5M\r\nEND:VALARM\r\n") +
                             event("DTSTART;VALUE=DATE:20261231\r\nSTATUS:CANCELLED\r\n") +
                             event("DTSTART:20261231T100000Z\r\nRRULE:FREQ=DAILY\r\nSTATUS:CANCELLED\r\n"))),
            "2026-12-25");
}

TEST(Ical, UnfoldsLines) {
  EXPECT_EQ(days_of(calendar(event("DTSTART;VALUE=DA\r\n TE:2026\r\n\t1225\r\n"))), "2026-12-25");
}

TEST(Ical, SaysAtWhichLineItIsWhatItDoesNotRead) {
  const std::pair<std::string, std::string> all[] = {
      {"DTSTART:20261225T090000Z\r\nDTEND:20261225T100000Z\r\nSUMMARY:Stand-up\r\n",
       "6: DTSTART has a time of day: only all-day events are read, such as DTSTART;VALUE=DATE:20261225 (event "
       "'Stand-up')\n"},
      {"DTSTART;VALUE=DATE:20261225\r\nRRULE:FREQ=YEARLY\r\n",
       "7: an event with RRULE recurs, which is not read: export"},
      {"DTSTART;VALUE=DATE:20261225\r\nRDATE;VALUE=DATE:20261226\r\n", "7: an event with RDATE recurs"},
      {"DTSTART;VALUE=DATE:20261225\r\nEXDATE;VALUE=DATE:20261226\r\n", "7: an event with EXDATE recurs"},
      {"DTSTART;TZID=Europe/Paris:20261225T080000\r\n", "6: DTSTART has a time of day: only all-day events are read"},
      {"DTSTART;VALUE=DATE:20260230\r\n", "6: '20260230' is no day of the years 1800 to 2399"},
      {"DTSTART;VALUE=DATE:2026\r\n", "6: '2026' is no day"},
      {"DTSTART;VALUE=DATE:20261225\r\nDTEND;VALUE=DATE:20261224\r\n", "4: an event's DTEND is before its DTSTART"},
      {"DTSTART;VALUE=DATE:20261225\r\nDURATION:PT2H\r\n", "7: an event's DURATION must be whole days or weeks"},
      {"DTSTART;VALUE=DATE:18000101\r\nDTEND;VALUE=DATE:20261225\r\n", "4: an event is longer than a hundred years"},
      {"SUMMARY:x\r\n", "4: an event without DTSTART has no day"},
      {"nonsense\r\nDTSTART;VALUE=DATE:20261225\r\n", "6: is no line of an iCalendar file: NAME:VALUE"},
      {"END:VCALENDAR\r\nDTSTART;VALUE=DATE:20261225\r\n", "6: END of 'VCALENDAR' ends nothing that has begun"},
  };
  for (const auto& [lines, fault] : all) {
    const std::string found = days_of(calendar(event(lines)));
    EXPECT_TRUE(found.starts_with(fault)) << lines << "\n" << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
  EXPECT_EQ(days_of(""), "1: this is no iCalendar file: it has no BEGIN:VCALENDAR\n");
  EXPECT_TRUE(days_of("BEGIN:VEVENT\r\n").starts_with("1: is no part of an iCalendar file"));
  EXPECT_EQ(days_of("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"), "2: the file ends before the END of 'VEVENT'\n");
}

TEST(Ical, NamesTheFirstFewOfManyFaults) {
  std::string events;
  for (int i = 0; i < 50; ++i) events += event("DTSTART:20261225T080000\r\n");
  EXPECT_EQ(read_ical(calendar(events)).faults.size(), 10u);
}

TEST(Ical, EndsWithTheYearsOfSlots) {
  EXPECT_EQ(days_of(calendar(event("DTSTART;VALUE=DATE:23991230\r\nDURATION:P9D\r\n"))), "2399-12-30..2399-12-31");
}

}  // namespace
}  // namespace ballot::config::ical
