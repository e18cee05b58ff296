#include "schedule/cron_field.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/quoted.hpp"

namespace ballot::schedule {
namespace {

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

struct Range {
  int low, high;
  int count() const { return high - low + 1; }
};

struct Rule {
  std::string_view name;
  Range values;  // of `*`; a weekday may also be 7
  Range hashed;  // of `H`
  std::string_view allowed;
  std::string_view example;                 // of a hashed range
  std::span<const std::string_view> names;  // of values.low and those after it
};

constexpr std::array<Rule, 6> rules{{
    {"second", {0, 59}, {0, 59}, "0 to 59", "H(0-29)", {}},
    {"minute", {0, 59}, {0, 59}, "0 to 59", "H(0-29)", {}},
    {"hour", {0, 23}, {0, 23}, "0 to 23", "H(0-5)", {}},
    {"day-of-month", {1, 31}, {1, 28}, "1 to 31, L, L-n, nW or LW", "H(1-14)", {}},
    {"month", {1, 12}, {1, 12}, "1 to 12 or JAN to DEC", "H(1-6)", month_names},
    {"day-of-week", {0, 6}, {0, 6}, "0 to 7 or SUN to SAT, d#n or dL", "H(MON-FRI)", weekday_names},
}};
constexpr int last_value = 64;      // as a step: past any range, so that only its first value counts
constexpr int too_large = 999'999;  // what no field allows

const Rule& rule_of(CronField field) { return rules[static_cast<std::size_t>(field)]; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_name(std::string_view text, std::string_view name) {
  return text.size() == 3 && upper(text[0]) == name[0] && upper(text[1]) == name[1] && upper(text[2]) == name[2];
}

/// Reads the items of one field from left to right. Its functions return whether all is well; the first that is not
/// sets the fault.
class FieldReader {
 public:
  FieldReader(CronField field, std::string_view text, int column, const HashSeed& seed, CronFields& into)
      : field_(field), rule_(rule_of(field)), text_(text), column_(column), seed_(seed), into_(into) {}

  bool read();
  /// The plain values, as bits.
  std::uint64_t values() const { return values_; }
  const CronFault& fault() const { return fault_; }

 private:
  bool read_item();
  bool read_hash();
  bool read_end_of_month();
  bool read_from_value();
  bool read_special_weekday(int weekday);
  bool read_stepped(Range range);
  bool read_step(int& step);
  bool read_value(int& value);
  bool read_number(int& number, Range allowed, std::string_view what);

  std::string_view rest_of_item() const { return text_.substr(position_, text_.find(',', position_) - position_); }
  bool at_item_end() const { return position_ == text_.size() || text_[position_] == ','; }
  bool ahead(char c) const { return position_ < text_.size() && upper(text_[position_]) == c; }
  bool take(char c) { return ahead(c) && ++position_ != 0; }
  bool add(Range range, int step);
  bool straighten(Range& range, std::size_t begin);
  bool fail(std::size_t position, std::string text);
  bool fail_with_allowed(std::size_t position, std::string what);

  CronField field_;
  const Rule& rule_;
  std::string_view text_;
  int column_;
  const HashSeed& seed_;
  CronFields& into_;
  std::uint64_t values_ = 0;
  std::size_t position_ = 0;
  CronFault fault_;
};

bool FieldReader::read() {
  do {
    const std::size_t begin = position_;
    if (!read_item()) return false;
    if (!at_item_end())
      return fail_with_allowed(position_, quoted(rest_of_item()) + " makes no sense after " +
                                              quoted(text_.substr(begin, position_ - begin)));
  } while (take(','));
  return true;
}

bool FieldReader::read_item() {
  if (take('*') || take('?')) return read_stepped(rule_.values);
  if (take('H')) return read_hash();
  if (field_ == CronField::day_of_month && take('L')) return read_end_of_month();
  return read_from_value();
}

/// H, H(a-b), each with or without a step; the H is taken.
bool FieldReader::read_hash() {
  Range range = rule_.hashed;
  if (take('(')) {
    const std::size_t begin = position_;
    if (!read_value(range.low)) return false;
    if (!take('-')) return fail(position_, "H(a-b) takes a range, as in " + std::string(rule_.example));
    if (!read_value(range.high) || !straighten(range, begin)) return false;
    if (!take(')')) return fail(position_, "H(a-b) wants a closing bracket here, as in " + std::string(rule_.example));
  }
  const bool stepped = ahead('/');
  int step = range.count();
  if (stepped && !read_step(step)) return false;
  range.low += static_cast<int>(seed_.pick(rule_.name, static_cast<unsigned>(std::min(step, range.count()))));
  return add(range, stepped ? step : last_value);
}

/// L, L-n, LW; the L is taken.
bool FieldReader::read_end_of_month() {
  if (take('W')) return into_.nearest_weekdays |= 1, true;
  int distance = 0;
  if (take('-') && !read_number(distance, {1, 30}, "the n of L-n")) return false;
  return into_.days_from_end |= 1u << distance, true;
}

bool FieldReader::read_from_value() {
  const std::size_t begin = position_;
  Range range{};
  if (!read_value(range.low)) return false;
  const bool weekday = field_ == CronField::day_of_week;
  if (weekday && (ahead('#') || ahead('L'))) return read_special_weekday(range.low % 7);
  if (field_ == CronField::day_of_month && take('W')) return into_.nearest_weekdays |= 1u << range.low, true;
  if (take('-')) return read_value(range.high) && straighten(range, begin) && read_stepped(range);
  if (ahead('/')) return read_stepped({weekday ? range.low % 7 : range.low, rule_.values.high});
  return add({range.low, range.low}, 1);
}

/// d#n, dL; the d is taken.
bool FieldReader::read_special_weekday(int weekday) {
  int nth = 0;
  if (take('#') ? !read_number(nth, {1, 5}, "the n of d#n") : !take('L')) return false;
  return into_.nth_weekdays |= std::uint64_t{1} << (8 * weekday + nth), true;
}

bool FieldReader::read_stepped(Range range) {
  int step = 1;
  return (!ahead('/') || read_step(step)) && add(range, step);
}

bool FieldReader::read_step(int& step) {
  return take('/') && read_number(step, {1, rule_.values.count()}, "a step of " + std::string(rule_.name));
}

/// A number or a name that the field has.
bool FieldReader::read_value(int& value) {
  if (at_item_end()) return fail_with_allowed(position_, "a value is missing");
  for (std::size_t i = 0; i < rule_.names.size(); ++i) {
    if (!same_name(text_.substr(position_, 3), rule_.names[i])) continue;
    value = rule_.values.low + static_cast<int>(i);
    position_ += 3;
    return true;
  }
  if (!is_digit(text_[position_])) return fail_with_allowed(position_, quoted(rest_of_item()) + " is no value");
  const int highest = field_ == CronField::day_of_week ? 7 : rule_.values.high;
  return read_number(value, {rule_.values.low, highest}, rule_.name);
}

bool FieldReader::read_number(int& number, Range allowed, std::string_view what) {
  const std::size_t begin = position_;
  int value = 0;
  for (; position_ < text_.size() && is_digit(text_[position_]); ++position_)
    value = std::min(value * 10 + (text_[position_] - '0'), too_large);
  number = value;
  if (begin < position_ && value >= allowed.low && value <= allowed.high) return true;
  const std::string_view found = text_.substr(begin, position_ - begin);
  return fail(begin, std::string(what) + " is " + std::to_string(allowed.low) + " to " + std::to_string(allowed.high) +
                         (found.empty() ? "" : ", not " + quoted(found)));
}

bool FieldReader::add(Range range, int step) {
  for (int value = range.low; value <= range.high; value += step) values_ |= std::uint64_t{1} << value;
  return true;
}

/// Sunday begins a range as 0 and ends it as 7; a range that runs backwards even so is a fault.
bool FieldReader::straighten(Range& range, std::size_t begin) {
  if (field_ == CronField::day_of_week) {
    if (range.low == 7 && range.high != 7) range.low = 0;
    if (range.high == 0 && range.low > 0) range.high = 7;
  }
  if (range.low <= range.high) return true;
  const std::string_view whole = text_.substr(begin, position_ - begin);
  const std::string low(whole.substr(0, whole.find('-'))), high(whole.substr(whole.find('-') + 1));
  const auto spell = [&](int value) {
    const bool by_name = !is_digit(whole.front());
    return by_name ? std::string(rule_.names[static_cast<std::size_t>(value - rule_.values.low)])
                   : std::to_string(value);
  };
  const std::string until = low == spell(rule_.values.high) ? "" : "-" + spell(rule_.values.high);
  const std::string from = high == spell(rule_.values.low) ? "" : spell(rule_.values.low) + "-";
  return fail(begin, quoted(whole) + " runs backwards; write " + low + until + "," + from + high);
}

bool FieldReader::fail(std::size_t position, std::string text) {
  fault_ = {column_ + static_cast<int>(position), std::move(text)};
  return false;
}

bool FieldReader::fail_with_allowed(std::size_t position, std::string what) {
  return fail(position, std::move(what) + "; " + std::string(rule_.name) + " is " + std::string(rule_.allowed) +
                            ", in lists (a,b), ranges (a-b) and steps (*/n), or H");
}

/// Puts a field's plain values where they belong.
void store(CronField field, std::uint64_t values, CronFields& into) {
  switch (field) {
    case CronField::second: into.seconds = values; break;
    case CronField::minute: into.minutes = values; break;
    case CronField::hour: into.hours = static_cast<std::uint32_t>(values); break;
    case CronField::day_of_month: into.days = static_cast<std::uint32_t>(values); break;
    case CronField::month: into.months = static_cast<std::uint16_t>(values); break;
    case CronField::day_of_week: into.weekdays = static_cast<std::uint8_t>((values | values >> 7) & 0x7f); break;
  }
}

}  // namespace

std::optional<CronFault> parse_cron_field(CronField field, std::string_view text, int column, const HashSeed& seed,
                                          CronFields& into) {
  FieldReader reader(field, text, column, seed, into);
  if (!reader.read()) return reader.fault();
  store(field, reader.values(), into);
  return std::nullopt;
}

}  // namespace ballot::schedule
