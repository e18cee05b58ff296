// JobSet: all jobs and groups that are in force, and what became of them since.
#pragma once

#include <absl/container/btree_set.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.hpp"
#include "schedule/day_set.hpp"
#include "schedule/definition.hpp"

namespace ballot::config {

struct ByJobName {
  using is_transparent = void;
  using Ptr = schedule::DefinitionPtr;
  bool operator()(const Ptr& a, const Ptr& b) const { return a->job.name < b->job.name; }
  bool operator()(const Ptr& a, std::string_view name) const { return a->job.name < name; }
  bool operator()(std::string_view name, const Ptr& b) const { return name < b->job.name; }
};

/// A calendar that jobs name.
struct CalendarInForce {
  std::string name, file;
  Position position;
  std::optional<schedule::local_days> last_date;  // of its dates, beside what it has of every year and week; none: none
};

/// Calendars whose last date is over, or is so soon that somebody should write the next ones: a warning each.
Diagnostics fading(const std::vector<CalendarInForce>& calendars, WallTime now);

struct JobSet {
  absl::btree_set<schedule::DefinitionPtr, ByJobName> definitions;  // definitions.find("nightly")
  std::map<std::string, Group, std::less<>> groups;                 // those with a [group.NAME]; a job may name others
  std::vector<CalendarInForce> calendars;                           // by name
  Diagnostics diagnostics;                                          // of everything as it lies there now, sorted
};

/// Each group with a [group.NAME], and those of this node's instances: of what GROUP says, GROUP@NODE has
/// `max_running`.
std::vector<Group> groups_in_force(const JobSet& set);

/// What a reload did to a JobSet. A definition that says the same as before (digest and identity) is not mentioned, and
/// the same object stays in the set.
struct Changes {
  std::vector<schedule::DefinitionPtr> added, changed, removed;  // by name; of a changed one the new
  bool groups = false;
  bool diagnostics = false;
  std::size_t rewritten = 0;  // files in force whose text has changed, also where no job has
  /// Nothing is to be done.
  bool empty() const { return added.empty() && changed.empty() && removed.empty() && !groups && !diagnostics; }
};

}  // namespace ballot::config
