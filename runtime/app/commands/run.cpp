// ballot run once -- CMD, ballot run cron --schedule S -- CMD: one command under election, with no daemon.
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/candidates/elected_command.hpp"
#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/log/log_sink.hpp"
#include "app/options/run_options.hpp"
#include "library/backend_choice.hpp"

namespace ballot::app {
namespace {

Exit misused(const std::string& text) {
  std::cerr << "ballot run: " << text << "; see `ballot run --help`\n";
  return Exit::usage;
}

/// The schedule's plan, or every error of it on stderr and nothing.
std::optional<schedule::Plan> make_plan(const RunOptions& options, const config::Config& config) {
  schedule::PlanSpec spec;
  spec.expressions = {options.schedule};
  spec.timezone = options.timezone.empty() ? config.timezone : options.timezone;
  spec.group = options.group;
  spec.job = options.group;
  auto plan = schedule::Plan::make(spec);
  if (const auto* errors = std::get_if<std::vector<schedule::PlanError>>(&plan)) {
    for (const schedule::PlanError& error : *errors)
      std::cerr << "ballot run cron: "
                << (error.kind == schedule::PlanError::Kind::timezone
                        ? "--timezone: "
                        : "--schedule: column " + std::to_string(error.column) + ": ")
                << error.text << '\n';
    return std::nullopt;
  }
  if (!std::get<schedule::Plan>(plan).on_reboot()) return std::get<schedule::Plan>(std::move(plan));
  std::cerr << "ballot run cron: --schedule: @reboot is for jobs of a daemon; use `run once` from a unit\n";
  return std::nullopt;
}

/// A store of files that lies in `state_dir`, as no path is given.
bool is_in_state_dir(const config::Config& config) {
  return config.coordination.backend == "local" && !library::backend_settings(config).options.contains("path");
}

/// Whether a daemon uses the same store, as far as that is known here: one by ballot.toml alone, or one whose ledger
/// lies beside the store.
bool is_store_of_daemon(const RunOptions& options, const config::Config& config) {
  const auto by_file = load_backend_file(options.config);
  if (!by_file || by_file->coordination.backend != config.coordination.backend) return false;
  const BackendSettings own = library::backend_settings(config), of_file = library::backend_settings(*by_file);
  if (own.name_space != of_file.name_space || own.options != of_file.options) return false;
  if (!is_in_state_dir(config) || own.state_dir == of_file.state_dir) return true;
  std::error_code ignored;
  return std::filesystem::exists(config.state_dir + "/history.db", ignored);
}

/// While a candidate of `run` leads a group, its jobs wait.
Result<void> check_group(const RunOptions& options, const config::Config& config, const Log& log) {
  if (!is_store_of_daemon(options, config)) return {};
  const config::JobsDir loaded = load_jobs(config);
  for (const auto& definition : loaded.set().definitions) {
    if (*definition->job.group != options.group) continue;
    const std::string text =
        "group " + options.group + " is that of jobs in " + config.jobs_dir + ", such as " + definition->job.name;
    if (options.candidate.empty() || options.candidate == config.node)
      return Error{Errc::invalid,
                   text +
                       ", and this would be a candidate of the same name as their daemon's, which would lead "
                       "no more: --group NAME gives it a group of its own"};
    log(Level::warn, text + ": they wait while this candidate leads; --group NAME gives it a group of its own", {});
    return {};
  }
  return {};
}

Exit run(const RunOptions& options, bool cron) {
  if (!read_variables(options.variables)) return Exit::usage;
  if (cron && options.schedule.empty()) return misused("cron needs --schedule or BALLOT_SCHEDULE");
  if (options.command.empty()) return misused("no command: it follows `--`");
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  std::optional<schedule::Plan> plan;
  if (cron) {
    plan = make_plan(options, *config);
    if (!plan) return Exit::usage;
  }
  Log log = make_log(config->log, config->node);
  if (const auto fits = check_group(options, *config, log); !fits) return fail("run", fits.error());
  CandidateSession session(*config, options.group, options.candidate);
  io::ChildGuardSettings settings{.argv = options.command, .kill_grace = options.kill_grace};
  session.add_to(settings);
  auto guard = io::ChildGuard::make(std::move(settings));
  if (!guard) return fail("run", guard.error());
  return ElectedCommand(*config, options, std::move(plan), session, **guard, std::move(log)).run();
}

}  // namespace

Run setup_run(CLI::App& command, const Words& words) {
  require_one_subcommand(command);
  const auto add = [&](const char* name, const char* summary, ChildPolicy on_success) {
    auto options = std::make_shared<RunOptions>();
    options->on_success = on_success;
    if (words.child) options->command = *words.child;
    CLI::App& sub = add_subcommand(command, name, summary);
    add_run_options(sub, *options, words);
    set_footer(sub, "The command follows `--`: ballot run " + std::string(name) + " [FLAGS] -- COMMAND [ARGUMENTS]");
    return std::pair(options, &sub);
  };
  const auto [once, once_app] = add("once", "run it when elected; what follows is by policy", ChildPolicy::exit);
  const auto [cron, cron_app] = add("cron", "run it by a schedule, wherever the leader is", ChildPolicy::ignore);
  add_cron_options(*cron_app, *cron);
  return [once = once, cron = cron, is_cron = cron_app] {
    return is_chosen(*is_cron) ? run(*cron, true) : run(*once, false);
  };
}

}  // namespace ballot::app
