#include "base/duration.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace ballot {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t millis;
};
constexpr std::array<Unit, 6> units{
    {{"w", 604'800'000}, {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

/// Takes the digits at the front of `text`; nullopt if there are none or they do not fit.
std::optional<std::int64_t> take_integer(std::string_view& text) {
  std::int64_t value = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::optional<Millis> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    const auto value = take_integer(text);
    if (!value) return std::nullopt;
    std::size_t letters = 0;
    while (letters < text.size() && (text[letters] < '0' || text[letters] > '9')) ++letters;
    const std::string_view name = text.substr(0, letters);
    text.remove_prefix(letters);
    while (next_unit < units.size() && units[next_unit].name != name) ++next_unit;
    if (next_unit == units.size()) return std::nullopt;
    std::int64_t part = 0;
    if (__builtin_mul_overflow(*value, units[next_unit].millis, &part) || __builtin_add_overflow(total, part, &total))
      return std::nullopt;
    ++next_unit;
  }
  return Millis(total);
}

std::string format_duration(Millis duration) {
  std::string text;
  std::int64_t rest = duration.count();
  for (const Unit& unit : units) {
    if (rest < unit.millis) continue;
    text += std::to_string(rest / unit.millis);
    text += unit.name;
    rest %= unit.millis;
  }
  return text.empty() ? "0s" : text;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto value = take_integer(text);
  if (!value) return std::nullopt;
  int shift = 0;
  if (text == "KiB")
    shift = 10;
  else if (text == "MiB")
    shift = 20;
  else if (text == "GiB")
    shift = 30;
  else if (!text.empty())
    return std::nullopt;
  if (*value > (std::numeric_limits<std::int64_t>::max() >> shift)) return std::nullopt;
  return *value << shift;
}

}  // namespace ballot
