// ballot show JOB: its definition in force, where that is written, its state, its next slots and last runs.
#include <iostream>
#include <memory>
#include <sstream>

#include "app/commands/commands.hpp"
#include "app/escape.hpp"
#include "app/fact_line.hpp"
#include "app/history_columns.hpp"
#include "app/ledger_access.hpp"
#include "app/loaded_jobs.hpp"
#include "app/options.hpp"
#include "app/stored_states.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/text_file.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr int slots_shown = 5;
constexpr std::int64_t runs_shown = 5;

struct ShowOptions {
  ConfigOptions config;
  std::string job;
  TimeOption time = TimeOption::utc;
};

using Answer = Result<io::Message>;

std::string state_text(const io::Message& job) {
  std::string text = job.text("state").value_or("");
  if (const auto trouble = job.text("trouble"); trouble && !trouble->empty()) text += ": " + *trouble;
  if (const auto at = job.text("halted_at")) text += " since " + *at;
  if (const auto at = job.text("paused_at")) text += " since " + *at;
  if (const auto by = job.text("paused_by"); by && !by->empty()) text += ", by " + *by;
  return text;
}

/// Of a job that another node leads, which alone has all of it; "": the store does not say.
std::string stored_state_text(const ShowOptions& options, const std::string& job, const std::string& group) {
  const auto config = load_backend_config(options.config);
  if (!config) return "";
  const auto stored = StoredStates::read(*config, job, group);
  if (!stored || stored->word == "active") return "";
  std::string text = stored->word + (stored->why.empty() ? "" : ": " + stored->why);
  if (stored->since) text += " since " + format_millis(*stored->since);
  return text + (stored->by.empty() ? "" : ", by " + stored->by);
}

void print_state(const ShowOptions& options, const std::string& job, const std::string& group, const Answer& answer,
                 const std::string& node) {
  if (!answer) {
    print_fact("group", group);
    return print_fact("state", "not known: " + answer.error().what);
  }
  const std::string leader = answer->text("leader").value_or("");
  print_fact("group", group + (leader.empty() ? ", which nobody leads" : ", led by " + leader));
  const bool is_elsewhere = !leader.empty() && leader != node;
  if (!is_elsewhere) return print_fact("state", state_text(*answer));
  const std::string stored = stored_state_text(options, job, group);
  print_fact("state", stored.empty() ? state_text(*answer) + ", as far as is known here: ask on " + leader : stored);
}

/// Of `@every` only the daemon knows the phase, and the next slot.
void print_next(const schedule::Definition& definition, const Answer& answer) {
  std::vector<WallTime> slots;
  if (definition.plan.everies().empty() && definition.job.enabled) {
    auto slot = definition.plan.next(io::read_clocks().wall, {});
    for (; slot && static_cast<int>(slots.size()) < slots_shown; slot = definition.plan.next(slot->at, {}))
      if (!slot->dst_gap) slots.push_back(slot->at);
  } else if (const auto next = answer ? parse_wall(answer->text("next_slot").value_or("")) : std::nullopt) {
    slots.push_back(*next);
  }
  if (slots.empty()) print_fact("next slots", "none");
  for (std::size_t i = 0; i < slots.size(); ++i)
    print_fact(i == 0 ? "next slots" : "", slot_in_zone(slots[i], definition.job.timezone));
}

Result<void> print_runs(const std::string& job, library::LedgerView& ledger, const LocalTimes& times) {
  RecordWriter out(std::cout, history_columns(Format::table), stdout_layout(Format::table));
  std::cout << '\n';
  const auto page = ledger.history({.jobs = {job}, .limit = runs_shown}, [&](const Row& row) {
    return out.row(history_cells(row, Format::table, times)), true;
  });
  if (!page) return page.error();
  out.finish();
  return {};
}

/// Of a job that no file defines which this command reads, all is as the daemon says.
void print_job_of_program(const ShowOptions& options, const Answer& answer, const std::string& node) {
  const std::string name = answer->text("job").value_or("");
  print_fact("job", name);
  print_state(options, name, answer->text("group").value_or(""), answer, node);
  print_fact("file", "none: the program that embeds ballot defines it");
  print_fact("digest", answer->text("digest").value_or(""));
  const auto next = parse_wall(answer->text("next_slot").value_or(""));
  print_fact("next slots", next ? format_slot(*next) : "none");
}

