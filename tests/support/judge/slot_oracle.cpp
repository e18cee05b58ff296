#include "support/judge/slot_oracle.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ballot::testing {
namespace {

using namespace std::chrono;

constexpr std::array<std::pair<int, int>, 6> ranges{{{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}};
constexpr std::size_t hour_field = 2, day_field = 3, month_field = 4, weekday_field = 5;
const std::vector<std::string> month_names{"",    "jan", "feb", "mar", "apr", "may", "jun",
                                           "jul", "aug", "sep", "oct", "nov", "dec"};
const std::vector<std::string> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

using Matches = std::function<bool(const Moment&)>;

[[noreturn]] void refuse(const std::string& text) {
  throw std::invalid_argument("the tests' own slot computation does not understand " + text);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

int value_of(std::string text, std::size_t field) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  const auto named = [&](const std::vector<std::string>& names) {
    return static_cast<int>(std::find(names.begin(), names.end(), text) - names.begin());
  };
  if (field == month_field && named(month_names) <= 12) return named(month_names);
  if (field == weekday_field && named(weekday_names) <= 6) return named(weekday_names);
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(c); })) refuse(text);
  return std::stoi(text);
}

/// L, L-n, nW, LW of days; nL, n#k of days of the week.
Matches special(const std::string& item, std::size_t field) {
  if (field == day_field && item == "L") return [](const Moment& at) { return at.day == at.length; };
  if (field == day_field && item == "LW") return [](const Moment& at) { return is_nearest_weekday(at, at.length); };
  if (field == day_field && item.starts_with("L-"))
    return [n = std::stoi(item.substr(2))](const Moment& at) { return at.day == at.length - n; };
  if (field == day_field && item.ends_with("W"))
    return [n = std::stoi(item)](const Moment& at) { return is_nearest_weekday(at, n); };
  if (field != weekday_field) return nullptr;
  if (const auto hash = item.find('#'); hash != std::string::npos)
    return [weekday = value_of(item.substr(0, hash), field) % 7, nth = std::stoi(item.substr(hash + 1))](
               const Moment& at) { return at.weekday == weekday && (at.day + 6) / 7 == nth; };
  if (item.size() > 1 && item.ends_with("L"))
    return [weekday = value_of(item.substr(0, item.size() - 1), field) % 7](const Moment& at) {
      return at.weekday == weekday && at.day + 7 > at.length;
    };
  return nullptr;
}

Matches item_of(const std::string& item, std::size_t field) {
  if (Matches one = special(item, field)) return one;
  const auto slash = item.find('/');
  const std::string range = item.substr(0, slash);
  const int step = slash == std::string::npos ? 1 : std::stoi(item.substr(slash + 1));
  auto [low, high] = ranges[field];
  if (range != "*" && range != "?") {
    const auto dash = range.find('-');
    low = value_of(range.substr(0, dash), field);
    if (dash != std::string::npos)
      high = value_of(range.substr(dash + 1), field);
    else if (slash == std::string::npos)
      high = low;
    else if (field == weekday_field)
      high = 6;
  } else if (field == weekday_field) {
    high = 6;
  }
  return [=](const Moment& at) {
    const auto in = [&](int value) { return value >= low && value <= high && (value - low) % step == 0; };
    return in(at.value) || (field == weekday_field && at.value == 0 && in(7));
  };
}

CronField field_of(const std::string& text, std::size_t field) {
  std::vector<Matches> items;
  for (const std::string& item : split(text, ',')) items.push_back(item_of(item, field));
  return {text, [items](const Moment& at) {
            return std::any_of(items.begin(), items.end(), [&](const Matches& one) { return one(at); });
          }};
}

seconds duration_of(const std::string& text) {
  if (text.size() < 2) refuse(text);
  const int number = std::stoi(text);
  switch (text.back()) {
    case 's': return seconds(number);
    case 'm': return minutes(number);
    case 'h': return hours(number);
    default: refuse(text);
  }
}

std::string spelled_out(const std::string& text) {
  static const std::vector<std::pair<std::string, std::string>> words{
      {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
      {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}};
  for (const auto& [word, meaning] : words)
    if (text == word) return meaning;
  return text;
}

}  // namespace

Moment Moment::of(sys_days date) {
  const year_month_day ymd{date};
  const auto last_day = year_month_day_last(ymd.year(), month_day_last(ymd.month())).day();
  return {static_cast<int>(ymd.year()),
          static_cast<int>(static_cast<unsigned>(ymd.month())),
          static_cast<int>(static_cast<unsigned>(ymd.day())),
          static_cast<int>(static_cast<unsigned>(last_day)),
          static_cast<int>(std::chrono::weekday(date).c_encoding()),
          0};
}

bool is_nearest_weekday(const Moment& at, int wanted) {
  if (wanted > at.length) return false;
  for (const int away : {0, -1, 1, -2, 2}) {
    const int day = wanted + away;
    if (day < 1 || day > at.length || at.weekday_on(day) == 0 || at.weekday_on(day) == 6) continue;
    return at.day == day;
  }
  return false;
}

