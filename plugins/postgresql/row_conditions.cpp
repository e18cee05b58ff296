#include "row_conditions.hpp"

#include <algorithm>
#include <cstdint>

namespace ballot::postgresql {

namespace {

constexpr std::size_t most_arms = 200;  // beyond, a walk over all slots finds the next row soon enough

template <class Enum>
std::vector<std::int32_t> numbers_of(const std::vector<Enum>& values) {
  std::vector<std::int32_t> numbers;
  for (const Enum value : values) numbers.push_back(static_cast<std::int32_t>(value));
  return numbers;
}

}  // namespace

bool wants_success(const HistoryFilter& filter) {
  return filter.statuses.empty() ||
         std::find(filter.statuses.begin(), filter.statuses.end(), Status::succeeded) != filter.statuses.end();
}

void add_conditions(Where& where, const HistoryFilter& filter) {
  where.add_names("r.node", filter.nodes);
  if (!filter.statuses.empty()) where.add("r.status = ANY(", where.bind(numbers_of(filter.statuses)), ")");
  if (!filter.reasons.empty()) where.add("r.reason = ANY(", where.bind(numbers_of(filter.reasons)), ")");
  if (filter.since) where.add("r.slot >= ", where.bind(*filter.since));
  if (filter.until) where.add("r.slot < ", where.bind(*filter.until));
}

Arms arms_of(const HistoryFilter& filter) {
  if (filter.run) return {};
  if (!filter.jobs.empty() && filter.jobs.size() <= most_arms) return {"r.job", filter.jobs};
  if (filter.jobs.empty() && filter.groups.size() <= most_arms) return {"r.grp", filter.groups};
  return {};
}

}  // namespace ballot::postgresql
