// ballot simulate [DIR]: what a fleet with these job files would be asked in a span of time, and what would become of
// it, also where nodes are lost.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/fleet_flags.hpp"
#include "app/options/options.hpp"
#include "app/reports/simulation_report.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/history/usual_time.hpp"
#include "library/settings.hpp"
#include "simulation/simulate.hpp"

namespace ballot::app {
namespace {

constexpr std::chrono::hours default_span{7 * 24};
constexpr std::int64_t most_running = 1'000'000;
constexpr std::size_t most_jobs = 1'000'000;       // of all nodes, of which each has all: some 3 GB
constexpr Millis default_session_timeout{10'000};  // of each backend that other hosts reach

enum class ReportFormat { table, json, html };

struct SimulateOptions {
  ConfigOptions config;
  std::string folder;
  std::optional<WallTime> from, until;
  std::vector<std::string> nodes;
  std::vector<simulation::Loss> losses;
  simulation::RunTimes run_times;
  std::optional<std::int64_t> max_running;
  std::optional<Millis> session_timeout;
  ScopeOptions ledgers;
  bool without_history = false;
  bool all = false;
  ReportFormat format = ReportFormat::table;
};

std::string take_format(const std::string& text, ReportFormat& to) {
  if (text != "table" && text != "json" && text != "html") return unknown_word(text, {"table", "json", "html"}).what;
  to = text == "json" ? ReportFormat::json : text == "html" ? ReportFormat::html : ReportFormat::table;
  return {};
}

std::string problem_of(const Result<void>& done) { return done ? std::string() : done.error().what; }

/// Each node's files; a file with an error is reported once.
Exit load_nodes(const SimulateOptions& options, const config::Config& config, simulation::Fleet& fleet) {
  const std::string& folder = options.folder.empty() ? config.jobs_dir : options.folder;
  const std::vector<std::string> nodes = options.nodes.empty() ? std::vector{config.node} : options.nodes;
  for (const std::string& node : nodes) {
    config::JobSettings settings = library::job_settings(config);
    settings.node = node;
    config::JobsDir jobs(folder, settings, {config.file, config.groups});
    jobs.reload();
    if (report_errors(jobs.set())) return Exit::configuration;
    const auto& definitions = jobs.set().definitions;
    if (definitions.size() > most_jobs / nodes.size())
      return fail("simulate",
                  {Errc::invalid, std::to_string(definitions.size()) + " jobs on " + std::to_string(nodes.size()) +
                                      " nodes are more than " + std::to_string(most_jobs) +
                                      " in all: simulate fewer nodes, or a part of the folder"});
    fleet.nodes.push_back({node, {definitions.begin(), definitions.end()}, config::groups_in_force(jobs.set())});
  }
  return Exit::done;
}

/// "", or which job a flag names that no node has.
std::string unknown_job(const SimulateOptions& options, const simulation::Fleet& fleet) {
  std::set<std::string_view> names;
  for (const simulation::FleetNode& node : fleet.nodes)
    for (const auto& definition : node.jobs) names.insert({definition->job.name, common_name(definition->job.name)});
  for (const auto& [job, takes] : options.run_times.known)
    if (!names.contains(job)) return job;
  return {};
}

/// Of an instance of a node that the ledger does not know, this node's tells it; "": there is none.
std::string instance_here(const std::string& job, const std::string& node) {
  const std::string own = is_instance(job) ? instance_name(common_name(job), node) : job;
  return own == job ? std::string() : own;
}

/// As usual; what a flag says comes before. "", or why there is no history.
std::string learn_run_times(const SimulateOptions& options, const config::Config& config, simulation::Fleet& fleet) {
  if (options.without_history) return "--no-history";
  auto ledger = open_ledger(config, options.ledgers.scope());
  if (!ledger) return ledger.error().what;
  std::set<std::string> jobs, here;
  for (const simulation::FleetNode& node : fleet.nodes)
    for (const auto& definition : node.jobs)
      if (!fleet.run_times.find(definition->job.name)) jobs.insert(definition->job.name);
  for (const std::string& job : jobs)
    if (auto own = instance_here(job, config.node); !own.empty()) here.insert(std::move(own));
  std::set<std::string> asked = jobs;
  asked.merge(here);
  const std::vector<std::string> names(asked.begin(), asked.end());
  const auto times = (*ledger)->usual_times(names, io::read_clocks().wall);
  if (!times) return times.error().what;
  std::map<std::string, library::UsualTime> usual;
  for (std::size_t i = 0; i < names.size(); ++i) usual[names[i]] = (*times)[i];
  for (const std::string& job : jobs) {
    const library::UsualTime& own = usual[job];
    const bool is_none = own.basis == library::UsualTime::Basis::none;
    const library::UsualTime& found = is_none ? usual[instance_here(job, config.node)] : own;
    if (found.basis != library::UsualTime::Basis::none) fleet.run_times.known[job] = found.takes;
  }
  name_missing("simulate", **ledger);
  return {};
}

/// On a terminal, once a second.
std::function<void(WallTime)> progress_of(const simulation::Fleet& fleet) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return [&fleet, told = io::read_clocks().steady](WallTime at) mutable {
    const SteadyTime now = io::read_clocks().steady;
    if (now - told < std::chrono::seconds(1) || at < fleet.from) return;
    told = now;
    std::cerr << "ballot simulate: at " << format_seconds(at) << ", "
              << 100 * (at - fleet.from) / (fleet.until - fleet.from) << " %\n";
  };
}

/// Where several nodes are asked for and no backend is named, one that other hosts reach is meant.
bool is_spread(const config::Config& config, std::size_t nodes) {
  return config.coordination.backend != "local" || (nodes > 1 && config.coordination.backend_position.line == 0);
}

Exit run(const SimulateOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  simulation::Fleet fleet;
  fleet.run_times = options.run_times;
  fleet.losses = options.losses;
  fleet.from = options.from.value_or(std::chrono::ceil<std::chrono::seconds>(io::read_clocks().wall));
  fleet.until = options.until.value_or(fleet.from + default_span);
  fleet.max_running = options.max_running ? static_cast<int>(*options.max_running) : config->max_running;
  fleet.session_timeout =
      options.session_timeout.value_or(config->coordination.session_timeout.value_or(default_session_timeout));
  if (const Exit loaded = load_nodes(options, *config, fleet); loaded != Exit::done) return loaded;
  if (const std::string job = unknown_job(options, fleet); !job.empty())
    return fail("simulate", {Errc::invalid, "--run-time: no job " + config::in_quotes(job) + " is simulated"});
  fleet.spread = is_spread(*config, fleet.nodes.size());
  const std::string no_history = learn_run_times(options, *config, fleet);
  const auto report = simulation::simulate(fleet, progress_of(fleet));
  if (!report) return fail("simulate", report.error());
  const Simulated simulated{fleet, *report, options.folder.empty() ? config->jobs_dir : options.folder, no_history};
  switch (options.format) {
    case ReportFormat::table: print_simulation(std::cout, simulated, options.all ? Extent::all : Extent::chosen); break;
    case ReportFormat::json: print_simulation_json(std::cout, simulated); break;
    case ReportFormat::html: print_simulation_page(std::cout, simulated); break;
  }
  return Exit::done;
}

std::string take_session_timeout(const std::string& text, std::optional<Millis>& to) {
  config::Diagnostics findings;
  to = config::parse_session_timeout(text, "", findings);
  return findings.empty() ? std::string() : findings.front().message;
}

std::string take_max_running(const std::string& text, std::optional<std::int64_t>& to) {
  const auto number = parse_number(text, 0);
  if (number && *number > most_running) return "must be at most " + std::to_string(most_running) + ", not " + text;
  return take(number, to);
}

}  // namespace

Run setup_simulate(CLI::App& command) {
  auto options = std::make_shared<SimulateOptions>();
  SimulateOptions& to = *options;
  add_config_options(command, to.config);
  add_string(command, "DIR", to.folder, "a folder of job files; default: jobs_dir");
  add_value(command, "--from TIME", "slots from this time on; default: now",
            [&to](const std::string& text) { return take(parse_time(text), to.from); });
  add_value(command, "--until TIME", "slots before this time; default: seven days later",
            [&to](const std::string& text) { return take(parse_time(text), to.until); });
  add_list(command, "--nodes LIST", "how many nodes, or their names; default: this one",
           [&to](const std::string& text) { return problem_of(add_nodes(text, to.nodes)); });
  add_list(command, "--fault LIST", "lose:NODE@TIME, or lose:NODE@TIME/DURATION", [&to](const std::string& text) {
    auto loss = parse_loss(text);
    if (!loss) return loss.error().what;
    to.losses.push_back(*std::move(loss));
    return std::string();
  });
  add_list(command, "--run-time LIST", "DURATION of what is not known, 1s; or JOB=DURATION",
           [&to](const std::string& text) { return problem_of(add_run_time(text, to.run_times)); });
  add_value(command, "--max-running N", "of each node; default: the configuration's",
            [&to](const std::string& text) { return take_max_running(text, to.max_running); });
  add_value(command, "--session-timeout DURATION", "until a lost node's groups are led again, 10s",
            [&to](const std::string& text) { return take_session_timeout(text, to.session_timeout); });
  add_switch(command, "--no-history", to.without_history, "read no ledger: run times are those of --run-time");
  add_scope_options(command, to.ledgers, ScopeFlags::local);
  add_switch(command, "--all", to.all, "in the table each hour, job and late slot");
  add_value(command, "--format FORMAT", "table, json or html",
            [&to](const std::string& text) { return take_format(text, to.format); });
  return [options] { return run(*options); };
}

}  // namespace ballot::app
