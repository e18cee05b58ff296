#include "library/why/chain_jobs.hpp"

#include <algorithm>

namespace ballot::library {
namespace {

schedule::DefinitionPtr find(const config::JobSet& set, const std::string& job) {
  const auto found = set.definitions.find(job);
  return found == set.definitions.end() ? nullptr : schedule::DefinitionPtr(*found);
}

bool comes_after(const schedule::Definition& job, const std::string& parent) {
  const auto& parents = job.job.details->after;
  return std::find(parents.begin(), parents.end(), parent) != parents.end();
}

}  // namespace

ChainJobs chain_jobs(const config::JobSet& set, const std::string& job) {
  ChainJobs all;
  std::vector<std::string> left{job};
  while (!left.empty()) {
    const std::string name = left.back();
    left.pop_back();
    const auto [at, is_new] = all.try_emplace(name, ChainJob{facts_of(find(set, name))});
    if (is_new && at->second.facts)
      left.insert(left.end(), at->second.facts->after.begin(), at->second.facts->after.end());
  }
  for (const auto& other : set.definitions)
    if (comes_after(*other, job)) all.try_emplace(other->job.name, ChainJob{facts_of(other)});
  return all;
}

std::vector<std::string> children_of(const ChainJobs& chain, const std::string& job) {
  std::vector<std::string> children;
  for (const auto& [name, one] : chain)
    if (one.facts && std::find(one.facts->after.begin(), one.facts->after.end(), job) != one.facts->after.end())
      children.push_back(name);
  return children;
}

/// next() ascends with what it is given, so the instant at which it jumps beyond `time` can be searched for.
std::optional<WallTime> last_slot(const schedule::Plan& plan, WallTime time) {
  if (!plan.everies().empty()) return std::nullopt;
  const auto slot_in = [&](WallTime after) {
    const auto slot = plan.next(after, {});
    return slot && slot->at <= time ? std::optional(slot->at) : std::nullopt;
  };
  constexpr Millis longest = std::chrono::years(40);  // a 29 February on a given weekday comes every 28
  Millis back = std::chrono::minutes(1);
  while (!slot_in(time - back)) {
    if (back >= longest) return std::nullopt;
    back = std::min(back * 4, longest);
  }
  WallTime before = time - back, past = time;  // a slot follows `before`, none follows `past`
  while (past - before > Millis(1)) {
    const WallTime middle = before + (past - before) / 2;
    (slot_in(middle) ? before : past) = middle;
  }
  return slot_in(before);
}

std::string why_no_slots(const ChainJobs& chain, const std::string& job) {
  std::string at = job, by;
  for (std::size_t i = 0; i <= chain.size(); ++i) {
    const auto found = chain.find(at);
    const std::string of = at == job ? "it" : "job " + at;
    if (found == chain.end() || !found->second.facts)
      return by + of + " is not in force: no job file defines it, or `ballot check` says what is wrong there";
    const JobFacts& facts = *found->second.facts;
    if (!facts.is_enabled) return by + of + " says enabled = false";
    if (facts.has_schedule && !facts.has_slots_of_first) return {};
    if (facts.after.empty()) return by + of + " has no schedule";
    if (!facts.has_slots_of_first) return {};
    at = facts.after.front();
    by += of + " has the slots of job " + at + ", and ";
  }
  return {};
}

}  // namespace ballot::library
