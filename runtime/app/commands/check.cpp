// ballot check [PATH...]: everything that is wrong, on stdout. A PATH is a folder of job files, read as the daemon
// would; a configuration, if it is called ballot.toml; or else a job file. Without one: the configuration, and its
// jobs_dir.
#include "config/check.hpp"

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/loaded_jobs.hpp"
#include "app/options.hpp"
#include "config/jobs_dir.hpp"

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

void check_jobs(const config::Config& config, const Paths& paths, Findings& findings) {
  const config::JobSettings settings = job_settings(config);
  for (const std::string& folder : paths.folders) {
    config::JobsDir jobs(folder, settings, {config.file, config.groups});
    jobs.reload();
    findings.add(jobs.set().diagnostics);
    findings.jobs += jobs.set().definitions.size();
  }
  const config::Checked checked = config::check_job_files(paths.files, settings);
  findings.add(checked.diagnostics);
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

Exit run(const CheckOptions& options) {
  Findings findings;
  Paths paths = sort_out(options.paths);
  const config::Config config = check_configurations(options, paths, findings);
  if (options.paths.empty()) paths.folders.push_back(config.jobs_dir);
  check_jobs(config, paths, findings);
  return print(findings);
}

}  // namespace

Run setup_check(CLI::App& command) {
  auto options = std::make_shared<CheckOptions>();
  add_config_options(command, options->config);
  add_strings(command, "PATH", options->paths,
              "folders of job files, job files, or a ballot.toml; default: the configuration and its jobs_dir");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
