#include "schedule/day_set.hpp"

#include <algorithm>
#include <array>

#include "schedule/bounds.hpp"

namespace ballot::schedule {
namespace {

using std::chrono::days;
using std::chrono::month_day;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> day_names = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr year first_year{1800};
constexpr int longest_leap_gap = 8;  // years from one 29 February to the next

std::string two_digits(unsigned number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string text_of(month_day day) {
  return two_digits(static_cast<unsigned>(day.month())) + "-" + two_digits(static_cast<unsigned>(day.day()));
}

/// A number of so many digits at `at`.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count) {
  unsigned number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return number;
}

std::optional<month_day> read_month_day(std::string_view text) {
  if (text.size() != 5 || text[2] != '-') return std::nullopt;
  const auto month = digits(text, 0, 2), day = digits(text, 3, 2);
  if (!month || !day) return std::nullopt;
  return month_day(std::chrono::month(*month), std::chrono::day(*day));
}

std::optional<year_month_day> read_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-') return std::nullopt;
  const auto number = digits(text, 0, 4);
  const auto rest = read_month_day(text.substr(5));
  if (!number || !rest) return std::nullopt;
  return year_month_day(year(static_cast<int>(*number)), rest->month(), rest->day());
}

constexpr std::string_view forms =
    " is no date: write \"2026-12-25\", a range \"2026-12-24..2027-01-02\", or \"12-25\" or \"12-24..01-02\" for every "
    "year";

/// What is wrong with a date that has the form of one; "": nothing.
std::string fault_of(const year_month_day& date, std::string_view text) {
  if (!date.ok()) return std::string(text) + " is no day of the calendar";
  if (date.year() < first_year || date.year() >= Calendar::horizon)
    return std::string(text) + " is outside of the years 1800 to 2399, for which slots are computed";
  return {};
}

}  // namespace

std::string text_of(local_days day) {
  const year_month_day date(day);
  const auto number = static_cast<unsigned>(static_cast<int>(date.year()));
  return two_digits(number / 100) + two_digits(number % 100) + "-" + text_of(month_day(date.month(), date.day()));
}

std::string DaySet::add_date(std::string_view text) {
  if (const auto day = read_month_day(text)) {
    if (!day->ok()) return std::string(text) + " is no day of any year";
    const auto at = std::lower_bound(yearly_.begin(), yearly_.end(), *day);
    if (at == yearly_.end() || *at != *day) yearly_.insert(at, *day);
    return {};
  }
  const std::size_t dots = text.find("..");
  if (dots == 5 && text.size() == 12) return add_yearly(text);
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = dots == std::string_view::npos ? first : text.substr(dots + 2);
  const auto from = read_date(first), to = read_date(last);
  if (!from || !to) return "\"" + std::string(text) + "\"" + std::string(forms);
  if (std::string fault = fault_of(*from, first); !fault.empty()) return fault;
  if (std::string fault = fault_of(*to, last); !fault.empty()) return fault;
  if (*to < *from) return "the range " + std::string(text) + " ends before it begins";
  add({local_days(*from), local_days(*to)});
  return {};
}

/// "12-24..01-02": over the end of the year where it ends before it begins.
std::string DaySet::add_yearly(std::string_view range) {
  const std::string_view words[] = {range.substr(0, 5), range.substr(7)};
  for (const std::string_view word : words)
    if (!read_month_day(word)) return "\"" + std::string(range) + "\"" + std::string(forms);
  for (const std::string_view word : words)
    if (!read_month_day(word)->ok()) return std::string(word) + " is no day of any year";
  constexpr year leap{2000};  // it has each day of a year
  const local_days last(leap / *read_month_day(words[1])), new_years_eve(leap / 12 / 31);
  for (local_days day(leap / *read_month_day(words[0])); true; day += days(1)) {
    const year_month_day date(day);
    (void)add_date(text_of(month_day(date.month(), date.day())));
    if (day == last) return {};
    if (day == new_years_eve) day = local_days(leap / 1 / 1) - days(1);
  }
}

