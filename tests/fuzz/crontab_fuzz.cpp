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
  std::size_t jobs = 0;
  Identities identities;
  for (const ImportedFile& one : imported.files) {
    jobs += one.jobs;
    require(one.jobs > 0, "a file has jobs", one.text);
    const JobFile file = read_job_file(one.text, {"x.toml", 0}, settings, identities);
    require(!has_errors(file.diagnostics), "what is imported can be loaded", one.text);
    require(file.definitions.size() == one.jobs, "each job is in the file", one.text);
  }
  require(jobs <= crontab.entries.size(), "no job comes from nowhere");
}

}  // namespace

BALLOT_FUZZ(crontab) {
  import_crontab(input, system_crontab("/etc/cron.d/sample"));
  import_crontab(input, user_crontab("/var/spool/cron/crontabs/root", "root"));
}

}  // namespace ballot::fuzz::crontab_harness
