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

/// What is wrong with a name of the job that keeps it from being in force; "": nothing.
std::string fault_in(const Job& job, const FindJob& find) {
  const Upstream all = upstream_of(job.name, find, 1);
  const bool is_sound = !all.returns && !all.is_too_long;
  for (const std::string& name : job.details->after)
    if (const DefinitionPtr parent = find(common_name(name)))
      if (std::string fault = fault_of(job, name, parent->job, find, is_sound); !fault.empty()) return fault;
  return {};
}

/// Why no slot of the job is due by a schedule, by way of whose slots it has: "" where some may be.
std::string why_no_slots(const Definition& job, const FindJob& find) {
  DefinitionPtr at;
  const Definition* of = &job;
  for (std::size_t i = 0; i < longest_chain; ++i) {
    const std::string by = of == &job ? "it" : "job " + in_quotes(common_name(of->job.name));
    if (!of->job.enabled) return by + " says enabled = false";
    if (!of->job.details->has_slots_of_first) return of->job.schedule->empty() ? by + " has no schedule" : "";
    at = find(common_name(of->job.details->after.front()));
    if (!at) return {};  // an error of its own
    of = at.get();
  }
  return {};
}

/// The job is in force, and its slots will not begin, or it has none, for what another one's file says.
void warn_of_slots_that_never_come(const Definition& job, const FindJob& find, Linked& linked) {
  const std::vector<std::string>& after = job.job.details->after;
  if (!job.job.enabled) return;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const DefinitionPtr parent = find(common_name(after[i]));
    const std::string why = parent ? why_no_slots(*parent, find) : "";
    const bool is_whose = i == 0 && job.job.details->has_slots_of_first;
    if (why.empty() || (is_whose && why.ends_with("has no schedule"))) continue;  // both run by trigger
    const std::string named = "job " + in_quotes(common_name(after[i]));
    linked.fault = is_whose ? "this job has the slots of " + named + ", and has none: " + why
                            : named + ", after which this one comes, has no slots: " + why +
                                  ". So those of this job wait for it, and are missed at their start_deadline";
    linked.name = i;
    linked.is_warning = true;
    return;
  }
}

}  // namespace

Linked link_job(const DefinitionPtr& job, const FindJob& find) {
  const std::vector<std::string>& after = job->job.details->after;
  if (after.empty()) return {job, "", 0};
  const Upstream all = upstream_of(job->job.name, find, 1);
  const bool is_sound = !all.returns && !all.is_too_long;
  constexpr const char* unable = ", after which this one comes: none of its slots can begin";
  Linked linked{job, "", 0};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const DefinitionPtr parent = find(common_name(after[i]));
    const std::string named = "job " + in_quotes(common_name(after[i]));
    std::string fault =
        parent ? fault_of(job->job, after[i], parent->job, find, is_sound) : "no job file defines " + named + unable;
    const std::string of_parent = parent && fault.empty() ? fault_in(parent->job, find) : "";
    if (!of_parent.empty()) fault = named + unable + ", as it is not in force itself: " + of_parent;
    if (fault.empty()) continue;
    if (linked.fault.empty()) {
      linked.fault = std::move(fault), linked.name = i;
      if (!parent) linked.unknown = common_name(after[i]);
    }
    if (!parent || !of_parent.empty()) continue;
    linked.definition = nullptr;
    return linked;
  }
  if (linked.fault.empty()) warn_of_slots_that_never_come(*job, find, linked);
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
