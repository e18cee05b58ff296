#include "support/judge/day_oracle.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace ballot::testing {
namespace {

using std::chrono::days;

constexpr int farthest = 366;

std::string iso(DayOracle::Date date) {
  const std::chrono::year_month_day ymd(date);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(ymd.year()),
                static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()));
  return text.data();
}

/// A range of every year may go over the end of a year.
bool is_between(const std::string& first, const std::string& last, const std::string& day) {
  return first <= last ? first <= day && day <= last : first <= day || day <= last;
}

}  // namespace

DayOracle::DayOracle(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "shift=next" || word == "shift=previous") {
      shift_ = word == "shift=next" ? 1 : -1;
      continue;
    }
    std::string calendar;
    words >> calendar;
    const auto equals = calendar.find('=');
    if ((word != "except" && word != "only") || equals == std::string::npos)
      throw std::invalid_argument("the tests' own calendars do not understand " + text);
    (word == "only" ? only_ : except_).push_back(calendar.substr(equals + 1));
  }
}

/// Dates as text: ranges compare as they are written.
bool DayOracle::is_in(const std::string& list, Date date) const {
  static const std::array<std::string, 7> names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  const std::string day = iso(date);
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    if (item == day || item == day.substr(5) || item == names[std::chrono::weekday(date).c_encoding()]) return true;
    const auto dots = item.find("..");
    if (dots == std::string::npos) continue;
    if (is_between(item.substr(0, dots), item.substr(dots + 2), dots == 5 ? day.substr(5) : day)) return true;
  }
  return false;
}

bool DayOracle::allows(Date date) const {
  const auto has_it = [&](const std::string& list) { return is_in(list, date); };
  if (std::any_of(except_.begin(), except_.end(), has_it)) return false;
  return only_.empty() || std::any_of(only_.begin(), only_.end(), has_it);
}

std::optional<DayOracle::Date> DayOracle::target(Date date) const {
  if (allows(date)) return date;
  for (int away = 1; shift_ != 0 && away <= farthest; ++away)
    if (allows(date + days(shift_ * away))) return date + days(shift_ * away);
  return std::nullopt;
}

DayMark DayOracle::mark(Date date, const Matches& schedule) const {
  if (!allows(date)) return schedule(date) && !target(date) ? DayMark::left_out : DayMark::none;
  if (schedule(date)) return DayMark::due;
  // Another date that comes here has none that is allowed on its way.
  for (int away = 1; shift_ != 0 && away <= farthest; ++away) {
    const Date from = date - days(shift_ * away);
    if (allows(from)) break;
    if (schedule(from)) return DayMark::due;
  }
  return DayMark::none;
}

}  // namespace ballot::testing
