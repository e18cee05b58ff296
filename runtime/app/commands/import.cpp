// ballot import crontab FILE...: job files that do what cron did with the crontabs, on stdout or in a folder.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/jobs/new_file.hpp"
#include "app/options/options.hpp"
#include "app/options/places.hpp"
#include "app/print/escape.hpp"
#include "config/crontab/crontab_file.hpp"
#include "config/crontab/crontab_import.hpp"
#include "config/names.hpp"
#include "config/presence.hpp"
#include "config/text_file.hpp"
#include "config/words.hpp"
#include "io/clocks.hpp"
#include "library/settings.hpp"
#include "zones/time_zone.hpp"

namespace ballot::app {
namespace {

struct ImportOptions {
  ConfigOptions config;
  std::vector<std::string> files;
  bool system = false;
  RunOn run_on = RunOn::leader;
  std::optional<std::string> user, timezone, folder;
};

/// The result of the whole import.
struct ImportOutcome {
  bool has_refused = false;  // a line, or a file that cannot be read
  bool has_failed = false;   // to write a file

  Exit exit() const { return has_failed ? Exit::failed : has_refused ? Exit::configuration : Exit::done; }
};

void print_note(const std::string& text) { std::cerr << "ballot import: " << escaped(text, Escape::plain) << '\n'; }

Exit misused_import(const std::string& text) {
  print_note(text + "; see `ballot import crontab --help`");
  return Exit::usage;
}

/// The time zone of this machine, as /etc/localtime or /etc/timezone names it; "": neither does.
std::string machine_timezone() {
  std::error_code ignored;
  const std::string link = std::filesystem::read_symlink("/etc/localtime", ignored);
  constexpr std::string_view zones = "/zoneinfo/";
  if (const std::size_t at = link.find(zones); at != std::string::npos) return link.substr(at + zones.size());
  std::string text;
  if (!config::read_text_file("/etc/timezone", text)) return {};
  return text.substr(0, text.find_first_of(" \t\n"));
}

/// The time zone of the crontabs. None: there is no such zone; stderr has the reason.
std::optional<std::string> timezone_of(const ImportOptions& options) {
  const std::string name = options.timezone ? *options.timezone : machine_timezone();
  const auto zone = zones::TimeZone::load(name);
  if (zone) return name;
  print_note(options.timezone
                 ? "--timezone: " + zone.error().what
                 : "neither /etc/localtime nor /etc/timezone names this machine's zone; name it with --timezone");
  return std::nullopt;
}

/// The form and the user of a crontab. None: cron does not read a file of that name.
std::optional<config::CrontabSource> source_of(const std::string& file, const ImportOptions& options,
                                               config::Identities& identities) {
  if (options.system) return config::system_crontab(file);
  if (options.user) return config::user_crontab(file, *options.user);
  const auto& invoker = identities.user(::geteuid());
  auto source = config::crontab_at(file, invoker ? (*invoker)->user : std::to_string(::geteuid()));
  if (source)
    print_note(file + ": " + source->note);
  else
    print_note(file + ": left out, as cron reads no file of such a name in cron.d; --system imports it all the same");
  return source;
}

/// The name of the job file of a crontab.
std::string file_name_of(const std::string& crontab) {
  std::string name = std::filesystem::path(crontab).filename();
  for (char& c : name)
    if (!config::is_letter_or_digit(c) && c != '.' && c != '_' && c != '-') c = '-';
  return (name.empty() || !config::is_letter_or_digit(name[0]) ? "crontab-" : "") + name + ".toml";
}

/// Converts one crontab after the other, and prints or writes the job files.
class Importer {
 public:
  Importer(const ImportOptions& options, config::CrontabImport import, config::Identities& identities)
      : options_(options), import_(std::move(import)), identities_(identities) {}

  void add(const config::CrontabSource& source) {
    std::string text;
    const auto info = config::read_crontab_file(source, ::geteuid(), identities_, text);
    if (!info) {
      outcome_.has_refused = true;
      std::error_code ignored;
      const bool folder = std::filesystem::is_directory(source.file, ignored);
      print_note(source.file + ": " + (folder ? "this is a folder; name its files" : info.error().what));
      return;
    }
    const config::ImportedCrontab imported = import_.add(source, text);
    for (const config::Diagnostic& finding : imported.diagnostics) std::cerr << finding.text() << '\n';
    if (config::has_errors(imported.diagnostics)) outcome_.has_refused = true;
    mailing_ += imported.mailing;
    if (options_.folder)
      write(imported, *options_.folder + "/" + file_name_of(source.file), info->st_mode & 0644);
    else
      print(source, imported);
  }
  ImportOutcome outcome() const { return outcome_; }

