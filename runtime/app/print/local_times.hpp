// LocalTimes: slots as a table shows them: in UTC, or, with --local-time, in each job's own zone. Of a job that is not
// loaded the zone is not known: UTC.
//
// Threads: the main one.
//
//   const LocalTimes times(TimeOption::local, config);
//   out.row({row.job, times.slot(row.job, row.slot)});
#pragma once

#include <map>
#include <string>

#include "app/print/format.hpp"
#include "config/config.hpp"
#include "config/job_set.hpp"
#include "zones/local_text.hpp"
#include "zones/time_zone.hpp"

namespace CLI {
class App;
}

namespace ballot::app {

enum class TimeOption { utc, local };

/// --local-time.
void add_time_option(CLI::App& command, TimeOption& to);

class LocalTimes {
 public:
  LocalTimes() = default;  // UTC
  /// Reads the job files where times are to be local.
  LocalTimes(TimeOption option, const config::Config& config);

  Cell slot(const std::string& job, WallTime at) const;

 private:
  std::map<std::string, zones::TimeZone, std::less<>> zones_;  // by job
};

/// For prose: in the zone of that name, then in UTC: "2025-03-09T08:00:00+01:00 (2025-03-09T07:00:00Z)". In UTC alone
/// where the zone is UTC, or unknown.
std::string slot_in_zone(WallTime at, const std::string& zone);

using zones::local_text;

}  // namespace ballot::app
