#include "library/history/pace.hpp"

#include <algorithm>

namespace ballot::library {
namespace {

using std::chrono::days;

constexpr std::size_t few = 3;         // of as many the middle is one of them
constexpr std::size_t of_young = 100;  // successes of a job that is not known for long

/// Requires: there is one.
Millis part_of(std::vector<Millis> all, std::size_t at) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
  return all[at];
}

Millis middle_of(const std::vector<Millis>& all) { return part_of(all, all.size() / 2); }

}  // namespace

std::optional<Pace> pace_of(const std::vector<Row>& rows, WallTime now) {
  std::vector<Millis> all, before;
  for (const Row& row : rows) {
    if (row.status != Status::succeeded || !row.duration || row.slot <= now - pace_days) continue;
    all.push_back(*row.duration);
    if (row.slot <= now - days(1) && row.slot > now - days(7)) before.push_back(*row.duration);
  }
  if (all.size() < least_successes) return std::nullopt;
  if (before.size() < few) {
    before.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), of_young)));
    before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(before.size() / 2));
  }
  return Pace{middle_of(before), part_of(all, (all.size() * 95 + 99) / 100 - 1), all.size()};
}

bool is_slow(Millis took, const Pace& pace) { return took > pace.percentile && took - pace.usual > least_slowness; }

}  // namespace ballot::library
