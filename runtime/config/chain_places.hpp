// ChainPlaces: where jobs that come after others name these, over all files, and what is wrong with such a name.
//
//   places.put(file, "load", {{3, 10}});
//   places.begin_pass(find_in(jobs));
//   definition = places.link("load", claim, shown_name);   // null, and a finding: it cannot be in force
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

/// The definition that counts of each name. `jobs` outlives it.
inline FindJob find_in(const Claims<schedule::DefinitionPtr>& jobs) {
  return [&jobs](std::string_view name) {
    const auto [first, last] = jobs.on(name);
    return first == last ? nullptr : first->what;
  };
}

class ChainPlaces {
 public:
  void put(std::string_view file, const std::string& job, std::vector<Position> places);
  void remove(std::string_view file, std::string_view job);
  /// What files say has changed. Returns the jobs that come after others, which any edit may concern; some twice.
  std::vector<std::string> begin_pass(FindJob find);
  void end_pass() { survey_ = ChainSurvey(FindJob()); }

  /// In a pass: the definition that counts, put together with the jobs that it comes after. What was found of it before
  /// is forgotten. `shown`: how findings name a file.
  schedule::DefinitionPtr link(const std::string& job, const Claim<schedule::DefinitionPtr>& claim,
                               const std::function<std::string(std::string_view file)>& shown);
  void forget_findings(const std::string& job) { findings_.erase(job); }
  const std::map<std::string, Diagnostics, std::less<>>& findings() const { return findings_; }

 private:
  ChainSurvey survey_{FindJob()};                                                // of this pass
  std::map<std::pair<std::string, std::string>, std::vector<Position>> places_;  // by file and job
  std::map<std::string, Diagnostics, std::less<>> findings_;                     // by job
};

}  // namespace ballot::config
