#include "library/history/pace.hpp"

#include <algorithm>

namespace ballot::library {

std::optional<Pace> pace_of(const std::vector<Row>& rows, const UsualTime& usual, WallTime now) {
  std::size_t runs = 0;
  std::vector<Millis> all;
  for (const Row& row : rows) {
    if (row.status != Status::succeeded || !row.duration || row.slot <= now - pace_days) continue;
    ++runs;
    if (row.slot < usual.until(now)) all.push_back(*row.duration);
  }
  if (runs < least_successes || all.empty() || !usual.is_known()) return std::nullopt;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>((all.size() * 95 + 99) / 100 - 1);
  std::nth_element(all.begin(), at, all.end());
  return Pace{usual.takes, *at, runs};
}

bool is_slow(Millis took, const Pace& pace) { return took > pace.percentile && took - pace.usual > least_slowness; }

}  // namespace ballot::library
