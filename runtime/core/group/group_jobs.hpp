// What a group's machine does with the group's jobs: with those that are led in its term, or with all that concern it.
// A job that moves may leave the group, so each walks over a copy. Used inside core/group only.
#pragma once

#include <algorithm>
#include <vector>

#include "core/group/group_entry.hpp"
#include "core/jobs/jobs.hpp"

namespace ballot::core {

/// Those that this node leads in `term`.
template <class Do>
void for_each_led(const GroupContext& g, const Term& term, Do act) {
  for (JobEntry* entry : std::vector(g.entry.jobs.begin(), g.entry.jobs.end()))
    if (entry->machine.term() == &term) act(*entry);
}

template <class Is>
bool none_led(const GroupContext& g, const Term& term, Is is) {
  return std::none_of(g.entry.jobs.begin(), g.entry.jobs.end(),
                      [&](const JobEntry* entry) { return entry->machine.term() == &term && is(entry->machine); });
}

inline void advance_all(const GroupContext& g) {
  for (JobEntry* entry : std::vector(g.entry.jobs.begin(), g.entry.jobs.end())) g.jobs.advance(*entry);
}

}  // namespace ballot::core
