#include "zones/local_text.hpp"

#include <cstdlib>

#include "base/wall_text.hpp"

namespace ballot::zones {

std::string local_text(WallTime at, const TimeZone& zone) {
  const std::chrono::seconds offset = zone.offset(std::chrono::floor<std::chrono::seconds>(at));
  std::string text = format_slot(at + offset);
  text.pop_back();  // the Z
  const auto two_digits = [](long number) { return std::to_string(100 + number % 100).substr(1); };
  const long minutes = std::labs(static_cast<long>(offset.count())) / 60;
  return text + (offset.count() < 0 ? '-' : '+') + two_digits(minutes / 60) + ':' + two_digits(minutes % 60);
}

}  // namespace ballot::zones
