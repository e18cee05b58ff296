#include "library/leader_cache.hpp"

#include <utility>

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis leaders_patience{2000};
constexpr Millis leaders_lifetime{2000};  // a hand-over takes longer than that to be noticed by people

}  // namespace

Leaders leaders_of(const std::vector<Election>& elections) {
  Leaders leaders;
  for (const Election& election : elections)
    for (const Candidate& candidate : election.candidates)
      if (candidate.leads) leaders[election.group] = {candidate.node, election.epoch};
  return leaders;
}

void LeaderCache::ask(std::function<void(const LeadersPtr&)> then) {
  const SteadyTime now = io::read_clocks().steady;
  if (state_->known_at && now - *state_->known_at < leaders_lifetime) return then(state_->leaders);
  state_->waiting.push_back(std::move(then));
  if (state_->waiting.size() > 1) return;
  node_.observe(leaders_patience, "", [weak = std::weak_ptr(state_)](const std::vector<Election>& elections) {
    const auto state = weak.lock();
    if (!state) return;
    state->leaders = std::make_shared<const Leaders>(leaders_of(elections));
    if (!elections.empty()) state->known_at = io::read_clocks().steady;
    for (const auto& one : std::exchange(state->waiting, {})) one(state->leaders);
  });
}

}  // namespace ballot::library
