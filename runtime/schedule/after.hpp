// After: which jobs a job comes after, as a ledger's definitions have it: one more of its schedules.
//
//   @after extract,clean succeeded        its slots wait for theirs
//   @after extract succeeded, as extract  and its slots are those of the first
//
// A release that does not know it takes the job's expressions for unknown, and judges none of its rows.
//
// Pure values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/job.hpp"

namespace ballot::schedule {

struct After {
  std::vector<std::string> jobs;
  AfterStatus status = AfterStatus::succeeded;
  bool has_slots_of_first = false;
  bool operator==(const After&) const = default;
};

std::string_view to_string(AfterStatus status);

/// Nothing where it comes after none.
std::optional<After> after_of(const Job& job);
std::string to_text(const After& after);
/// None: it is another schedule, or of a newer version.
std::optional<After> parse_after(std::string_view text);
/// The After among a definition's schedules; none: the job comes after no other.
std::optional<After> find_after(const std::vector<std::string>& schedules);

/// An expression in which `H` has been replaced by what it picks for a job, so that another job may have the same.
/// Requires: one that parses.
std::string without_hash(std::string_view expression, std::string_view group, std::string_view job);

}  // namespace ballot::schedule
