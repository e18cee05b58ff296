// One line of a crontab as `[job.NAME]` of a job file.
//
// The job does what cron did with the line: beside the last run and never late, whatever becomes of the group's leader;
// with cron's environment; and whatever it prints is mailed. docs/from-cron.md has the table. Pure.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "config/crontab/crontab.hpp"

namespace ballot::config {

/// What a line does not say.
struct CrontabJob {
  std::string name;
  std::string user;
  std::string timezone;     // of the machine
  std::string working_dir;  // "": the user's home
  RunOn run_on = RunOn::leader;
};

/// Its text, with a line's end; or why no job can do what the line does.
Result<std::string> crontab_job(const CrontabEntry& entry, const CrontabJob& job);

}  // namespace ballot::config
