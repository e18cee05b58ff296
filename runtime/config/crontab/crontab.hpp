// Crontab: what a crontab says, line by line, or what is wrong with a line. Of a user (`crontab -l`), or of the system
// (/etc/crontab, /etc/cron.d), where a column names the user.
//
// Reads as Debian's cron does, but for one thing: a line at fault is a finding, and the others count; cron would ignore
// the whole crontab. Knows nothing of users and jobs. Pure. Threads: one.
//
//   const Crontab crontab = read_crontab(text, "/etc/crontab", CrontabForm::system);
//   for (const CrontabEntry& entry : crontab.entries) ...
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.hpp"

namespace ballot::config {

enum class CrontabForm { user, system };

/// One command and its times.
struct CrontabEntry {
  Position at;           // of the times
  std::string schedule;  // as a job file has it
  std::string user;      // the column's; "" in a user's crontab
  Position user_at;
  std::string command;                          // as the shell gets it
  std::string input;                            // as the command finds it on its standard input
  std::map<std::string, std::string> settings;  // NAME = VALUE of the lines above it
};

struct Crontab {
  std::vector<CrontabEntry> entries;
  Diagnostics diagnostics;
};

Crontab read_crontab(std::string_view text, std::string_view file, CrontabForm form);

}  // namespace ballot::config
