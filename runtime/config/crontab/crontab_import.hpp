// Crontabs as job files: each line a job that ballot's own loader takes, or a finding at the line that says why not.
//
// Looks users up and whether their homes are there; reads no other file. Threads: one.
//
//   CrontabImport import("Europe/Paris", settings, now);
//   const ImportedCrontab sysstat = import.add({"/etc/cron.d/sysstat", CrontabForm::system, "", "sysstat"}, text);
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/crontab/crontab.hpp"
#include "config/crontab/crontab_names.hpp"
#include "config/job_file.hpp"

namespace ballot::config {

struct CrontabSource {
  std::string file;  // as findings show it
  CrontabForm form = CrontabForm::user;
  std::string user;    // whose crontab it is; "" in the system's form
  std::string prefix;  // of its jobs' names
  std::string note;    // how that was found out where nobody said it; "": somebody did
};

/// What a path says of a crontab: /etc/crontab and /etc/cron.d/NAME are the system's, what lies in the spool
/// (/var/spool/cron/crontabs/USER, /var/spool/cron/USER) is the user's whose name it has, all else is `invoker`'s.
/// None: cron does not read a file of such a name in cron.d.
std::optional<CrontabSource> crontab_at(const std::string& path, const std::string& invoker);

/// The same of one whose form is said.
CrontabSource system_crontab(const std::string& path);
CrontabSource user_crontab(const std::string& path, const std::string& user);

struct ImportedCrontab {
  std::string text;  // of the job file; "" where no line gave a job
  std::size_t jobs = 0;
  Diagnostics diagnostics;  // sorted; each error is a line, or a setting, that is not in `text`
};

class CrontabImport {
 public:
  /// `timezone` is that of the machine whose crontabs they are. Changes of its clocks are looked for from `now` on.
  CrontabImport(std::string timezone, JobSettings settings, WallTime now, RunOn run_on = RunOn::leader)
      : timezone_(std::move(timezone)), settings_(std::move(settings)), now_(now), run_on_(run_on) {}

  /// One after the other: no two jobs of them have one name.
  ImportedCrontab add(const CrontabSource& source, std::string_view text);

 private:
  std::optional<std::string> job_of(const CrontabEntry& entry, const CrontabSource& source, Findings& findings);
  std::optional<std::string> working_dir(const CrontabEntry& entry, const std::string& user, Position user_at,
                                         Findings& findings);
  bool is_loaded(const std::string& text, const CrontabSource& source, const CrontabEntry& entry, Findings& findings);
  void warn_of_clocks(const CrontabEntry& entry, const schedule::Definition& definition, Findings& findings);

  std::string timezone_;
  JobSettings settings_;
  WallTime now_;
  RunOn run_on_;
  Identities identities_;
  CrontabNames names_;
};

}  // namespace ballot::config
