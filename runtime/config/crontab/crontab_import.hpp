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
#include <vector>

#include "config/crontab/crontab.hpp"
#include "config/crontab/crontab_names.hpp"
#include "config/job_file.hpp"

namespace ballot::config {

/// The folder of users' crontabs in which a file lies; each cron wants other modes of its files.
enum class CrontabSpool {
  none,
  debian,  // /var/spool/cron/crontabs
  cronie   // /var/spool/cron
};

struct CrontabSource {
  std::string file;  // as findings show it
  CrontabForm form = CrontabForm::user;
  std::string user;    // whose crontab it is; "" in the system's form
  std::string prefix;  // of its jobs' names
  std::string note;    // how that was found out where nobody said it; "": somebody did
  CrontabSpool spool = CrontabSpool::none;
};

/// The crontab at a path: /etc/crontab and /etc/cron.d/NAME are the system's; a file of the spool
/// (/var/spool/cron/crontabs/USER, /var/spool/cron/USER) is that user's; any other file is `invoker`'s. Links on the
/// way to the file are followed. None: cron does not read a file of such a name in cron.d.
std::optional<CrontabSource> crontab_at(const std::string& path, const std::string& invoker);

/// A crontab of a form that the caller knows.
CrontabSource system_crontab(const std::string& path);
CrontabSource user_crontab(const std::string& path, const std::string& user);

struct ImportedFile {
  std::string text;
  std::size_t jobs = 0;
};

struct ImportedCrontab {
  std::vector<ImportedFile> files;  // of at most 1 MiB each, as a job file is; none where no line gave a job
  Diagnostics diagnostics;          // sorted; each error is a line, or a setting, that is in no file
  std::size_t mailing = 0;          // jobs whose output is mailed
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
  bool has_shell(const CrontabEntry& entry, Findings& findings);
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
