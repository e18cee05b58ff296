#include "core/jobs/standing_pauses.hpp"

namespace ballot::core {

bool StandingPauses::learn(const std::string& job, const PauseOfAll& now, RequestId asked, RequestId last) {
  const Ptr before = find(job);
  if (now == (before ? *before : PauseOfAll{})) return true;
  Known& known = known_[job];
  if (before && before->standing && !now.standing && asked <= known.last) return false;
  known = {std::make_shared<const PauseOfAll>(now), last};
  return true;
}

StandingPauses::Ptr StandingPauses::find(std::string_view job) const {
  const auto known = known_.find(job);
  return known == known_.end() ? nullptr : known->second.pause;
}

std::vector<std::string> StandingPauses::jobs() const {
  std::vector<std::string> names;
  for (const auto& [job, known] : known_)
    if (known.pause->standing) names.push_back(job);
  return names;
}

}  // namespace ballot::core
