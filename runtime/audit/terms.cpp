#include "audit/terms.hpp"

#include <algorithm>
#include <iterator>

namespace ballot::audit {

std::optional<WallTime> over_by(const Terms& terms, const std::string& group, std::uint64_t epoch) {
  const auto own = terms.find({group, epoch});
  std::optional<WallTime> over = own == terms.end() ? std::nullopt : own->second.ended_at;
  const auto next = terms.upper_bound({group, epoch});
  if (next != terms.end() && next->second.group == group)
    over = std::min(over.value_or(WallTime::max()), next->second.elected_at);
  return over;
}

bool was_set_back(const Terms& terms, const std::string& group, std::uint64_t epoch) {
  const auto own = terms.find({group, epoch});
  const std::optional<WallTime> over = over_by(terms, group, epoch);
  return own != terms.end() && own->second.ended_at && *over + clock_difference < *own->second.ended_at;
}

bool was_elected_after_a_step(const Terms& terms, const std::string& group, std::uint64_t epoch) {
  const auto own = terms.find({group, epoch});
  if (own == terms.end() || own == terms.begin()) return false;
  const TermRow& before = std::prev(own)->second;
  return before.group == group && was_set_back(terms, group, before.epoch);
}

}  // namespace ballot::audit
