// Names for the jobs of a crontab, made of their commands: `test -x /usr/bin/x || { cd / && run-parts /etc/cron.daily;
// }` is `run-parts-cron-daily`.
//
// The same crontab gives the same names. Of lines whose commands give one name the first has it, and the others have a
// hash of their command behind it, so that lines that come, go or are sorted anew rename as few as can be. Pure.
//
//   CrontabNames names;
//   names.add("alice", "~/bin/backup.sh --all", "0 2 * * *")   // "alice-backup"
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ballot::config {

class CrontabNames {
 public:
  /// The name of a line's job. Requires: called in the order of the lines. An empty prefix, or one with which the name
  /// begins anyway, is left out.
  std::string add(std::string_view prefix, std::string_view command, std::string_view schedule);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace ballot::config
