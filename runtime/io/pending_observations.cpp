#include "io/pending_observations.hpp"

#include <algorithm>
#include <utility>

#include "io/clocks.hpp"

namespace ballot::io {

RequestId PendingObservations::add(Millis patience, OnElections answered) {
  asked_[++last_] = {read_clocks().steady + patience, std::move(answered)};
  arm();
  return last_;
}

void PendingObservations::answer(RequestId request, const std::vector<Election>& elections) {
  const auto asked = asked_.extract(request);
  if (!asked) return;
  arm();
  asked.mapped().answered(elections);
}

void PendingObservations::expire() {
  const SteadyTime now = read_clocks().steady;
  std::vector<OnElections> given_up;
  for (auto each = asked_.begin(); each != asked_.end();) {
    if (each->second.until > now) {
      ++each;
      continue;
    }
    given_up.push_back(std::move(each->second.answered));
    each = asked_.erase(each);
  }
  arm();
  for (const OnElections& answered : given_up) answered({});
}

/// At the first whose patience ends.
void PendingObservations::arm() {
  const auto first = std::min_element(asked_.begin(), asked_.end(), [](const auto& one, const auto& other) {
    return one.second.until < other.second.until;
  });
  if (first == asked_.end()) return timer_.disarm();
  timer_.arm(first->second.until);
}

}  // namespace ballot::io
