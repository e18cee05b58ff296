#include "core/job/chain/chains.hpp"

#include <utility>

#include "core/job/job_machine.hpp"

namespace ballot::core {

const Chains::Links& Chains::of(const std::string& job) const {
  static const Links none;
  const auto it = links_.find(job);
  return it == links_.end() ? none : it->second;
}

void Chains::define(const JobMachine& job, Jobs parents) {
  const auto tidy = [this](const std::string& name) {
    const auto it = links_.find(name);
    if (it != links_.end() && it->second.parents.empty() && it->second.children.empty()) links_.erase(it);
  };
  const Jobs before = this->parents(job.name());
  if (before == parents) return;
  for (const JobMachine* parent : before) {
    std::erase(links_[parent->name()].children, &job);
    tidy(parent->name());
  }
  for (const JobMachine* parent : parents) links_[parent->name()].children.push_back(&job);
  links_[job.name()].parents = std::move(parents);
  tidy(job.name());
}

}  // namespace ballot::core
