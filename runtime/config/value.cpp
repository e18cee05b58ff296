#include "config/value.hpp"

#include "base/duration.hpp"

namespace ballot::config {
namespace {

std::string_view kind(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a float";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time";
    case toml::node_type::date_time: return "a date-time";
    case toml::node_type::none: break;
  }
  return "nothing";
}

std::string range(std::int64_t low, std::int64_t high) {
  if (high == unlimited) return "of at least " + std::to_string(low);
  return "from " + std::to_string(low) + " to " + std::to_string(high);
}

WallTime to_wall(const toml::date_time& value) {
  using namespace std::chrono;
  const year_month_day day(year(value.date.year), month(value.date.month), std::chrono::day(value.date.day));
  return WallTime(sys_days(day)) + hours(value.time.hour) + minutes(value.time.minute) + seconds(value.time.second) +
         duration_cast<Millis>(nanoseconds(value.time.nanosecond)) - minutes(value.offset->minutes);
}

}  // namespace

Position position_of(const toml::source_region& source) {
  return {static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

void Value::error(std::string_view text) const {
  findings_.error(position(), in_quotes(key_) + ' ' + std::string(text));
}

void Value::wrong_type(std::string_view wanted) const {
  error("must be " + std::string(wanted) + ", not " + std::string(kind(node_)));
}

std::optional<bool> Value::boolean() const {
  if (const auto* value = node_.as_boolean()) return value->get();
  wrong_type("true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Value::integer(std::int64_t low, std::int64_t high) const {
  const auto* value = node_.as_integer();
  if (value == nullptr) {
    wrong_type("an integer " + range(low, high));
    return std::nullopt;
  }
  if (value->get() >= low && value->get() <= high) return value->get();
  error("must be an integer " + range(low, high) + ", not " + std::to_string(value->get()));
  return std::nullopt;
}

std::optional<double> Value::number(double low, double high) const {
  const auto bounds = [&] {
    return "a number from " + std::to_string(static_cast<std::int64_t>(low)) + " to " +
           std::to_string(static_cast<std::int64_t>(high));
  };
  if (!node_.is_number()) {
    wrong_type(bounds());
    return std::nullopt;
  }
  const double value =
      node_.is_integer() ? static_cast<double>(node_.as_integer()->get()) : node_.as_floating_point()->get();
  if (value >= low && value <= high) return value;
  error("must be " + bounds());
  return std::nullopt;
}

std::optional<std::string_view> Value::string() const {
  const auto* value = node_.as_string();
  if (value == nullptr) {
    wrong_type("a string");
    return std::nullopt;
  }
  if (value->get().find('\0') == std::string::npos) return value->get();
  error("contains a NUL character, which no command, path or variable can carry");
  return std::nullopt;
}

std::optional<std::string_view> Value::argument() const {
  const auto text = string();
  if (!text || text->size() <= longest_argument) return text;
  error("has " + std::to_string(text->size()) + " bytes, and Linux starts no program with an argument of more than " +
        std::to_string(longest_argument) + "; put the text into a file that the command reads");
  return std::nullopt;
}

std::optional<Millis> Value::duration(Millis low, Millis high) const {
  if (!node_.is_string()) {
    wrong_type("a duration such as \"30s\" or \"1h30m\"");
    return std::nullopt;
  }
  const std::string& text = node_.as_string()->get();
  const auto value = parse_duration(text);
  if (!value)
    error("must be a duration such as \"30s\" or \"1h30m\" (units w d h m s ms, largest first), not " +
          in_quotes(text));
  else if (*value < low)
    error("must be at least " + format_duration(low) + ", not " + format_duration(*value));
  else if (*value > high)
    error("must be at most " + format_duration(high) + ", not " + format_duration(*value));
  else
    return value;
  return std::nullopt;
}

std::optional<std::int64_t> Value::size(std::int64_t low, std::int64_t high) const {
  std::optional<std::int64_t> value;
  if (const auto* number = node_.as_integer())
    value = number->get();
  else if (const auto* text = node_.as_string())
    value = parse_size(text->get());
  else {
    wrong_type("a size such as \"64KiB\"");
    return std::nullopt;
  }
  if (!value)
    error("must be a size such as \"64KiB\" (bytes, or with KiB, MiB, GiB), not " +
          in_quotes(node_.as_string()->get()));
  else if (*value < low || *value > high)
    error("must be a size " + range(low, high) + " bytes, not " + std::to_string(*value));
  else
    return value;
  return std::nullopt;
}

std::optional<WallTime> Value::date_time() const {
  const auto* value = node_.as_date_time();
  if (value == nullptr) {
    wrong_type(node_.is_string() ? "a date-time such as 2025-03-09T07:00:00Z, without quotes"
                                 : "a date-time with an offset, such as 2025-03-09T07:00:00Z");
    return std::nullopt;
  }
  if (value->get().offset) return to_wall(value->get());
  error(
      "is a date-time without an offset; write it with one, such as 2025-03-09T07:00:00Z or 2025-03-09T08:00:00+01:00");
  return std::nullopt;
}

std::optional<std::vector<std::string>> Value::strings() const {
  const toml::array* array = list("strings");
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(array->size());
  for (const toml::node& element : *array) {
    const Value value(key_, element, findings_);
    if (!element.is_string()) {
      value.error("must be a list of strings; this is " + std::string(kind(element)));
      return std::nullopt;
    }
    const auto text = value.argument();
    if (!text) return std::nullopt;
    out.emplace_back(*text);
  }
  return out;
}

const toml::array* Value::list(std::string_view of) const {
  const toml::array* array = node_.as_array();
  if (array == nullptr) wrong_type("a list of " + std::string(of));
  return array;
}

const toml::table* Value::table() const {
  const toml::table* table = node_.as_table();
  if (table == nullptr) wrong_type("a table");
  return table;
}

}  // namespace ballot::config
