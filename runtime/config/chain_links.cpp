#include "config/chain_links.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/instance.hpp"
#include "config/digest.hpp"
#include "schedule/after.hpp"

namespace ballot::config {
namespace {

using schedule::Definition;
using schedule::DefinitionPtr;

constexpr std::size_t longest_chain = 64;    // jobs
constexpr std::size_t most_looked_at = 200;  // for the way around a circle, which a finding names

/// Of a job that waits for itself the others, from the parent `name` on, on a shortest way; empty: that is a long one.
std::vector<std::string> way_around(const Job& job, const std::string& name, ChainSurvey& survey) {
  std::map<std::string, std::string> after{{name, ""}};  // by job: whom it is waited for by
  std::vector<std::string> layer{name};
  while (!layer.empty() && !after.contains(job.name) && after.size() < most_looked_at) {
    std::vector<std::string> further;
    for (const std::string& one : layer)
      if (const DefinitionPtr& definition = survey.job(common_name(one)))
        for (const std::string& parent : definition->job.details->after)
          if (after.emplace(parent, one).second) further.push_back(parent);
    layer = std::move(further);
  }
  std::vector<std::string> way;
  if (!after.contains(job.name)) return way;
  for (std::string at = after.at(job.name); !at.empty(); at = after.at(at)) way.insert(way.begin(), at);
  return way;
}

std::string circle_text(const Job& job, const std::string& name, ChainSurvey& survey) {
  std::string text = "job " + in_quotes(common_name(name)) + " waits for this one";
  const std::vector<std::string> way = way_around(job, name, survey);
  for (std::size_t i = 1; i < way.size(); ++i)
    text += (i == 1 ? ", by way of " : ", ") + in_quotes(common_name(way[i]));
  if (way.empty() && name != job.name) text += ", by way of others";
  return text + ": jobs that wait for each other never begin";
}

/// Two that are in circles are in one, where one of them waits for the other and is waited for by it.
bool is_waited_for_by(const Job& job, const std::string& name, ChainSurvey& survey) {
  return name == job.name || survey.are_in_one_circle(common_name(name), common_name(job.name));
}

std::string fault_of(const Job& job, const std::string& name, const Job& parent, ChainSurvey& survey) {
  const std::string named = in_quotes(common_name(name));
  if (parent.run_on != job.run_on)
    return "job " + named + " has another 'run_on': a chain runs where its jobs run, so they have the same";
  if (parent.group != job.group)
    return "job " + named + " is in group " + in_quotes(common_name(*parent.group)) + ", and this one in " +
           in_quotes(common_name(*job.group)) + ": the jobs of a chain are in one group";
  if (is_waited_for_by(job, name, survey)) return circle_text(job, name, survey);
  if (survey.of(common_name(name)).row >= longest_chain)
    return "more than " + std::to_string(longest_chain) + " jobs wait for each other by way of " + named;
  return {};
}

/// Of a job that has slots a parent that has none: what it waits for never comes.
std::string remark_on(const Job& job, const std::string& name, ChainSurvey& survey) {
  const auto has_slots = [](const ChainSurvey::Place& one) {
    return one.is_enabled && one.first && !one.first->plan.empty();
  };
  const ChainSurvey::Place& parent = survey.of(common_name(name));
  if (!job.enabled || !has_slots(survey.of(common_name(job.name))) || has_slots(parent)) return {};
  return "job " + in_quotes(common_name(name)) +
         (parent.job->job.enabled ? " has no slots, as it has no schedule" : " is disabled") +
         ": until one of its slots has ended those of this job wait, and of them at most 8 are kept, the others "
         "skipped";
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

Linked link_job(const DefinitionPtr& job, ChainSurvey& survey) {
  const std::vector<std::string>& after = job->job.details->after;
  Linked linked{job};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const DefinitionPtr& parent = survey.job(common_name(after[i]));
    std::string fault = parent ? fault_of(job->job, after[i], parent->job, survey)
                               : "no job file defines job " + in_quotes(common_name(after[i])) +
                                     ", after which this one comes: none of its slots can begin";
    const bool is_fault = !fault.empty();
    if (!is_fault) fault = remark_on(job->job, after[i], survey);
    if (!fault.empty() && (linked.fault.empty() || (is_fault && linked.severity == Severity::warning)))
      linked.fault = std::move(fault), linked.name = i,
      linked.severity = is_fault ? Severity::error : Severity::warning;
    if (!is_fault || !parent) continue;
    linked.definition = nullptr;
    return linked;
  }
  if (!job->job.details->has_slots_of_first) return linked;
  const ChainSurvey::Place& place = survey.of(common_name(after.front()));
  const DefinitionPtr first = place.is_enabled ? place.first : nullptr;
  if (first && first->plan.on_reboot())
    return {nullptr, "job " + in_quotes(common_name(first->job.name)) +
                         " has '@reboot', whose slots are each node's own: give this one a 'schedule' of its own"};
  linked.definition = with_slots_of(*job, first.get());
  return linked;
}

}  // namespace ballot::config
