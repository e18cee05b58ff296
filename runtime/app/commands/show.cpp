// ballot show JOB: its definition in force, where that is written, its state, its next slots and last runs.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/client/stored_states.hpp"
#include "app/commands/commands.hpp"
#include "app/history/history_columns.hpp"
#include "app/history/row_document.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/jobs/shown_job.hpp"
#include "app/options/options.hpp"
#include "app/print/document.hpp"
#include "app/print/escape.hpp"
#include "app/print/fact_line.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "config/text_file.hpp"
#include "config/words.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/shown/expects_text.hpp"

namespace ballot::app {
namespace {

using library::Pause;
using library::pauses_from;
using library::pauses_text;
using library::StoredState;

constexpr int slots_shown = 5;
constexpr std::int64_t runs_shown = 5;

struct ShowOptions {
  ConfigOptions config;
  std::string job;
  TimeOption time = TimeOption::utc;
  bool json = false;
};

using Answer = Result<io::Message>;

std::string state_text(const io::Message& job) {
  std::string text = job.text("state").value_or("");
  if (text == "paused") return pauses_text(pauses_from(job));
  if (const auto trouble = job.text("trouble"); trouble && !trouble->empty()) text += ": " + *trouble;
  if (const auto at = job.text("halted_at")) text += " since " + *at;
  return text;
}

/// Of a job that another node leads, which alone has all of it; none: the store does not say.
std::optional<StoredState> stored_state(const ShowOptions& options, const std::string& job, const std::string& group) {
  const auto config = load_backend_config(options.config);
  const auto stored = config ? read_stored_state(*config, job, group) : Error{Errc::invalid, "the configuration"};
  return stored ? std::optional(*stored) : std::nullopt;
}

/// What the files say is shown all the same, and the refusal is the command's error.
bool is_refused(const Answer& answer) { return !answer && answer.error().code == Errc::refused; }

/// What it was expected to keep and does not, as its register says.
void take_unmet(const StoredState& stored, ShownJob& job) {
  job.overdue_since = stored.overdue_since;
  job.is_slow = stored.is_slow;
}

/// The store shows pauses and halts alone.
void take_stored_state(const StoredState& stored, ShownJob& job) {
  job.state = stored.word;
  job.pauses = stored.pauses;
  job.state_text = stored.word + (stored.why.empty() ? "" : ": " + stored.why);
  if (stored.since) job.state_text += " since " + format_millis(*stored.since);
  if (stored.word == "paused") job.state_text = pauses_text(stored.pauses);
}

/// Of a job that another node leads, or nobody, which has not answered, and of which the store shows neither a pause
/// nor a halt. `why`: nothing more is known.
void limit_state(const std::string& why, ShownJob& job) {
  if (job.state == "active") job.state.clear();
  job.state_text = job.state.empty() ? "not known: " + why : job.state_text + ", as far as is known here: " + why;
}

std::string silent_store(const io::Message& answer) {
  const auto heard = answer.text("store_heard");
  return "the store does not answer" + (heard ? ", since " + *heard : "");
}

/// As the node that leads it says, where that was asked, else by the store. `is_unheard`: it is known to be silent.
void take_state(const ShowOptions& options, const Answer& answer, const std::string& node, bool are_said,
                bool is_unheard, ShownJob& job) {
  if (!answer) {
    job.state_text = "not known";
    if (!is_refused(answer)) job.state_text += ": " + answer.error().what;
    return;
  }
  job.leader = answer->text("leader").value_or("");
  job.state = answer->text("state").value_or("");
  job.state_text = state_text(*answer);
  job.pauses = pauses_from(*answer);
  job.overdue_since = parse_wall(answer->text("overdue_since").value_or(""));
  job.is_slow = answer->flag("slow").value_or(false);
  job.backfill = library::backfill_text(*answer);
  if (job.leader == node || job.state.starts_with("waiting") || (are_said && !job.state.empty())) {
    if (job.state == library::not_defined) job.next.clear();
    return;
  }
  if (answer->flag("store_is_silent").value_or(false)) {
    if (job.leader->empty()) job.leader.reset();
    return limit_state(silent_store(*answer), job);
  }
  const auto stored = stored_state(options, job.name, job.group);
  if (stored) take_unmet(*stored, job);
  const bool is_held = stored && stored->word != "active" && stored->over(job.state) == stored->word;
  if (is_held) return take_stored_state(*stored, job);
  const std::string leader = *job.leader;
  if (is_unheard || are_said)
    limit_state(leader.empty() ? "nobody leads it" : leader + ", which leads it, has not answered", job);
  else if (!stored && !leader.empty() && node_of_instance(job.name) != leader)
    limit_state("ask on " + leader, job);
}

/// Of another node's instance that node alone has its state, and of a pause or a halt the store.
void take_state_of_away(const ShowOptions& options, const AwayInstance& away, ShownJob& job) {
  job.state_text = "not known: " + silence_of(away.node) + ". While it is away nobody runs its instance";
  const auto stored = stored_state(options, job.name, job.group);
  if (!stored || stored->word == "active") return;
  job.state = stored->word;
  job.pauses = stored->pauses;
  if (stored->word == "paused")
    job.state_text = pauses_text(stored->pauses);
  else
    job.state_text = stored->word + ": " + stored->why;
  job.state_text += ", by the store; " + silence_of(away.node);
}

/// Sets in the daemon's answer the state that the node which leads the job says. False: nobody was asked.
bool ask_leader(const config::Config& config, library::LedgerView* ledger, Answer& answer) {
  if (!answer || !ledger || answer->text("leader") == config.node) return false;
  if (answer->text("state") == library::not_defined) return true;  // its node has said so
  std::vector<io::Message> jobs{*answer};
  (void)ledger->last_statuses({jobs.front().text("job").value_or("")});
  const bool are_said = set_said_states(jobs, config, ledger);
  if (are_said) *answer = jobs.front();
  return are_said;
}

/// The slots after `from`. Of `@every` only the daemon knows the phase, and the next slot.
std::vector<WallTime> next_slots(const schedule::Definition& definition, const Answer& answer, WallTime from) {
  std::vector<WallTime> slots;
  if (definition.plan.everies().empty() && definition.job.enabled) {
    auto slot = definition.plan.next_due(from, {});
    for (; slot && static_cast<int>(slots.size()) < slots_shown; slot = definition.plan.next_due(slot->at, {}))
      slots.push_back(slot->at);
  } else if (const auto next = answer ? parse_wall(answer->text("next_slot").value_or("")) : std::nullopt) {
    slots.push_back(*next);
  }
  return slots;
}

/// While it is paused nothing is due before its pauses end by themselves. `definition`: null, where no file has it.
void take_pauses(const schedule::Definition* definition, const Answer& answer, ShownJob& job) {
  if (job.state != "paused") return;
  const auto from = library::due_from(job.state, job.pauses, io::read_clocks().wall);
  if (!from)
    job.next.clear();
  else if (definition)
    job.next = next_slots(*definition, answer, *from);
}

Result<std::vector<Row>> last_rows_of(const std::string& job, library::LedgerView& ledger) {
  std::vector<Row> rows;
  const auto page =
      ledger.history({.jobs = {job}, .limit = runs_shown}, [&](const Row& row) { return rows.push_back(row), true; });
  return page ? Result<std::vector<Row>>(std::move(rows)) : page.error();
}

bool is_header(const std::string& text) { return text.starts_with('['); }

bool is_header_of(const std::string& text, const std::string& job) {
  return text.starts_with("[job." + job + "]") || text.starts_with("[job." + job + ".") ||
         text.starts_with("[job.\"" + job + "\"");
}

/// As it is written, up to the next table.
std::string definition_text(const config::JobPlace& place, const std::string& job) {
  std::string whole, line, blank, text;
  if (!config::read_text_file(place.file, whole)) return {};  // gone since it was loaded
  std::istringstream file(whole);
  for (int number = 1; std::getline(file, line); ++number) {
    if (number < place.position.line) continue;
    if (number > place.position.line && is_header(line) && !is_header_of(line, job)) break;
    blank += escaped(line, Escape::plain) + '\n';
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with('#')) continue;  // of what follows?
    text += std::exchange(blank, "");
  }
  return text;
}

void warn_of_difference(const schedule::Definition& definition, const Answer& answer) {
  const auto digest = answer ? answer->text("digest") : std::nullopt;
  if (digest && !digest->empty() && *digest != definition.digest)
    std::cerr << "ballot show: the daemon has another definition in force: the file has changed since, or is refused; "
                 "see `ballot check`\n";
}

/// What a file says of it.
ShownJob job_of_file(const schedule::Definition& definition, const config::JobsDir& jobs, const Answer& answer) {
  ShownJob job;
  job.name = definition.job.name;
  job.description = *definition.job.description;
  job.group = *definition.job.group;
  job.place = jobs.place_of(job.name);
  job.timezone = *definition.job.timezone;
  job.calendars = definition.plan.days()->summary();
  job.digest = definition.digest;
  job.expects = library::expects_text(*definition.job.details->expects);
  job.after = definition.job.details->after;
  job.trigger_env = definition.job.details->trigger_env;
  if (!job.after.empty()) job.after_status = config::word_of(definition.job.details->after_status);
  Downstream downstream = downstream_of(jobs.set(), job.name);
  job.before = std::move(downstream.next), job.further = std::move(downstream.further);
  job.next = next_slots(definition, answer, io::read_clocks().wall);
  if (job.place) job.definition = definition_text(*job.place, std::string(common_name(job.name)));
  return job;
}

/// Of a job that no file defines which this command reads, all is as the daemon says: the program that embeds ballot
/// defines it, or the last good version of a file that is refused.
ShownJob job_of_program(const io::Message& answer) {
  ShownJob job;
  job.name = answer.text("job").value_or("");
  job.group = answer.text("group").value_or("");
  job.digest = answer.text("digest").value_or("");
  job.description = answer.text("description").value_or("");
  job.timezone = answer.text("timezone").value_or("");
  job.calendars = answer.text("calendars").value_or("");
  if (auto file = answer.text("file"))
    job.place = {*std::move(file), {static_cast<int>(answer.integer("line").value_or(0)), 1}};
  job.refused = answer.text("refused").value_or("");
  job.refused_since = answer.text("refused_since").value_or("");
  job.expects = answer.text("expects").value_or("");
  job.after = answer.texts("after");
  job.after_status = answer.text("after_status").value_or("");
  if (const auto next = parse_wall(answer.text("next_slot").value_or(""))) job.next = {*next};
  return job;
}

/// Of another node's instance by the version in force here, whose file is refused as it is now.
void take_refusal(const config::Config& config, ShownJob& job) {
  if (!is_instance(job.name) || node_of_instance(job.name) == config.node) return;
  const Answer own = ask_job(config, instance_name(common_name(job.name), config.node));
  if (!own) return;
  job.refused = own->text("refused").value_or("");
  job.refused_since = own->text("refused_since").value_or("");
}

Answer ask_job_or_instance(const config::Config& config, const std::string& job) {
  Answer answer = ask_job(config, job);
  return answer ? answer : ask_job(config, instance_name(job, config.node));
}

/// No file defines it, and no daemon has it.
Error unknown_job(const std::string& job, const config::Config& config,
                  const Result<std::unique_ptr<library::LedgerView>>& ledger) {
  if (const auto own = require_own(job, config); !own) return own.error();
  const auto known = ledger ? require_job(job, config, **ledger) : Result<void>(ledger.error());
  return known
             ? Error{Errc::not_found, "no job file defines " + job + " any more; `ballot history --job` shows its runs"}
             : known.error();
}

Exit run(const ShowOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const config::JobsDir jobs = load_jobs(*config);
  auto ledger = open_ledger(*config, {.is_fleet = true});
  const auto& definitions = jobs.set().definitions;
  auto found = definitions.find(options.job);
  if (found == definitions.end()) found = definitions.find(instance_name(options.job, config->node));
  const bool has_file = found != definitions.end();
  Answer answer = has_file ? ask_job(*config, (*found)->job.name) : ask_job_or_instance(*config, options.job);
  library::LedgerView* const view = ledger ? ledger->get() : nullptr;
  std::optional<AwayInstance> away;
  schedule::DefinitionPtr elsewhere;
  if (!has_file && !answer) {
    away = find_away(options.job, *config, jobs.set(), view);
    elsewhere = config::definition_on(jobs.set(), config->node, options.job);
    if (!away) answer = ask_instance_elsewhere(*config, options.job);
  }
  if (!has_file && !answer && !away)
    return fail("show", with_config_errors(unknown_job(options.job, *config, ledger), jobs.set()));
  ShownJob job = has_file    ? job_of_file(**found, jobs, answer)
                 : elsewhere ? job_of_file(*elsewhere, jobs, answer)
                             : job_of_program(*answer);
  if (!has_file && !elsewhere) take_refusal(*config, job);
  if (away) {
    take_state_of_away(options, *away, job);
  } else {
    const bool are_said = ask_leader(*config, view, answer);
    const bool is_unheard = answer && !ask_silent_leaders(*config, {*answer}, "leader").empty();
    take_state(options, answer, config->node, are_said, is_unheard, job);
  }
  take_pauses(has_file ? found->get() : elsewhere.get(), answer, job);
  if (ledger) {
    auto rows = last_rows_of(job.name, **ledger);
    if (!rows) return fail("show", rows.error());
    job.rows = *std::move(rows);
    for (const Row& row : *job.rows)
      if (view->is_evidence(row)) job.of_store.insert(library::key_of(row));
    job.missing = view->missing();
  } else if (away) {
    job.missing = {away->node};
  }
  if (options.json)
    print_json(job, view);
  else
    print_text(job, LocalTimes(options.time, *config));
  std::cout.flush();
  if (ledger) name_missing("show", **ledger);
  if (away) name_away("show", away->node, view);
  if (!ledger && ledger.error().code == Errc::denied) (void)fail("show", ledger.error());
  if (has_file) warn_of_difference(**found, answer);
  return is_refused(answer) ? fail("show", answer.error()) : Exit::done;
}

}  // namespace

Run setup_show(CLI::App& command) {
  auto options = std::make_shared<ShowOptions>();
  add_config_options(command, options->config);
  add_text_or_json_option(command, options->json);
  add_time_option(command, options->time);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
