// ChainJobs: what is known, beside ledgers, of the jobs of a job's chain: of those that it comes `after`, up to the
// first ones, of itself, and of those that come after it. From job files; a daemon adds what it leads.
//
// Pure values.
//
//   facts.chain = chain_jobs(set, "load");
//   if (!facts.chain["extract"].facts) ...       // no job of that name is in force
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/job_set.hpp"
#include "library/held/pauses.hpp"
#include "library/why/why_detail.hpp"

namespace ballot::library {

/// Of the job, of all jobs that it waits for, and of those that wait for it.
ChainJobs chain_jobs(const config::JobSet& set, const std::string& job);

/// Those that wait for the job itself.
std::vector<std::string> children_of(const ChainJobs& chain, const std::string& job);

/// The last slot of the plan at or before `time`, also one that is left out; none: there is none, or the plan has an
/// `@every`, which counts from what its register says.
std::optional<WallTime> last_slot(const schedule::Plan& plan, WallTime time);

/// Why a job that has no slot by a schedule has none: "it has no schedule"; "" where it may have some.
std::string why_no_slots(const ChainJobs& chain, const std::string& job);

}  // namespace ballot::library
