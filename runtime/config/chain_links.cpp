#include "config/chain_links.hpp"

#include <algorithm>
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

constexpr std::size_t deepest_chain = 64;

/// The names on a way from `from` back to `to`; none: there is no such way.
std::vector<std::string> way(const std::string& from, std::string_view to, const FindJob& find,
                             std::size_t left = deepest_chain) {
  if (from == to) return {from};
  const DefinitionPtr job = left > 0 ? find(common_name(from)) : nullptr;
  if (!job) return {};
  for (const std::string& next : job->job.details->after)
    if (auto rest = way(next, to, find, left - 1); !rest.empty()) {
      rest.insert(rest.begin(), from);
      return rest;
    }
  return {};
}

std::string fault_of(const Job& job, const std::string& name, const Job& parent, const FindJob& find) {
  const std::string named = in_quotes(common_name(name));
  if (parent.run_on != job.run_on)
    return "job " + named + " has another 'run_on': a chain runs where its jobs run, so they have the same";
  if (parent.group != job.group)
    return "job " + named + " is in group " + in_quotes(common_name(*parent.group)) + ", and this one in " +
           in_quotes(common_name(*job.group)) + ": the jobs of a chain are in one group";
  const auto circle = way(name, job.name, find);
  if (circle.empty()) return {};
  std::string text = "job " + named + " waits for this one";
  for (std::size_t i = 1; i + 1 < circle.size(); ++i)
    text += (i == 1 ? ", by way of " : ", ") + in_quotes(common_name(circle[i]));
  return text + ": jobs that wait for each other never begin";
}

/// Whose schedule a job without one has.
DefinitionPtr first_with_schedule(DefinitionPtr job, const FindJob& find) {
  for (std::size_t i = 0; job && i < deepest_chain && job->job.details->has_slots_of_first; ++i)
    job = find(common_name(job->job.details->after.front()));
  return job && !job->job.details->has_slots_of_first ? job : nullptr;
}

bool is_enabled(const Definition& job, const FindJob& find) {
  const Definition* at = &job;
  DefinitionPtr next;
  for (std::size_t i = 0; i < deepest_chain && at->job.details->has_slots_of_first; ++i) {
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
  Linked linked{job, "", 0};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const DefinitionPtr parent = find(common_name(after[i]));
    std::string fault = parent ? fault_of(job->job, after[i], parent->job, find)
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
