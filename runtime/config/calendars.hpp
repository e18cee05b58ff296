// Calendars: the `[calendar.NAME]` tables of job files. Jobs name them in `except` and `only`, also those of other
// files; of two with one name the first in byte order of the files counts.
//
//   std::vector<PlacedCalendar> own;
//   read_calendars(value, beside, own);
//   calendars.put("a.toml", own);
//   if (const PlacedCalendar* holidays = calendars.find("holidays")) ...
//
// Reads files only by the function that it is given. Threads: one.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "config/diagnostics.hpp"
#include "config/value.hpp"
#include "schedule/day_rule.hpp"

namespace ballot::config {

/// The text of a file that lies beside a job file, by its name.
using ReadBeside = std::function<Result<std::string>(const std::string& name)>;

struct PlacedCalendar {
  std::string name;
  Position position;
  schedule::DaySet days;
  std::string file = {};  // its iCalendar file; "": it has none
};

/// Of a file that is read beside job files: as a job file's, but for its ending.
bool is_calendar_file_name(std::string_view text);

/// The tables below `calendar`. One with an error is not among `calendars`.
void read_calendars(const Value& value, const ReadBeside& read_beside, std::vector<PlacedCalendar>& calendars);
/// The same of a job file's text, without findings: those are reported when its jobs are read.
std::vector<PlacedCalendar> calendars_in(std::string_view text, const ReadBeside& read_beside);
/// Whether a text may have calendars, or jobs that name some: what has none of the words has neither.
bool may_have_calendars(std::string_view text);

class Calendars {
 public:
  /// In place of those that the file had.
  void put(const std::string& file, const std::vector<PlacedCalendar>& calendars);

  /// The one that counts; null: there is none.
  const PlacedCalendar* find(std::string_view name) const;
  /// The file of the calendar that counts.
  std::string_view file_of(std::string_view name) const;
  std::vector<PlacedCalendar> of_file(std::string_view file) const;
  std::vector<std::string_view> names() const;
  /// Names whose days are not what they are in `other`.
  std::set<std::string> differing(const Calendars& other) const;
  /// A finding for each that does not count. `shown`: how findings name a file.
  Diagnostics duplicates(const std::function<std::string(std::string_view file)>& shown) const;
  bool empty() const { return calendars_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, PlacedCalendar> calendars_;  // by name, then file
};

/// The rule of a job by its keys, with everything that is wrong with it; none: an error.
class DayKeys {
 public:
  /// `own`: calendars of the job's file, which count where `all` does not have their names. Keeps references to all.
  DayKeys(const Calendars& all, const std::vector<PlacedCalendar>& own, Findings& findings)
      : all_(all), own_(own), findings_(findings) {}

  std::optional<schedule::DayRule> rule(const toml::table& job, const std::vector<std::string>& except,
                                        const std::vector<std::string>& only, DayShift shift) const;

 private:
  bool add(const toml::table& job, const char* key, const std::vector<std::string>& names,
           std::vector<schedule::DayRule::Named>& into) const;

  const Calendars& all_;
  const std::vector<PlacedCalendar>& own_;
  Findings& findings_;
};

}  // namespace ballot::config
