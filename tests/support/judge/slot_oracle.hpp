// SlotOracle: the slots of a schedule, by asking each second whether it is one. Knows no sets, no jumps and nothing of
// runtime/schedule: what the tests expect comes from here. Understands cron expressions of five and six fields, with
// L, W and #, `@every`, and a rule of days as definitions in the ledger have it; zones are glibc's. Slow: for spans of
// days, or a test's hours.
//
//   SlotOracle oracle({"*/15 2 * * *"}, "America/New_York");
//   EXPECT_EQ(oracle.between(from, until), slots);   // after `from`, up to and with `until`
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "support/judge/day_oracle.hpp"

namespace ballot::testing {

/// A date as the oracle sees it, and a value of the field in question.
struct Moment {
  int year, month, day, length, weekday, value;

  static Moment of(std::chrono::sys_days date);
  Moment with(int field_value) const {
    Moment copy = *this;
    copy.value = field_value;
    return copy;
  }
  int weekday_on(int other_day) const { return ((weekday + other_day - day) % 7 + 7) % 7; }
};

/// The day of this month that is a weekday and nearest to another, looking both ways.
bool is_nearest_weekday(const Moment& at, int wanted);

/// One field of an expression.
struct CronField {
  std::string text;
  std::function<bool(const Moment&)> matches;
};

class SlotOracle {
 public:
  /// Throws std::invalid_argument where it does not understand one of them.
  explicit SlotOracle(const std::vector<std::string>& expressions, std::string zone = "UTC");

  /// The slots after `after` up to `until`, with those that are left out. `anchor`: what `@every` counts from.
  std::vector<WallTime> between(WallTime after, WallTime until, WallTime anchor = {}) const;

  /// The slot `at` is left out.
  bool leaves_out(WallTime at, WallTime anchor = {}) const;

  /// The zone's clocks show another day, or a later one, a second after `at`: dates between do not exist there.
  bool skips_a_day_after(WallTime at) const;

 private:
  struct Expression {
    std::array<CronField, 6> fields;  // second, minute, hour, day of month, month, day of week
    bool every_hour = false;
    std::chrono::seconds every{0};  // `@every`
  };
  using Local = std::chrono::sys_seconds;  // what the clock on the wall shows

  static Expression parse(const std::string& text);
  static bool matches_day(const Expression& expression, DayOracle::Date date);
  DayMark mark(const Expression& expression, Local local) const;
  DayMark fires(const Expression& expression, std::chrono::sys_seconds at, WallTime anchor) const;
  DayMark fires(std::chrono::sys_seconds at, WallTime anchor) const;
  std::chrono::seconds offset(std::chrono::sys_seconds at) const;

  std::vector<Expression> expressions_;
  std::optional<DayOracle> days_;
  std::string timezone_;
};

}  // namespace ballot::testing
