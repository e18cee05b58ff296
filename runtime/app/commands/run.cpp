// ballot run once -- CMD, ballot run cron --schedule S -- CMD: one command under election, with no daemon.
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/elected_command.hpp"
#include "app/ledger_access.hpp"
#include "app/log_sink.hpp"
#include "app/run_options.hpp"

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
  CandidateSession session(*config, options.group, options.candidate);
  io::ChildGuardSettings settings{.argv = options.command, .kill_grace = options.kill_grace};
  session.add_to(settings);
  auto guard = io::ChildGuard::make(std::move(settings));
  if (!guard) return fail("run", guard.error());
  return ElectedCommand(*config, options, std::move(plan), session, **guard, make_log(config->log, config->node)).run();
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
