// ballot schedule EXPR: the next slots of an expression, one a line.
#include "schedule/plan.hpp"

#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/jobs/subject.hpp"
#include "app/options/options.hpp"
#include "base/wall_text.hpp"
#include "config/jobs_dir.hpp"
#include "config/names.hpp"
#include "config/words.hpp"
#include "io/clocks.hpp"
#include "schedule/bounds.hpp"

namespace ballot::app {
namespace {

struct ScheduleOptions {
  ConfigOptions config;
  std::string expression;
  std::optional<std::string> timezone;
  std::optional<WallTime> from;
  std::int64_t count = 5;
  std::string group, job;
  std::vector<std::string> except, only;
  DayShift shift = DayShift::none;
};

std::string take_job(const std::string& text, ScheduleOptions& to) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size() || text.find('/', slash + 1) != text.npos)
    return "must be GROUP/NAME, not " + config::in_quotes(text);
  to.group = text.substr(0, slash);
  to.job = text.substr(slash + 1);
  return {};
}

std::string take_from(const std::string& text, std::optional<WallTime>& to) {
  if (std::string problem = take(parse_time(text), to); !problem.empty()) return problem;
  if (*to >= schedule::first_instant && *to < schedule::last_instant) return {};
  return "must be within the years 1800 to 2399, for which slots are computed";
}

std::string take_shift(const std::string& text, DayShift& to) {
  const auto word = config::parse_word<DayShift>(text);
  if (!word) return "must be none, next or previous, not " + config::in_quotes(text);
  to = *word;
  return {};
}

/// Of what a job may be called, and no expression is.
void hint_at_job(const ScheduleOptions& options) {
  const std::string& name = options.expression;
  if (!config::is_job_or_instance(name)) return;
  const auto config = load_config(options.config);
  if (!config || !is_loaded(name, *config)) return;
  std::cerr << "ballot schedule: this command takes an expression, and " << name
            << " is a job: its next slots are in `ballot show " << name << "` and `ballot next --job " << name << "`\n";
}

Exit refuse(const ScheduleOptions& options, const std::vector<schedule::PlanError>& errors,
            const std::string& timezone) {
  for (const schedule::PlanError& error : errors) {
    if (error.kind == schedule::PlanError::Kind::timezone)
      std::cerr << "ballot schedule: timezone " << config::in_quotes(timezone) << ": " << error.text << '\n';
    else
      std::cerr << "ballot schedule: column " << error.column << ": " << error.text << '\n';
  }
  hint_at_job(options);
  return Exit::usage;
}

void print_slots(const schedule::Plan& plan, WallTime from, std::int64_t count) {
  const std::vector<WallTime> anchors(plan.everies().size(), from);
  for (auto slot = plan.next_due(from, anchors); slot && count > 0; slot = plan.next_due(slot->at, anchors)) {
    std::cout << format_seconds(slot->at) << '\n';
    --count;
  }
  if (count > 0 && !plan.on_reboot())
    std::cerr << "ballot schedule: there are no more slots: none is computed after the year 2399\n";
}

/// Has the calendars of these names, of the job files, in `into`. False: there is no such one, which is said.
bool add_calendars(const config::Calendars& known, const std::vector<std::string>& names,
                   std::vector<schedule::DayRule::Named>& into) {
  for (const std::string& name : names) {
    const config::PlacedCalendar* const found = known.find(name);
    if (!found) {
      std::cerr << "ballot schedule: no job file has a calendar " << config::in_quotes(name)
                << config::did_you_mean(name, known.names()) << '\n';
      return false;
    }
    into.push_back({found->name, found->days});
  }
  return true;
}

std::optional<schedule::DayRule> rule_of(const ScheduleOptions& options, const config::Config& config) {
  schedule::DayRule rule;
  if (options.except.empty() && options.only.empty()) return rule;
  const config::JobsDir jobs = load_jobs(config);
  rule.shift = options.shift;
  const bool known = add_calendars(jobs.calendars(), options.except, rule.except) &&
                     add_calendars(jobs.calendars(), options.only, rule.only);
  return known ? std::optional(std::move(rule)) : std::nullopt;
}

Exit run(const ScheduleOptions& options) {
  std::optional<std::string> timezone = options.timezone;
  std::optional<schedule::DayRule> rule = schedule::DayRule();
  if (!timezone || !options.except.empty() || !options.only.empty()) {
    const auto config = load_config(options.config);
    if (!config) return Exit::configuration;
    if (!timezone) timezone = config->timezone;
    rule = rule_of(options, *config);
  }
  if (!rule) return Exit::usage;
  schedule::PlanSpec spec;
  spec.expressions = {options.expression};
  spec.timezone = *timezone;
  spec.group = options.group;
  spec.job = options.job;
  spec.days = *std::move(rule);
  const auto plan = schedule::Plan::make(spec);
  if (const auto* errors = std::get_if<std::vector<schedule::PlanError>>(&plan))
    return refuse(options, *errors, *timezone);
  print_slots(std::get<schedule::Plan>(plan), options.from.value_or(io::read_clocks().wall), options.count);
  return Exit::done;
}

}  // namespace

Run setup_schedule(CLI::App& command) {
  auto options = std::make_shared<ScheduleOptions>();
  add_config_options(command, options->config);
  add_string(command, "EXPR", options->expression, "5 or 6 fields, or @daily, @every 5m, ...", Need::required);
  add_string(command, "--timezone ZONE", options->timezone, "an IANA name; default: the configuration's");
  add_value(command, "--from TIME", "slots strictly after this time; default: now",
            [to = options.get()](const std::string& text) { return take_from(text, to->from); });
  add_value(command, "--count N", "how many, 5",
            [to = options.get()](const std::string& text) { return take(parse_number(text, 1), to->count); });
  add_value(command, "--job GROUP/NAME", "what `H` hashes",
            [to = options.get()](const std::string& text) { return take_job(text, *to); });
  add_list(command, "--except LIST", "calendars: days left out, a list",
           [to = options.get()](const std::string& text) { return to->except.push_back(text), std::string(); });
  add_list(command, "--only LIST", "calendars: the only days, a list",
           [to = options.get()](const std::string& text) { return to->only.push_back(text), std::string(); });
  add_value(command, "--shift WORD", "from days left out: next, previous",
            [to = options.get()](const std::string& text) { return take_shift(text, to->shift); });
  return [options] { return run(*options); };
}

}  // namespace ballot::app
