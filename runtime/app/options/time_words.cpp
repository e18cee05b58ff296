#include "app/options/time_words.hpp"

#include <string>

#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

constexpr std::chrono::hours whole_day{24};
constexpr std::size_t year_size = 5, date_size = 10, minutes_size = 5, seconds_size = 8;

std::string utc_date(WallTime time) { return format_seconds(time).substr(0, date_size); }

/// "03-09", and not "22:30".
bool begins_with_month(std::string_view text) { return text.size() >= date_size - year_size && text[2] == '-'; }

/// The date that begins the text, which it takes; "" where none does.
std::string take_date(std::string_view& text, WallTime now) {
  struct NamedDay {
    std::string_view word;
    std::chrono::hours from_today;
  };
  constexpr NamedDay days[] = {{"today", std::chrono::hours(0)}, {"yesterday", -whole_day}, {"tomorrow", whole_day}};
  for (const NamedDay& one : days)
    if (text.starts_with(one.word)) {
      text.remove_prefix(one.word.size());
      return utc_date(now + one.from_today);
    }
  if (text.size() < date_size || text[4] != '-') return {};
  std::string date(text.substr(0, date_size));
  text.remove_prefix(date_size);
  return date;
}

/// "22:30" or "22:30:15" of a date. A leap second is none.
std::optional<WallTime> at_time_of_day(const std::string& date, std::string_view time_of_day) {
  if (time_of_day.ends_with('Z')) time_of_day.remove_suffix(1);
  const bool has_seconds = time_of_day.size() == seconds_size;
  if (!has_seconds && time_of_day.size() != minutes_size) return std::nullopt;
  return parse_wall(date + 'T' + std::string(time_of_day) + (has_seconds ? "Z" : ":00Z"));
}

}  // namespace

std::optional<WallTime> parse_time_words(std::string_view text, WallTime now) {
  if (text == "now") return now;
  if (begins_with_month(text)) {
    const int year = std::stoi(utc_date(now));
    for (const int one : {year, year - 1})
      if (const auto time = parse_time_words(std::to_string(one) + "-" + std::string(text), now); time && *time <= now)
        return time;
    return std::nullopt;
  }
  const std::string date = take_date(text, now);
  if (date.empty()) {
    const auto time = at_time_of_day(utc_date(now), text);
    return time && *time > now ? *time - whole_day : time;
  }
  if (text.empty()) return at_time_of_day(date, "00:00");
  if (text.front() != ' ' && text.front() != 'T') return std::nullopt;
  return at_time_of_day(date, text.substr(1));
}

}  // namespace ballot::app
