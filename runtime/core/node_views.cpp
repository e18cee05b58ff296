#include "core/node_views.hpp"

#include <algorithm>

#include "core/jobs/job_table.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t jobs_named = 5;

/// The register, as this node has read it last, has another definition: that of whoever leads the job.
bool differs_from_register(const JobMachine& job) {
  const JobRegister* const known = job.known_register();
  return known && job.definition() && !known->released && known->definition != job.definition()->digest;
}

}  // namespace

std::vector<PeerView> NodeViews::peers() const {
  std::vector<PeerView> views;
  for (const auto& [session, peer] : directory_.peers().all()) {
    PeerView view{peer.node, session, peer.unfit, peer.at};
    view.alive = peer.alive;
    view.troubles = peer.troubles;
    view.is_missed = peer.life == Peers::Peer::Life::gone;
    for (const auto& [name, group] : groups_.all())
      if (group.is_wanted() && peer.takes_part(group.settings)) {
        view.is_candidate = true;
        break;
      }
    views.push_back(view);
  }
  return views;
}

std::vector<DriftView> NodeViews::drifts() const {
  std::vector<DriftView> views;
  for (const auto& [name, group] : groups_.all()) {
    if (group.drift.empty()) continue;
    views.push_back({name, directory_.peers().odd_ones(group.settings, group.content(), node_), group.drift,
                     differing_jobs(group), directory_.peers().alike(group.settings, group.content())});
  }
  return views;
}

/// Digests of groups do not say which job differs, but for one that a node does not have at all.
std::vector<std::string> NodeViews::differing_jobs(const GroupEntry& group) const {
  std::vector<std::string> jobs;
  for (const JobEntry* job : group.jobs) {
    if (jobs.size() == jobs_named) break;
    const auto& definition = job->machine.definition();
    if (!definition) continue;
    const std::uint64_t without = group.content_without(job_digest(job->machine.name(), definition->digest.text()));
    const bool is_missing = directory_.peers().have_digest(group.settings, without);
    if (is_missing || differs_from_register(job->machine)) jobs.push_back(job->machine.name());
  }
  return jobs;
}

}  // namespace ballot::core
