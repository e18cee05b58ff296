// ballot check [PATH...]: everything that is wrong, on stdout. A PATH is a folder of job files, read as the daemon
// would; a configuration, if it is called ballot.toml; or else a job file. Without one: the configuration, and its
// jobs_dir.
#include "config/check.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "base/trust.hpp"
#include "config/jobs_dir.hpp"
#include "config/names.hpp"
#include "io/backend_port.hpp"
#include "io/clocks.hpp"
#include "io/control_socket.hpp"
#include "library/backend_choice.hpp"
#include "library/named_files.hpp"
#include "library/settings.hpp"

namespace ballot::app {
namespace {

struct CheckOptions {
  ConfigOptions config;
  std::vector<std::string> paths;
};

struct Findings {
  config::Diagnostics diagnostics;
  std::size_t jobs = 0;

  void add(const config::Diagnostics& more) { diagnostics.insert(diagnostics.end(), more.begin(), more.end()); }
};

struct Paths {
  std::vector<std::string> configurations, folders, files;
};

Paths sort_out(const std::vector<std::string>& paths) {
  Paths sorted;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      sorted.folders.push_back(path);
    else if (std::filesystem::path(path).filename() == "ballot.toml")
      sorted.configurations.push_back(path);
    else
      sorted.files.push_back(path);
  }
  return sorted;
}

/// The jobs are checked against the first configuration named, else against the one in use.
config::Config check_configurations(const CheckOptions& options, const Paths& paths, Findings& findings) {
  std::optional<config::Config> first;
  ConfigOptions request = options.config;
  std::vector<std::optional<std::string>> files(paths.configurations.begin(), paths.configurations.end());
  if (files.empty()) files.push_back(request.file);
  for (const std::optional<std::string>& file : files) {
    request.file = file;
    const auto trust = paths.configurations.empty() ? config::TrustRule::trusted : config::TrustRule::anybodys;
    config::LoadedConfig loaded = check_config(request, trust);
    findings.add(loaded.diagnostics);
    if (!first) first = std::move(loaded.config);
  }
  return *std::move(first);
}

/// What lies in a folder of job files and is not read. What editors and package managers leave there is meant not to
/// be.
bool is_leftover(const std::string& name) {
  if (name.starts_with('.') || name.starts_with('#') || name.ends_with('~') || name.starts_with("README")) return true;
  for (const char* const end : {".bak", ".orig", ".rpmnew", ".rpmorig", ".rpmsave", ".swp"})
    if (name.ends_with(end)) return true;
  return name.find(".dpkg-") != std::string::npos || name.find(".ucf-") != std::string::npos;
}

void check_names(const std::string& folder, Findings& findings) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (!config::is_job_file_name(name) && !config::is_calendar_file_name(name) && !is_leftover(name))
      config::Findings(folder + "/" + name, findings.diagnostics)
          .warning({}, "is not read: a job file's name is letters, digits, '.', '_' and '-', and ends with .toml");
}

