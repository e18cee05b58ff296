#include "core/jobs/standing_pauses.hpp"

namespace ballot::core {

bool StandingPauses::learn(const std::string& job, const std::optional<StandingPause>& now, RequestId asked,
                           RequestId last) {
  const auto known = known_.find(job);
  if (!now) {
    if (known == known_.end()) return true;
    if (asked <= known->second.last) return false;
    known_.erase(known);
  } else if (known == known_.end() || *known->second.pause != *now) {
    known_[job] = {std::make_shared<const StandingPause>(*now), last};
  }
  return true;
}

StandingPauses::Ptr StandingPauses::find(std::string_view job) const {
  const auto known = known_.find(job);
  return known == known_.end() ? nullptr : known->second.pause;
}

std::vector<std::string> StandingPauses::jobs() const {
  std::vector<std::string> names;
  for (const auto& [job, known] : known_) names.push_back(job);
  return names;
}

}  // namespace ballot::core
