#include "core/record/led_span.hpp"

#include <algorithm>

namespace ballot::core {

std::vector<LedSpan> led_before(const GroupRegister& before, std::uint64_t epoch, std::optional<WallTime> last_alive,
                                Millis lease) {
  const WallTime known = before.ended_at.value_or(before.elected_at);
  const WallTime alive = std::max(known, last_alive.value_or(known));
  std::vector<LedSpan> spans;
  if (before.epoch > 0) spans.push_back({before.elected_at, before.ended_at.value_or(alive + lease)});
  const bool goes_on = before.epoch > 0 && !before.ended_at;
  if (!goes_on && before.epoch + 1 < epoch && alive > known) spans.push_back({alive, alive + lease});
  return spans;
}

}  // namespace ballot::core