  /// Once, whatever the number of jobs.
  void note_mail() const {
    const std::string absent = mailing_ == 0 ? "" : config::program_absence(sendmail_file(), "");
    if (!absent.empty())
      print_note(std::to_string(mailing_) + (mailing_ == 1 ? " job mails" : " jobs mail") +
                 " what is printed (mail_to), and " + absent +
                 ": a node without it mails nothing; `ballot output` shows what a run has printed");
  }

 private:
  /// Prints the job file of a crontab; several files cannot be told apart in one output.
  void print(const config::CrontabSource& source, const config::ImportedCrontab& imported) {
    if (imported.files.size() > 1) {
      outcome_.has_refused = true;
      print_note(source.file + ": its jobs take " + std::to_string(imported.files.size()) +
                 " job files, as one has at most 1 MiB; name a folder for them with --to");
      return;
    }
    for (const config::ImportedFile& file : imported.files)
      std::cout << (std::exchange(has_printed_, true) ? "\n" : "") << file.text;
  }

  /// Writes NAME.toml, and NAME-2.toml, NAME-3.toml ... for the jobs that do not fit into it.
  void write(const config::ImportedCrontab& imported, const std::string& path, mode_t mode) {
    if (imported.files.empty()) std::cout << path << ": no jobs, not written\n";
    const std::string stem = path.substr(0, path.rfind('.'));
    for (std::size_t i = 0; i < imported.files.size(); ++i)
      write(imported.files[i], i == 0 ? path : stem + "-" + std::to_string(i + 1) + ".toml", mode);
  }

  void write(const config::ImportedFile& file, const std::string& path, mode_t mode) {
    const std::string jobs = std::to_string(file.jobs) + (file.jobs == 1 ? " job" : " jobs");
    const auto written = write_new_file(path, file.text, mode);
    if (!written) {
      outcome_.has_failed = true;
      print_note(written.error().what);
    } else {
      std::cout << path << ": " << jobs << (*written == Written::unchanged ? ", as it was\n" : "\n");
    }
  }

  const ImportOptions& options_;
  config::CrontabImport import_;
  config::Identities& identities_;
  ImportOutcome outcome_;
  std::size_t mailing_ = 0;
  bool has_printed_ = false;
};

/// The error of two crontabs that would become the same job file; "": there are none.
std::string clash_in(const std::vector<config::CrontabSource>& sources) {
  std::map<std::string, std::string> files;
  for (const config::CrontabSource& source : sources) {
    const auto [other, fresh] = files.emplace(file_name_of(source.file), source.file);
    if (!fresh)
      return other->second + " and " + source.file + " would both become " + other->first +
             "; import one of them into another folder";
  }
  return {};
}

Exit import_crontabs(const ImportOptions& options) {
  if (options.files.empty()) return misused_import("no FILE");
  if (options.system && options.user) return misused_import("--system and --user exclude each other");
  config::Identities identities;
  if (options.user && !identities.user(*options.user))
    return misused_import("--user: " + identities.user(*options.user).error().what);
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const auto timezone = timezone_of(options);
  if (!timezone) return Exit::usage;
  std::vector<config::CrontabSource> sources;
  for (const std::string& file : options.files)
    if (auto source = source_of(file, options, identities)) sources.push_back(*std::move(source));
  if (options.folder)
    if (const std::string clash = clash_in(sources); !clash.empty()) return misused_import(clash);
  Importer importer(
      options, config::CrontabImport(*timezone, library::job_settings(*config), io::read_clocks().wall, options.run_on),
      identities);
  for (const config::CrontabSource& source : sources) importer.add(source);
  importer.note_mail();
  return importer.outcome().exit();
}

}  // namespace

Run setup_import(CLI::App& command) {
  auto options = std::make_shared<ImportOptions>();
  require_one_subcommand(command);
  CLI::App& crontab = add_subcommand(command, "crontab", "job files that do what cron did with crontabs");
  add_config_options(crontab, options->config);
  add_strings(crontab, "FILE", options->files, "crontabs: /etc/crontab, what `crontab -l` printed");
  add_switch(crontab, "--system", options->system, "they have a column for the user");
  add_string(crontab, "--user NAME", options->user, "whose they are; default: by path, or yours");
  add_string(crontab, "--timezone ZONE", options->timezone, "the zone cron went by; default: this machine's");
  add_value(crontab, "--run-on WHERE", "leader, the default, or each: on each node",
            [to = options.get()](const std::string& text) {
              const auto where = config::parse_word<RunOn>(text);
              if (!where) return unknown_word(text, config::all_words<RunOn>()).what;
              return to->run_on = *where, std::string();
            });
  add_string(crontab, "--to DIR", options->folder, "the job files' folder; default: stdout");
  return [options] { return import_crontabs(*options); };
}

}  // namespace ballot::app