std::string DaySet::add_weekday(std::string_view text) {
  const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); };
  for (std::size_t i = 0; i < day_names.size(); ++i) {
    const std::string_view name = day_names[i];
    if (!std::equal(name.begin(), name.end(), text.begin(), text.end(), same)) continue;
    weekdays_ = static_cast<std::uint8_t>(weekdays_ | 1u << i);
    return {};
  }
  return "\"" + std::string(text) + "\" is no day of the week: write mon, tue, wed, thu, fri, sat or sun";
}

void DaySet::add(Range range) {
  const auto touches_left = [&](const Range& one) { return one.to + days(1) < range.from; };
  const auto first = std::partition_point(ranges_.begin(), ranges_.end(), touches_left);
  auto last = first;
  for (; last != ranges_.end() && last->from <= range.to + days(1); ++last)
    range = {std::min(range.from, last->from), std::max(range.to, last->to)};
  ranges_.insert(ranges_.erase(first, last), range);
}

const DaySet::Range* DaySet::range_of(local_days day) const {
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& one) { return one.to < day; });
  return at != ranges_.end() && at->from <= day ? &*at : nullptr;
}

bool DaySet::has(local_days day) const {
  const year_month_day date(day);
  return has_kind(month_day(date.month(), date.day()), std::chrono::weekday(day)) || range_of(day) != nullptr;
}

std::optional<local_days> DaySet::next(local_days from) const {
  std::optional<local_days> first;
  const auto consider = [&](local_days day) {
    if (day >= from && day < local_days(Calendar::horizon / 1 / 1) && (!first || day < *first)) first = day;
  };
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& one) { return one.to < from; });
  if (at != ranges_.end()) consider(std::max(at->from, from));
  for (int ahead = 0; weekdays_ != 0 && ahead < 7; ++ahead)
    if ((weekdays_ >> std::chrono::weekday(from + days(ahead)).c_encoding() & 1) != 0) consider(from + days(ahead));
  if (const auto day = next_yearly(from)) consider(*day);
  return first;
}

/// Of its days of every year.
std::optional<local_days> DaySet::next_yearly(local_days from) const {
  const year_month_day begin(from);
  auto at = std::lower_bound(yearly_.begin(), yearly_.end(), month_day(begin.month(), begin.day()));
  for (int ahead = 0; !yearly_.empty() && ahead <= longest_leap_gap; ++ahead, at = yearly_.begin())
    for (; at != yearly_.end(); ++at)  // all years but for one day have each
      if (const year_month_day date = (begin.year() + std::chrono::years(ahead)) / *at; date.ok())
        return local_days(date);
  return std::nullopt;
}

local_days DaySet::end_of_range(local_days day) const {
  const Range* const range = range_of(day);
  return range != nullptr ? range->to : day;
}

bool DaySet::has_kind(month_day date, std::chrono::weekday weekday) const {
  return (weekdays_ >> weekday.c_encoding() & 1) != 0 || std::binary_search(yearly_.begin(), yearly_.end(), date);
}

std::optional<local_days> DaySet::first_date() const {
  return ranges_.empty() ? std::nullopt : std::optional(ranges_.front().from);
}

std::optional<local_days> DaySet::last_date() const {
  return ranges_.empty() ? std::nullopt : std::optional(ranges_.back().to);
}

std::string DaySet::text() const {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ",") + one; };
  for (const Range& range : ranges_)
    add(range.from == range.to ? text_of(range.from) : text_of(range.from) + ".." + text_of(range.to));
  for (const month_day& day : yearly_) add(text_of(day));
  for (std::size_t i = 1; i <= day_names.size(); ++i)
    if ((weekdays_ >> i % 7 & 1) != 0) add(std::string(day_names[i % 7]));
  return text;
}

std::optional<DaySet> DaySet::parse(std::string_view text) {
  DaySet set;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    const bool is_date = !one.empty() && one.front() >= '0' && one.front() <= '9';
    if (!(is_date ? set.add_date(one) : set.add_weekday(one)).empty()) return std::nullopt;
    text.remove_prefix(one.size());
    if (text == ",") return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
  }
  return set;
}

}  // namespace ballot::schedule
