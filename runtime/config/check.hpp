// What `ballot check FILE...` reads: files named by hand, of any name, mode and place.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "config/job_file.hpp"
#include "config/job_set.hpp"

namespace ballot::config {

struct Checked {
  Diagnostics diagnostics;                      // sorted
  std::size_t jobs = 0;                         // in files without errors
  std::vector<CalendarInForce> calendars = {};  // that jobs name
};

/// Everything wrong in each of the files, and the names that they define twice among them. Links are followed; who owns
/// a file and who may write to it is not asked. Calendars, and jobs that theirs come after, are also those of the other
/// job files in their folders and in `jobs_dir`, where one is named.
Checked check_job_files(std::span<const std::string> files, const JobSettings& settings,
                        const std::string& jobs_dir = "");

/// Of files of the folder `jobs_dir` that have errors: what is wrong with the jobs that theirs come after, which nobody
/// looks at before those are gone.
Diagnostics check_refused_chains(std::span<const std::string> files, const JobSettings& settings,
                                 const std::string& jobs_dir);

}  // namespace ballot::config
