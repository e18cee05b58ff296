// Crontabs, of users and of the system, and the job files that are made of them.
#include "config/crontab/crontab_import.hpp"
#include "diagnostics.hpp"
#include "harness.hpp"

namespace ballot::fuzz::crontab_harness {
namespace {

using namespace config;

void import_crontab(std::string_view input, const CrontabSource& source) {
  const Crontab crontab = read_crontab(input, source.file, source.form);
  look_at(crontab.diagnostics, input);
  for (const CrontabEntry& entry : crontab.entries)
    require(entry.command.find_first_of(std::string_view("\n\0", 2)) == std::string::npos, "a command is one line",
            entry.command);
  JobSettings settings;
  settings.daemon = 0;
  CrontabImport import("Europe/Paris", settings, WallTime(std::chrono::sys_days(std::chrono::year(2025) / 3 / 1)));
  const ImportedCrontab imported = import.add(source, input);
  look_at(imported.diagnostics, input);
  require(imported.jobs <= crontab.entries.size(), "no job comes from nowhere");
  require(imported.text.empty() == (imported.jobs == 0), "there is a file where there are jobs");
  if (imported.jobs == 0) return;
  Identities identities;
  const JobFile file = read_job_file(imported.text, {"x.toml", 0}, settings, identities);
  require(!has_errors(file.diagnostics), "what is imported can be loaded", imported.text);
  require(file.definitions.size() == imported.jobs, "each job is in the file", imported.text);
}

}  // namespace

BALLOT_FUZZ(crontab) {
  import_crontab(input, system_crontab("/etc/cron.d/sample"));
  import_crontab(input, user_crontab("/var/spool/cron/crontabs/root", "root"));
}

}  // namespace ballot::fuzz::crontab_harness
