// Dates around today, for calendars of a daemon that goes by the clock.
//
//   daemon.folder.write("jobs.d/c.toml", "[calendar.off]\ndates = [\"" + date(1) + "\"]\n");
#pragma once

#include <ctime>
#include <string>

namespace ballot::testing {

/// The date of the day that is so many days from today, in UTC.
inline std::string date(int days) {
  const std::time_t at = std::time(nullptr) + days * 86'400;
  std::tm utc{};
  ::gmtime_r(&at, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

}  // namespace ballot::testing
