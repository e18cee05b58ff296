// Schedule: one cron expression in one zone, and the daylight-saving rule, which is made here and nowhere else.
//
// An expression whose hour field matches every hour follows elapsed time: it is due at every instant whose local label
// it matches, in both passes of a repeated hour. Every other follows the wall clock, each label once:
//
//   label           is due
//   once            then
//   repeated        the first time
//   skipped         at the first instant after the gap, with all others of the gap and the one that is there
//   skipped, and    never: a Slot with dst_gap at the last second before the gap is the slot of all of it, unless that
//   24 h or more    second is itself due
//
// A rule of days (day_rule.hpp) says which labels there are; a label that it leaves out has a slot where it would be
// due, unless another label is due there. A gap is any change of the offset forward, be it daylight saving or a new
// law. Threads: immutable.
//
//   Schedule schedule(Calendar(fields), zone);
//   for (auto slot = schedule.next(t); slot; slot = schedule.next(floor<seconds>(slot->at) + 1s)) ...
#pragma once

#include <chrono>
#include <optional>

#include "schedule/calendar.hpp"
#include "schedule/plan.hpp"
#include "zones/time_zone.hpp"

namespace ballot::schedule {

using zones::TimeZone;

class Schedule {
 public:
  Schedule(const Calendar& calendar, const TimeZone& zone) : calendar_(calendar), zone_(zone) {}

  /// The first slot that is not before `from`; none if there is none before the calendar's horizon.
  std::optional<Slot> next(std::chrono::sys_seconds from) const { return next(from, nullptr, false); }
  /// The same by a rule of days; with `due_only` none that it leaves out.
  std::optional<Slot> next(std::chrono::sys_seconds from, const DayRule* days, bool due_only) const;
  const Calendar& calendar() const { return calendar_; }
  const TimeZone& zone() const { return zone_; }
  /// The same instants, by the same rules of the zone.
  bool operator==(const Schedule&) const = default;

 private:
  struct Labels;
  std::optional<Slot> next_by_elapsed_time(std::chrono::sys_seconds from, const Labels& labels) const;
  std::optional<Slot> next_by_wall_clock(std::chrono::sys_seconds from, const Labels& labels) const;
  Slot of_all_labels(Slot slot, std::chrono::local_seconds label, const Labels& labels) const;
  std::chrono::local_seconds first_label(std::chrono::sys_seconds at) const;

  Calendar calendar_;
  TimeZone zone_;
};

}  // namespace ballot::schedule
