#include "base/wall_text.hpp"

#include <algorithm>
#include <cstdint>

namespace ballot {
namespace {

/// What can be written with four digits for the year.
constexpr WallTime earliest = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);
constexpr WallTime latest = std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1) - Millis(1);

/// "2025-03-09T07:00:00.000Z" or without the milliseconds. Digit by digit, as a time is in each log line, register and
/// environment of a run.
std::string format(WallTime time, bool millis) {
  using namespace std::chrono;
  time = std::clamp(time, earliest, latest);
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<milliseconds>(time - day)};
  std::string text(millis ? 24 : 20, 'Z');
  std::size_t at = 0;
  const auto put = [&](std::int64_t number, std::size_t digits, char after) {
    for (std::size_t i = at + digits; i-- > at; number /= 10) text[i] = static_cast<char>('0' + number % 10);
    text[at + digits] = after;
    at += digits + 1;
  };
  put(static_cast<int>(date.year()), 4, '-');
  put(static_cast<unsigned>(date.month()), 2, '-');
  put(static_cast<unsigned>(date.day()), 2, 'T');
  put(clock.hours().count(), 2, ':');
  put(clock.minutes().count(), 2, ':');
  put(clock.seconds().count(), 2, millis ? '.' : 'Z');
  if (millis) put(clock.subseconds().count(), 3, 'Z');
  return text;
}

/// Reads fixed-width fields from the front of a text; the first that does not fit makes `ok` false.
struct Fields {
  std::string_view text;
  bool ok = true;

  int digits(std::size_t count) {
    int value = 0;
    if (text.size() < count) return ok = false, 0;
    for (const char c : text.substr(0, count)) {
      if (c < '0' || c > '9') return ok = false, 0;
      value = value * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return value;
  }
  char one_of(std::string_view allowed) {
    if (text.empty() || allowed.find(text.front()) == std::string_view::npos) return ok = false, '\0';
    const char c = text.front();
    text.remove_prefix(1);
    return c;
  }
  Millis fraction() {
    int millis = 0, count = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++count)
      if (count < 3) millis = millis * 10 + (text.front() - '0');
    if (count < 1 || count > 9) ok = false;
    for (; count < 3; ++count) millis *= 10;
    return Millis(millis);
  }
};

}  // namespace

std::string format_seconds(WallTime time) { return format(time, false); }
std::string format_millis(WallTime time) { return format(time, true); }
std::string format_slot(WallTime time) {
  return format(time, time.time_since_epoch() % std::chrono::seconds(1) != Millis(0));
}

std::optional<WallTime> parse_wall(std::string_view text) {
  using namespace std::chrono;
  Fields in{text};
  const int y = in.digits(4);
  in.one_of("-");
  const int m = in.digits(2);
  in.one_of("-");
  const int d = in.digits(2);
  in.one_of("Tt ");
  const int hour = in.digits(2);
  in.one_of(":");
  const int minute = in.digits(2);
  in.one_of(":");
  const int second = in.digits(2);
  Millis fraction{0};
  if (!in.text.empty() && in.text.front() == '.') in.one_of("."), fraction = in.fraction();
  const char sign = in.one_of("Zz+-");
  minutes offset{0};
  if (sign == '+' || sign == '-') {
    const int offset_hours = in.digits(2);
    in.one_of(":");
    const int offset_minutes = in.digits(2);
    if (offset_hours > 23 || offset_minutes > 59) return std::nullopt;
    offset = hours(offset_hours) + minutes(offset_minutes);
    if (sign == '-') offset = -offset;
  }
  const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
  if (!in.ok || !in.text.empty() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const WallTime time = sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + fraction - offset;
  return time < earliest || time > latest ? std::nullopt : std::optional(time);
}

}  // namespace ballot
