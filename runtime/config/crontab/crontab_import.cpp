#include "config/crontab/crontab_import.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/utf8.hpp"
#include "base/wall_text.hpp"
#include "config/crontab/clock_change.hpp"
#include "config/crontab/crontab_job.hpp"
#include "config/names.hpp"
#include "config/presence.hpp"
#include "config/text_check.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view head_of_file =
    "# Each job does what cron did with the line. These keys make it so; docs/from-cron.md says which to take out "
    "later:\n"
    "#   concurrency = \"allow\"            starts although its last run has not ended\n"
    "#   misfire = \"skip\"                 makes up for nothing\n"
    "#   on_leadership_lost = \"finish\"    ends no run that has begun\n"
    "#   background = \"leave\"             ends nothing that the command has left behind\n";

/// Whether cron reads a file of this name in cron.d.
bool is_name_for_cron(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

/// A path as it is written into a comment: UTF-8, on one line.
std::string in_a_comment(std::string_view path) {
  std::string text = valid_utf8(path);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }, '?');
  return text;
}

/// The absolute path of a file's folder, without links, "." and "..".
std::string folder_of(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto folder = std::filesystem::weakly_canonical(absolute.parent_path(), error);
  return error ? std::string() : folder.string();
}

CrontabSpool spool_of(const std::string& folder) {
  if (folder == "/var/spool/cron/crontabs") return CrontabSpool::debian;
  return folder == "/var/spool/cron" ? CrontabSpool::cronie : CrontabSpool::none;
}

bool is_missing(const std::string& folder) {
  std::error_code error;
  return !std::filesystem::is_directory(folder, error) && (!error || error == std::errc::no_such_file_or_directory);
}

}  // namespace

CrontabSource system_crontab(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  return {path, CrontabForm::system, "", name == "crontab" ? "" : name, "", CrontabSpool::none};
}

CrontabSource user_crontab(const std::string& path, const std::string& user) {
  return {path, CrontabForm::user, user, user, "", spool_of(folder_of(path))};
}

std::optional<CrontabSource> crontab_at(const std::string& path, const std::string& invoker) {
  const std::string folder = folder_of(path), name = std::filesystem::path(path).filename();
  CrontabSource source = system_crontab(path);
  source.note = "read as a crontab of the system, with a column for the user; --user NAME says otherwise";
  if (folder == "/etc" && name == "crontab") return source;
  if (folder == "/etc/cron.d") return is_name_for_cron(name) ? std::optional(source) : std::nullopt;
  const bool in_spool = spool_of(folder) != CrontabSpool::none;
  source = user_crontab(path, in_spool ? name : invoker);
  source.note = "read as the crontab of " + source.user + (in_spool ? ", whose name it has" : ", who runs this") +
                "; --user NAME or --system says otherwise";
  return source;
}

ImportedCrontab CrontabImport::add(const CrontabSource& source, std::string_view text) {
  Crontab crontab = read_crontab(text, source.file, source.form);
  ImportedCrontab imported{{}, std::move(crontab.diagnostics)};
  const std::string head =
      "# From " + in_a_comment(source.file) + ", by `ballot import crontab`.\n" + std::string(head_of_file);
  Findings findings(source.file, imported.diagnostics);
  for (const CrontabEntry& entry : crontab.entries) {
    const auto job = job_of(entry, source, findings);
    if (!job) continue;
    const std::string part = "\n# line " + std::to_string(entry.at.line) + "\n" + *job;
    if (head.size() + part.size() > largest_file) {
      findings.error(entry.at, "its job, with the settings above the line, is larger than a job file may be, 1 MiB");
      continue;
    }
    if (imported.files.empty() || imported.files.back().text.size() + part.size() > largest_file)
      imported.files.push_back({head, 0});
    imported.files.back().text += part;
    ++imported.files.back().jobs;
    if (job->find("\nmail_to ") != std::string::npos) ++imported.mailing;
  }
  sort(imported.diagnostics);
  return imported;
}

