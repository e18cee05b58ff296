// Calendar: the civil labels (local date and time of day) that a cron expression matches.
//
// Pure arithmetic on the Gregorian calendar; it knows nothing of zones, so a label here may not exist anywhere, or
// exist twice. Threads: immutable.
//
//   Calendar calendar(fields);
//   auto label = calendar.next(local_days(2025y / March / 9));
#pragma once

#include <chrono>
#include <optional>

#include "schedule/cron_fields.hpp"

namespace ballot::schedule {

class Calendar {
 public:
  /// Labels end with the year before this one.
  static constexpr std::chrono::year horizon{2400};

  /// Requires: of each of the seconds, minutes and hours at least one.
  explicit Calendar(const CronFields& fields) : fields_(fields) {}

  /// The first label that is not before `from`; none before the horizon. Work is bounded by the months of the
  /// expression between the two: at most 40 years of them, where it fires at all.
  std::optional<std::chrono::local_seconds> next(std::chrono::local_seconds from) const;

  /// Whether no date that the calendar has (it repeats after 400 years) is in it.
  bool never() const;

  /// The first day that is not before `from`, and the first time of its days that is not; none before the horizon, or
  /// midnight.
  std::optional<std::chrono::local_days> next_day(std::chrono::local_days from) const;
  std::optional<std::chrono::seconds> next_time(std::chrono::seconds from) const;

  bool every_hour() const { return fields_.hours == 0xff'ffff; }
  const CronFields& fields() const { return fields_; }
  bool operator==(const Calendar&) const = default;

 private:
  std::uint32_t days_of(std::chrono::year_month month) const;

  CronFields fields_;
};

}  // namespace ballot::schedule
