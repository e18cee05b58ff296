// iCalendar files (RFC 5545), as far as they say on which days something is: the all-day events of holiday calendars.
//
// Read are VEVENTs with a date in DTSTART, and DTEND (the day after the last one) or DURATION in days or weeks, if they
// have one. An event that is cancelled counts not. What a file may say beside that and would change its days is a
// fault, not passed over: events at a time of day, and events that recur (RRULE, RDATE, EXDATE, RECURRENCE-ID).
//
// Pure. Threads: any.
//
//   const IcalDays read = read_ical(text);
//   if (!read.faults.empty()) report(read.faults.front());
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/day_set.hpp"

namespace ballot::config {

struct IcalFault {
  int line = 1;  // of the text, from 1: where the line begins that was folded
  std::string text;
};

struct IcalDays {
  std::vector<schedule::DaySet::Range> days;
  std::vector<IcalFault> faults;  // the first few
};

IcalDays read_ical(std::string_view text);

}  // namespace ballot::config
