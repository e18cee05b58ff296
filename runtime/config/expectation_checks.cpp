// What is wrong with the keys of what a job is expected to keep, beside each of them alone.
#include <string>
#include <tuple>

#include "base/duration.hpp"
#include "config/job_keys.hpp"
#include "config/names.hpp"

namespace ballot::config {

void check_expectations(const toml::table& table, const JobDraft& job, Findings& findings) {
  const auto place_of = [&](const char* key) { return position_of(table.get(key)->source()); };
  const std::tuple<const char*, bool, const char*> hooks[] = {{"on_late", !job.on_late.empty(), "late_after"},
                                                              {"on_overdue", !job.on_overdue.empty(), "expect_success"},
                                                              {"on_slow", !job.on_slow.empty(), "expect_within"}};
  for (const auto& [hook, is_set, key] : hooks)
    if (is_set && table.get(key) == nullptr)
      findings.error(place_of(hook), in_quotes(hook) + " needs " + in_quotes(key) + ", which says when it is run");
  if (job.late_after > Millis(0) && job.schedule->empty() && !job.has_slots_of_first)
    findings.error(place_of("late_after"), "'late_after' needs a 'schedule': what somebody triggers is due at once");
  else if (job.late_after >= job.start_deadline)
    findings.warning(place_of("late_after"), "'late_after' is not shorter than 'start_deadline' (" +
                                                 format_duration(job.start_deadline) +
                                                 "): a slot that begins so late is missed, and never late");
  if (job.deadline && job.expect_within >= *job.deadline)
    findings.warning(place_of("expect_within"), "'expect_within' is not shorter than 'deadline' (" +
                                                    format_duration(*job.deadline) +
                                                    "), at which a run is ended: it never takes longer");
}

}  // namespace ballot::config
