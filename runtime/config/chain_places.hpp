// ChainPlaces: where jobs that come after others name these, over all files, and what is wrong with such a name.
//
//   places.put(file, "load", {{3, 10}});
//   definition = places.link("load", claim, jobs, shown_name);   // null, and a finding: it cannot be in force
//
// Knows nothing of files but their names. Used by JobsDir.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/chain_links.hpp"
#include "config/claims.hpp"
#include "config/diagnostics.hpp"

namespace ballot::config {

using JobClaims = Claims<schedule::DefinitionPtr>;

/// The definition that counts of each name. `jobs` outlives it.
inline FindJob find_in(const Claims<schedule::DefinitionPtr>& jobs) {
  return [&jobs](std::string_view name) {
    const auto [first, last] = jobs.on(name);
    return first == last ? nullptr : first->what;
  };
}

/// Names of jobs in files that have errors, each with its file as findings show it.
using BrokenJobs = std::map<std::string, std::string, std::less<>>;

/// What is said of the fault beside it, of a name that no job has: which job may be meant, or where it is written.
std::string with_hint(const Linked& linked, const JobClaims& jobs, const BrokenJobs& broken);

class ChainPlaces {
 public:
  void put(std::string_view file, const std::string& job, std::vector<Position> places);
  void remove(std::string_view file, std::string_view job);
  /// The jobs that a file names which has errors; none: it has none any more. `shown`: the file, as findings show it.
  void put_broken(const std::string& shown, const std::vector<std::string>& jobs);
  /// The jobs that come after others: any edit may concern them. Some twice.
  std::vector<std::string> jobs() const;

  /// The definition that counts, put together with the jobs that it comes after. What was found of it before is
  /// forgotten. `file`: as findings show it.
  schedule::DefinitionPtr link(const std::string& job, const Claim<schedule::DefinitionPtr>& claim,
                               const JobClaims& jobs, const std::string& file);
  void forget_findings(const std::string& job) { findings_.erase(job); }
  const std::map<std::string, Diagnostics, std::less<>>& findings() const { return findings_; }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Position>> places_;  // by file and job
  std::map<std::string, Diagnostics, std::less<>> findings_;                     // by job
  BrokenJobs broken_;
};

}  // namespace ballot::config