/// The text of a line's job. The name of a refused line is taken too, so that mending the line renames no other job.
std::optional<std::string> CrontabImport::job_of(const CrontabEntry& entry, const CrontabSource& source,
                                                 Findings& findings) {
  CrontabJob job{names_.add(source.prefix, entry.command, entry.schedule),
                 source.form == CrontabForm::system ? entry.user : source.user, timezone_, "", run_on_};
  const auto folder =
      working_dir(entry, job.user, source.form == CrontabForm::system ? entry.user_at : entry.at, findings);
  if (!folder) return std::nullopt;
  job.working_dir = *folder;
  if (!has_shell(entry, findings)) return std::nullopt;
  auto text = crontab_job(entry, job);
  if (!text) return findings.error(entry.at, text.error().what), std::nullopt;
  if (!is_loaded(*text, source, entry, findings)) return std::nullopt;
  return *std::move(text);
}

/// The working folder of a job; "": the user's home. A job whose home is missing runs in `/`; cron runs the line in a
/// folder of its own.
std::optional<std::string> CrontabImport::working_dir(const CrontabEntry& entry, const std::string& user,
                                                      Position user_at, Findings& findings) {
  const auto& identity = identities_.user(user);
  if (!identity) {
    findings.error(user_at, identity.error().what + "; import on a machine that has the user, or mend the line");
    return std::nullopt;
  }
  const auto set = entry.settings.find("HOME");
  const std::string home = set != entry.settings.end() ? set->second : (*identity)->home;
  if (!home.starts_with('/') || !is_missing(home)) return "";
  findings.warning(user_at, "the home " + in_quotes(home) +
                                " is not there: the job runs in /, as cron runs it in a folder of its own");
  return "/";
}

/// Whether SHELL is an executable program. Cron executes its whole value as one path, so a line with a missing SHELL
/// has never run.
bool CrontabImport::has_shell(const CrontabEntry& entry, Findings& findings) {
  const auto set = entry.settings.find("SHELL");
  if (set == entry.settings.end() || !set->second.starts_with('/')) return true;  // what is no path is refused later
  const std::string& shell = set->second;
  const std::string absent = program_absence(shell, "");
  if (absent.empty()) return true;
  const std::size_t blank = shell.find_first_of(" \t");
  findings.error(entry.at, "SHELL: " + absent + ", so cron has run no line with it; " +
                               (blank == std::string::npos
                                    ? "write the path of a shell that this machine has"
                                    : "write SHELL=" + shell.substr(0, blank) +
                                          ": cron takes the blank and what is behind it for a part of the path"));
  return false;
}

/// Whether the loader accepts the job's text. Its findings are reported at the line.
bool CrontabImport::is_loaded(const std::string& text, const CrontabSource& source, const CrontabEntry& entry,
                              Findings& findings) {
  const JobFile file = read_job_file(text, {source.file, std::nullopt}, settings_, identities_);
  for (const Diagnostic& found : file.diagnostics)
    found.severity == Severity::error ? findings.error(entry.at, found.message)
                                      : findings.warning(entry.at, found.message);
  for (const auto& [definition, position] : file.definitions) warn_of_clocks(entry, *definition, findings);
  return !has_errors(file.diagnostics);
}

void CrontabImport::warn_of_clocks(const CrontabEntry& entry, const schedule::Definition& definition,
                                   Findings& findings) {
  const auto zone = zones::TimeZone::load(definition.job.timezone);
  const auto change = zone ? find_clock_change(entry.schedule, definition.plan, *zone, now_) : std::nullopt;
  if (!change) return;
  const auto times = [](std::size_t count) { return std::to_string(count) + (count == 1 ? " time" : " times"); };
  findings.warning(entry.at, "where the clocks change, next at " + format_seconds(change->at) + ", cron starts it " +
                                 times(change->by_cron) + ", and the job runs " + times(change->by_job) +
                                 "; docs/from-cron.md says why");
}

}  // namespace ballot::config
