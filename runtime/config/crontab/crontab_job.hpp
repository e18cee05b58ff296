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

/// The properties of a job that its line does not have.
struct CrontabJob {
  std::string name;
  std::string user;
  std::string timezone;     // of the machine
  std::string working_dir;  // "": the user's home
  RunOn run_on = RunOn::leader;
};

/// The table of the job, which ends with a newline; or the reason why no job can do the same as the line.
Result<std::string> crontab_job(const CrontabEntry& entry, const CrontabJob& job);

}  // namespace ballot::config
