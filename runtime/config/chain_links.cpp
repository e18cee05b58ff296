#include "config/chain_links.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/instance.hpp"
#include "config/diagnostics.hpp"
#include "config/digest.hpp"
#include "schedule/after.hpp"

namespace ballot::config {
namespace {

using schedule::Definition;
using schedule::DefinitionPtr;

constexpr std::size_t longest_chain = 64;  // jobs

/// The jobs that one waits for, each once, the nearest first.
struct Upstream {
  std::map<std::string, std::string> next;  // by job: whom it is waited for by, on a shortest way
  bool returns = false;                     // the first one is waited for by one of the others
  bool is_too_long = false;
};

/// `length`: so long is the chain up to the first one.
Upstream upstream_of(const std::string& from, const FindJob& find, std::size_t length) {
  Upstream all;
  all.next[from];
  std::vector<std::string> layer{from};
  for (; !layer.empty(); ++length) {
    std::vector<std::string> further;
    for (const std::string& name : layer)
      if (const DefinitionPtr job = find(common_name(name)))
        for (const std::string& parent : job->job.details->after)
          if (all.returns = all.returns || parent == from; all.next.emplace(parent, name).second)
            further.push_back(parent);
    if (!further.empty() && length >= longest_chain) return all.is_too_long = true, all;
    layer = std::move(further);
  }
  return all;
}

/// `is_sound`: it is in no circle, and in no chain that is too long.
std::string fault_of(const Job& job, const std::string& name, const Job& parent, const FindJob& find, bool is_sound) {
  const std::string named = in_quotes(common_name(name));
  if (parent.run_on != job.run_on)
    return "job " + named + " has another 'run_on': a chain runs where its jobs run, so they have the same";
  if (parent.group != job.group)
    return "job " + named + " is in group " + in_quotes(common_name(*parent.group)) + ", and this one in " +
           in_quotes(common_name(*job.group)) + ": the jobs of a chain are in one group";
  if (is_sound) return {};
  const Upstream all = upstream_of(name, find, 2);
  if (!all.next.contains(job.name))
    return all.is_too_long
               ? "more than " + std::to_string(longest_chain) + " jobs wait for each other by way of " + named
               : std::string();
  std::vector<std::string> between;
  for (std::string at = all.next.at(job.name); !at.empty() && at != name; at = all.next.at(at))
    between.insert(between.begin(), in_quotes(common_name(at)));
  std::string text = "job " + named + " waits for this one";
  for (std::size_t i = 0; i < between.size(); ++i) text += (i == 0 ? ", by way of " : ", ") + between[i];
  return text + ": jobs that wait for each other never begin";
}

/// Whose schedule a job without one has.
DefinitionPtr first_with_schedule(DefinitionPtr job, const FindJob& find) {
  for (std::size_t i = 0; job && i < longest_chain && job->job.details->has_slots_of_first; ++i)
    job = find(common_name(job->job.details->after.front()));
  return job && !job->job.details->has_slots_of_first ? job : nullptr;
}

bool is_enabled(const Definition& job, const FindJob& find) {
  const Definition* at = &job;
  DefinitionPtr next;
  for (std::size_t i = 0; i < longest_chain && at->job.details->has_slots_of_first; ++i) {
    next = find(common_name(at->job.details->after.front()));
    if (!next || !next->job.enabled) return false;
    at = next.get();
  }
  return true;
}

/// The job with the slots of `first`; null: it has none.
DefinitionPtr with_slots_of(const Definition& job, const Definition* first) {
  Digest digest;
  digest.bytes(job.digest.text());
  auto made = std::make_shared<Definition>(job);
  if (first) {
    std::vector<std::string> schedule = *first->job.schedule;
    for (std::string& one : schedule) one = schedule::without_hash(one, *first->job.group, first->job.name);
    digest.put(schedule), digest.put(*first->job.timezone), digest.put(*first->job.details->days);
    for (const auto& bound : {first->job.not_before, first->job.not_after})
      digest.bytes(bound ? std::to_string(bound->time_since_epoch().count()) : "-");
    made->job.schedule = std::move(schedule);
    made->job.timezone = first->job.timezone;
    made->job.not_before = first->job.not_before;
    made->job.not_after = first->job.not_after;
    made->job.details.edit().days = first->job.details->days;
    made->plan = first->plan;
  }
  made->digest = DigestText(digest.hex());
  return made;
}

}  // namespace

Linked link_job(const DefinitionPtr& job, const FindJob& find) {
  const std::vector<std::string>& after = job->job.details->after;
  if (after.empty()) return {job, "", 0};
  const Upstream all = upstream_of(job->job.name, find, 1);
  const bool is_sound = !all.returns && !all.is_too_long;
  Linked linked{job, "", 0};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const DefinitionPtr parent = find(common_name(after[i]));
    std::string fault = parent ? fault_of(job->job, after[i], parent->job, find, is_sound)
                               : "no job file defines job " + in_quotes(common_name(after[i])) +
                                     ", after which this one comes: none of its slots can begin";
    if (fault.empty()) continue;
    if (linked.fault.empty()) linked.fault = std::move(fault), linked.name = i;
    if (!parent) continue;
    linked.definition = nullptr;
    return linked;
  }
  if (!job->job.details->has_slots_of_first) return linked;
  const DefinitionPtr first = is_enabled(*job, find) ? first_with_schedule(job, find) : nullptr;
  if (first && first->plan.on_reboot())
    return {nullptr,
            "job " + in_quotes(common_name(first->job.name)) +
                " has '@reboot', whose slots are each node's own: give this one a 'schedule' of its own",
            0};
  linked.definition = with_slots_of(*job, first.get());
  return linked;
}

}  // namespace ballot::config