SlotOracle::SlotOracle(const std::vector<std::string>& expressions, std::string zone) : timezone_(std::move(zone)) {
  const std::string mark = "@days ";
  for (const std::string& text : expressions)
    if (text.starts_with(mark))
      days_.emplace(text.substr(mark.size()));
    else
      expressions_.push_back(parse(text));
}

SlotOracle::Expression SlotOracle::parse(const std::string& text) {
  Expression expression;
  if (text.starts_with("@every ")) return expression.every = duration_of(text.substr(7)), expression;
  std::vector<std::string> parts = split(spelled_out(text), ' ');
  if (parts.size() == 5) parts.insert(parts.begin(), "0");
  if (parts.size() != 6) refuse(text);
  for (std::size_t i = 0; i < 6; ++i) expression.fields[i] = field_of(parts[i], i);
  expression.every_hour = true;
  for (int hour = 0; hour < 24; ++hour)
    expression.every_hour &= expression.fields[hour_field].matches(Moment{}.with(hour));
  return expression;
}

bool SlotOracle::matches_day(const Expression& expression, DayOracle::Date date) {
  const Moment at = Moment::of(date);
  const auto has = [&](std::size_t field, int value) { return expression.fields[field].matches(at.with(value)); };
  const bool day = has(day_field, at.day), weekday = has(weekday_field, at.weekday);
  const auto starred = [&](std::size_t field) { return expression.fields[field].text[0] == '*'; };
  const bool both = starred(day_field) || starred(weekday_field);
  return has(month_field, at.month) && (both ? day && weekday : day || weekday);
}

DayMark SlotOracle::mark(const Expression& expression, Local local) const {
  const auto date = floor<days>(local);
  const auto time = (local - date).count();
  const Moment at = Moment::of(date);
  const auto has = [&](std::size_t field, std::int64_t value) {
    return expression.fields[field].matches(at.with(static_cast<int>(value)));
  };
  if (!has(0, time % 60) || !has(1, time / 60 % 60) || !has(hour_field, time / 3600)) return DayMark::none;
  if (days_) return days_->mark(date, [&](DayOracle::Date one) { return matches_day(expression, one); });
  return matches_day(expression, date) ? DayMark::due : DayMark::none;
}

/// Every hour: each time that its label shows. Else each label once: the first time that it shows, or at the end of
/// the gap that it is in, where that is shorter than a day. One label that is due makes the instant due.
DayMark SlotOracle::fires(const Expression& expression, sys_seconds at, WallTime anchor) const {
  const seconds now = offset(at), before = offset(at - seconds(1)), earlier = offset(at - hours(4));
  const Local local = at + now;
  if (expression.every > seconds(0)) {
    const Millis since = at - anchor;
    const bool fires = since > Millis(0) && since.count() % Millis(expression.every).count() == 0;
    if (!fires) return DayMark::none;
    return days_ && !days_->allows(floor<days>(local)) ? DayMark::left_out : DayMark::due;
  }
  if (expression.every_hour) return mark(expression, local);
  DayMark found = DayMark::none;
  const auto add = [&](DayMark one) {
    if (one == DayMark::due || found == DayMark::none) found = one;
  };
  if (now > before && now - before < hours(24))
    for (Local label = at + before; label < local && found != DayMark::due; label += seconds(1))
      add(mark(expression, label));
  if (found == DayMark::due) return found;
  const sys_seconds first = local - earlier;
  if (!(earlier > now && first < at && offset(first) == earlier)) add(mark(expression, local));
  return found;
}

DayMark SlotOracle::fires(sys_seconds at, WallTime anchor) const {
  DayMark found = DayMark::none;
  for (const Expression& one : expressions_) {
    const DayMark mark = fires(one, at, anchor);
    if (mark == DayMark::due || found == DayMark::none) found = mark;
  }
  return found;
}

bool SlotOracle::leaves_out(WallTime at, WallTime anchor) const {
  return fires(floor<seconds>(at), anchor) == DayMark::left_out;
}

bool SlotOracle::skips_a_day_after(WallTime at) const {
  const auto second = std::chrono::floor<seconds>(at);
  return offset(second + seconds(1)) - offset(second) >= hours(24);
}

/// How far the clocks of the zone are ahead of UTC.
seconds SlotOracle::offset(sys_seconds at) const {
  if (timezone_ == "UTC") return seconds(0);
  const char* const set = std::getenv("TZ");
  const std::string kept = set ? set : "";
  if (kept != timezone_) {
    setenv("TZ", timezone_.c_str(), 1);
    tzset();
  }
  const std::time_t time = at.time_since_epoch().count();
  std::tm local{};
  localtime_r(&time, &local);
  return seconds(local.tm_gmtoff);
}

std::vector<WallTime> SlotOracle::between(WallTime after, WallTime until, WallTime anchor) const {
  std::vector<WallTime> slots;
  for (auto at = floor<seconds>(after) + seconds(1); at <= until; at += seconds(1))
    if (fires(at, anchor) != DayMark::none) slots.push_back(at);
  return slots;
}

}  // namespace ballot::testing