void check_jobs(const config::Config& config, const Paths& paths, Findings& findings) {
  config::JobSettings settings = library::job_settings(config);
  settings.presence = config::Presence::looked_at;
  for (const std::string& folder : paths.folders) {
    check_names(folder, findings);
    config::JobsDir jobs(folder, settings, {config.file, config.groups});
    jobs.reload();
    config::Diagnostics found = jobs.set().diagnostics;
    std::set<std::string> refused;
    for (const config::Diagnostic& one : jobs.set().diagnostics)
      if (one.severity == config::Severity::error) refused.insert(one.file);
    const std::vector<std::string> files(refused.begin(), refused.end());
    const config::Diagnostics chains = config::check_refused_chains(files, settings, folder);
    found.insert(found.end(), chains.begin(), chains.end());
    config::sort_and_bound(found);
    findings.add(found);
    findings.add(config::fading(jobs.set().calendars, io::read_clocks().wall));
    findings.jobs += jobs.set().definitions.size();
  }
  const config::Checked checked = config::check_job_files(paths.files, settings, config.jobs_dir);
  findings.add(checked.diagnostics);
  findings.add(config::fading(checked.calendars, io::read_clocks().wall));
  findings.jobs += checked.jobs;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Exit print(const Findings& findings) {
  std::size_t errors = 0;
  for (const config::Diagnostic& finding : findings.diagnostics) {
    if (finding.severity == config::Severity::error) ++errors;
    std::cout << finding.text() << '\n';
  }
  std::cout << counted(findings.jobs, "job") << ", " << counted(errors, "error") << ", "
            << counted(findings.diagnostics.size() - errors, "warning") << '\n';
  return errors == 0 ? Exit::done : Exit::configuration;
}

/// What `serve` asks of the backend before it opens a session: files that it names, what goes together.
void check_backend(const config::Config& config, Findings& findings) {
  const auto plugin = library::find_backend(config);
  if (!plugin) return;  // a finding already
  const std::string& backend = config.coordination.backend;
  const auto table = config.backends.find(backend);
  config::Position at = table == config.backends.end() ? config.coordination.backend_position : table->second.position;
  if (at.line == 0) at = {};
  config::Findings found(config.file, findings.diagnostics);
  io::BackendPort port(
      **plugin,
      [&](Level level, std::string_view text, const LogFields&) {
        if (level >= Level::warn) found.warning(at, "[" + backend + "] " + std::string(text));
      },
      [] {});
  BackendSettings settings = library::backend_settings(config);
  settings.open_store = library::open_store_rule(config);
  const auto made = port.start(settings);
  const std::string label = "[" + backend + "] ";
  if (!made) found.error(at, (made.error().what.starts_with(label) ? "" : label) + made.error().what);
}

void check_files(const config::Config& config, Findings& findings) {
  config::Findings found(config.file, findings.diagnostics);
  for (const library::FileFault& fault : library::check_named_files(config)) {
    const std::string unknown = "; what the daemon would say is not known: this user may not read it";
    if (fault.stops && fault.is_known)
      found.error({0, 0}, fault.error.what);
    else
      found.warning({0, 0}, fault.error.what + (fault.is_known ? "" : unknown));
  }
}

/// In a folder of which it is not said already that it is not used.
void check_control_socket(const config::Config& config, Findings& findings) {
  const std::string folder = std::filesystem::path(config.control_socket).parent_path();
  if (config.control_socket.empty() || folder == config.state_dir || folder == config.run_dir) return;
  if (const auto possible = io::ControlSocket::check(config.control_socket); !possible)
    config::Findings(config.file, findings.diagnostics)
        .error({0, 0}, possible.error().what + "; [control] socket sets another one");
}

/// Of what lies in them `serve` believes all.
void check_folders(const config::Config& config, Findings& findings) {
  for (const std::string& folder : {config.state_dir, config.run_dir}) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder, ignored)) continue;
    if (const auto fault = distrust_folder(folder, ::geteuid()))
      config::Findings(folder, findings.diagnostics).error({0, 0}, "the folder is not used: " + *fault);
  }
}

Exit run(const CheckOptions& options) {
  Findings findings;
  Paths paths = sort_out(options.paths);
  const config::Config config = check_configurations(options, paths, findings);
  const bool asks_backend = options.paths.empty() || !paths.configurations.empty();
  if (asks_backend && !has_errors(findings.diagnostics)) {
    check_backend(config, findings);
    check_files(config, findings);
    if (options.paths.empty()) check_folders(config, findings), check_control_socket(config, findings);
  }
  if (options.paths.empty()) paths.folders.push_back(config.jobs_dir);
  check_jobs(config, paths, findings);
  return print(findings);
}

}  // namespace

Run setup_check(CLI::App& command) {
  auto options = std::make_shared<CheckOptions>();
  add_config_options(command, options->config);
  add_strings(command, "PATH", options->paths, "job files, folders, or a ballot.toml; default: all");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