bool is_header(const std::string& text) { return text.starts_with('['); }

bool is_header_of(const std::string& text, const std::string& job) {
  return text.starts_with("[job." + job + "]") || text.starts_with("[job." + job + ".") ||
         text.starts_with("[job.\"" + job + "\"");
}

/// As it is written, up to the next table.
void print_definition(const config::JobPlace& place, const std::string& job) {
  std::string whole, text, blank;
  if (!config::read_text_file(place.file, whole)) return;  // gone since it was loaded
  std::istringstream file(whole);
  for (int number = 1; std::getline(file, text); ++number) {
    if (number < place.position.line) continue;
    if (number > place.position.line && is_header(text) && !is_header_of(text, job)) return;
    blank += escaped(text, Escape::plain) + '\n';
    if (text.find_first_not_of(" \t\r") == std::string::npos || text.starts_with('#')) continue;  // of what follows?
    std::cout << (number == place.position.line ? "\n" : "") << std::exchange(blank, "");
  }
}

void warn_of_difference(const schedule::Definition& definition, const Answer& answer) {
  const auto digest = answer ? answer->text("digest") : std::nullopt;
  if (digest && !digest->empty() && *digest != definition.digest)
    std::cerr << "ballot show: the daemon has another definition in force: the file has changed since, or is refused; "
                 "see `ballot check`\n";
}

Answer ask_job_or_instance(const config::Config& config, const std::string& job) {
  Answer answer = ask_job(config, job);
  return answer ? answer : ask_job(config, instance_name(job, config.node));
}

Exit show_job_without_file(const ShowOptions& options, const config::Config& config,
                           Result<std::unique_ptr<library::LedgerView>>& ledger) {
  const Answer answer = ask_job_or_instance(config, options.job);
  if (!answer) {
    const auto known = ledger ? require_job(options.job, config, **ledger) : Result<void>(ledger.error());
    return fail("show", known ? Error{Errc::not_found, "no job file defines " + options.job +
                                                           " any more; `ballot history --job` shows its runs"}
                              : known.error());
  }
  const LocalTimes times(options.time, config);
  print_job_of_program(options, answer, config.node);
  if (ledger)
    if (const auto printed = print_runs(answer->text("job").value_or(""), **ledger, times); !printed)
      return fail("show", printed.error());
  std::cout.flush();
  return Exit::done;
}

Exit run(const ShowOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const config::JobsDir jobs = load_jobs(*config);
  auto ledger = open_ledger(*config);
  auto found = jobs.set().definitions.find(options.job);
  if (found == jobs.set().definitions.end())
    found = jobs.set().definitions.find(instance_name(options.job, config->node));
  if (found == jobs.set().definitions.end()) return show_job_without_file(options, *config, ledger);
  const schedule::Definition& definition = **found;
  const std::string& name = definition.job.name;
  const Answer answer = ask_job(*config, name);
  const LocalTimes times(options.time, *config);
  const auto place = jobs.place_of(name);
  const auto& description = definition.job.description;
  print_fact("job", name + (description.empty() ? "" : ": " + *description));
  print_state(options, name, definition.job.group, answer, config->node);
  if (place) print_fact("file", place->file + ":" + std::to_string(place->position.line));
  print_fact("timezone", definition.job.timezone);
  print_fact("digest", definition.digest);
  print_next(definition, answer);
  if (place) print_definition(*place, std::string(common_name(name)));
  if (ledger)
    if (const auto printed = print_runs(name, **ledger, times); !printed) return fail("show", printed.error());
  std::cout.flush();
  if (!ledger && ledger.error().code == Errc::denied) (void)fail("show", ledger.error());
  warn_of_difference(definition, answer);
  return Exit::done;
}

}  // namespace

Run setup_show(CLI::App& command) {
  auto options = std::make_shared<ShowOptions>();
  add_config_options(command, options->config);
  add_time_option(command, options->time);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
