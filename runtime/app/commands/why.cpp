// ballot why JOB [--at TIME], ballot why RUN: what became of the job's latest slot, or of the latest one at or before
// TIME, or of a run, and the one cause that applied. Slots are those of the ledger and, of a loaded job, those of its
// schedule (but for @every, whose phase only its register knows).
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/document.hpp"
#include "app/escape.hpp"
#include "app/ledger_access.hpp"
#include "app/loaded_jobs.hpp"
#include "app/local_times.hpp"
#include "app/options.hpp"
#include "app/row_document.hpp"
#include "app/stored_states.hpp"
#include "app/subject.hpp"
#include "app/why_detail.hpp"
#include "app/why_nothing.hpp"
#include "app/why_text.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

struct WhyOptions {
  ConfigOptions config;
  std::string subject;
  std::optional<WallTime> at;
  bool json = false;
  ScopeOptions scope;
};

/// The last slot at or before `time`. next() ascends with what it is given, so the instant at which it jumps beyond
/// `time` can be searched for.
std::optional<WallTime> last_slot(const schedule::Plan& plan, WallTime time) {
  if (!plan.everies().empty()) return std::nullopt;
  const auto slot_in = [&](WallTime after) {
    const auto slot = plan.next(after, {});
    return slot && slot->at <= time ? std::optional(slot->at) : std::nullopt;
  };
  constexpr Millis longest = std::chrono::years(40);  // a 29 February on a given weekday comes every 28
  Millis back = std::chrono::minutes(1);
  while (!slot_in(time - back)) {
    if (back >= longest) return std::nullopt;
    back = std::min(back * 4, longest);
  }
  WallTime before = time - back, past = time;  // a slot follows `before`, none follows `past`
  while (past - before > Millis(1)) {
    const WallTime middle = before + (past - before) / 2;
    (slot_in(middle) ? before : past) = middle;
  }
  return slot_in(before);
}

/// The rows of the ledger's latest slot at or before `time`, last attempt first.
Result<std::vector<Row>> last_rows(library::LedgerView& ledger, const std::string& job, WallTime time) {
  std::optional<Row> newest;
  const auto page = ledger.history({.jobs = {job}, .until = time + Millis(1), .limit = 1},
                                   [&](const Row& row) { return newest = row, false; });
  if (!page) return page.error();
  if (!newest) return std::vector<Row>();
  return ledger.at(job, newest->slot);
}

/// All attempts of a run, the last one first.
Result<std::vector<Row>> rows_of(library::LedgerView& ledger, const RunId& run) {
  std::vector<Row> rows;
  const auto page =
      ledger.history({.run = run, .limit = std::nullopt}, [&](const Row& row) { return rows.push_back(row), true; });
  if (!page) return page.error();
  return rows;
}

schedule::DefinitionPtr loaded(const std::string& job, const config::Config& config) {
  const config::JobsDir jobs = load_jobs(config);
  const auto found = jobs.set().definitions.find(job);
  return found == jobs.set().definitions.end() ? nullptr : *found;
}

/// Of another node's instance, as the files here define it: null where they do not.
schedule::DefinitionPtr defined_elsewhere(const std::string& job, const config::Config& config) {
  return config::definition_on(load_jobs(config).set(), config.node, job);
}

/// What is known of a slot or a run, and why it is so.
struct WhyAnswer {
  std::string job, headline, text;
  std::optional<WallTime> slot;
  std::string word;            // where no row says it
  std::vector<Row> rows = {};  // last attempt first
  bool is_of_store = false;    // the last of them is what the store alone shows
};

std::size_t text_width() {
  const std::size_t terminal = terminal_width();
  return terminal == 0 ? 80 : std::clamp<std::size_t>(terminal, 40, 100);
}

void print_json(const WhyAnswer& answer, const library::LedgerView& ledger) {
  Document::Items rows;
  for (const Row& row : answer.rows)
    rows.push_back(row_document(row, answer.is_of_store && rows.empty() ? RowSource::store : RowSource::ledger));
  const Row* const last = answer.rows.empty() ? nullptr : &answer.rows.front();
  const auto text_or_null = [](std::string_view text) {
    return text.empty() ? Document() : Document(std::string(text));
  };
  Document document = Document::object();
  document.add("job", answer.job).add("slot", answer.slot ? Document(format_slot(*answer.slot)) : Document());
  document.add("status", last ? std::string(to_string(last->status)) : answer.word);
  document.add("reason", last ? text_or_null(to_string(last->reason)) : Document());
  document.add("run_id", last && last->run ? Document(last->run->text()) : Document());
  document.add("why", answer.text).add("rows", std::move(rows));
  if (answer.is_of_store) document.add("evidence", "store");
  document.add("missing", missing_document(ledger.missing()));
  add_alone(document, ledger);
  std::cout << to_json(document);
}

void print(const WhyAnswer& answer, const WhyOptions& options, const library::LedgerView& ledger) {
  if (options.json) return print_json(answer, ledger);
  std::cout << escaped(answer.headline, Escape::plain) << '\n'
            << wrapped(escaped(answer.text, Escape::plain), text_width()) << '\n';
}

std::vector<std::string> names_of(const std::vector<library::MissingNode>& missing) {
  std::vector<std::string> names;
  for (const library::MissingNode& node : missing) names.push_back(node.node);
  return names;
}

std::string zone_of(const schedule::DefinitionPtr& definition) { return definition ? definition->job.timezone : "UTC"; }

WhyAnswer explain(const std::vector<Row>& rows, const config::Config& config, const schedule::DefinitionPtr& definition,
                  library::LedgerView& ledger, const std::string& what_is_now = "") {
  const Row& last = rows.front();
  const bool waits = last.status == Status::queued && last.attempt > 1;
  if (ledger.is_evidence(last))
    return {last.job,
            headline(last, zone_of(definition)) + evidence_mark(last, names_of(ledger.missing())),
            evidence_text(last) + (waits ? retry_text(rows, last.attempt, definition) : "") + before_text(rows) +
                what_is_now,
            last.slot,
            "",
            rows,
            true};
  const NextAttempt next = last.run ? ask_next_attempt(config, *last.run) : std::nullopt;
  const bool is_tried_again = next && *next > last.attempt;
  std::string text = circumstances(last);
  if (!is_tried_again) text += attempts_text(rows, ledger.is_of_fleet() ? "the ledgers know" : "this ledger knows");
  const std::string detail = why_detail(last, ledger, config, definition);
  const bool says_all = last.reason == Reason::cannot_start && !detail.empty();
  if (!says_all) text += " " + std::string(rule_of(last));
  text += detail;
  if (last.run) text += what_follows(last, definition, next);
  if (is_tried_again) text += retry_text(rows, *next, definition);
  std::string line = headline(last, zone_of(definition));
  if (is_tried_again) line += ", queued for attempt " + std::to_string(*next);
  return {last.job, std::move(line), text + what_is_now, last.slot, "", rows};
}

UnrecordedSlot::Daemon without(const Error& error) {
  using Daemon = UnrecordedSlot::Daemon;
  if (error.code == Errc::timeout) return Daemon::hung;
  return error.code == Errc::not_found ? Daemon::unaware : Daemon::away;
}

/// What the daemon knows of the job.
void ask_about(const config::Config& config, UnrecordedSlot& slot) {
  constexpr std::chrono::seconds patience(5);
  io::Message question;
  question.set("do", "job").set("job", slot.job);
  auto answer = io::ask_once(config.control_socket, question, patience);
  using Daemon = UnrecordedSlot::Daemon;
  slot.daemon = answer ? Daemon::there : without(answer.error());
  if (slot.daemon == Daemon::unaware) answer = ask_instance_elsewhere(config, slot.job);
  if (!answer) return;
  const auto time = [&](const char* key) { return parse_wall(answer->text(key).value_or("")); };
  if (slot.schedule == UnrecordedSlot::Schedule::not_loaded && slot.daemon == Daemon::there) {
    slot.schedule = UnrecordedSlot::Schedule::of_program;
    slot.group = answer->text("group").value_or("");
    slot.next = time("next_slot");
  }
  slot.leader = answer->text("leader").value_or("");
  slot.state = answer->text("state").value_or("");
  slot.trouble = answer->text("trouble").value_or("");
  slot.halted_at = time("halted_at");
  slot.halted_with_group = answer->flag("halted_with_group").value_or(false);
  slot.since = time("since");
  slot.pauses = pauses_from(*answer);
  question.set("do", "waiting");
  const auto waiting = io::ask_once(config.control_socket, question, patience);
  const auto slots = waiting ? waiting->texts("slots") : std::vector<std::string>();
  slot.waits = slot.slot && std::find(slots.begin(), slots.end(), format_slot(*slot.slot)) != slots.end();
}

/// Of a job that another node leads: whether that was heard of of late.
void ask_of_leader(const config::Config& config, UnrecordedSlot& slot) {
  for (const io::Message& node : ask_nodes(config)) {
    if (node.text("node") != slot.leader) continue;
    slot.leader_is_silent = node.text("state") == "silent";
    slot.leader_heard = parse_wall(node.text("last_heard").value_or(""));
  }
}

/// Of a job that another node leads, or nobody.
void ask_store(const ConfigOptions& options, UnrecordedSlot& slot) {
  const auto config = load_backend_config(options);
  if (!config) return;
  const auto stored = StoredStates::read(*config, slot.job, slot.group);
  if (!stored || stored->word == "active") return;
  slot.state = stored->over(slot.state);
  slot.pauses = stored->pauses;
  if (stored->word == "paused") return;
  slot.trouble = stored->why;
  slot.halted_at = stored->since;
  slot.halted_with_group = stored->of_group;
}

UnrecordedSlot::Schedule schedule_of(const schedule::DefinitionPtr& definition) {
  using Schedule = UnrecordedSlot::Schedule;
  if (!definition) return Schedule::not_loaded;
  if (!definition->job.enabled) return Schedule::disabled;
  if (definition->job.schedule.empty()) return Schedule::none;
  const bool only_reboot = definition->plan.on_reboot() && definition->job.schedule.size() == 1;
  return only_reboot ? Schedule::only_reboot : Schedule::some;
}

WhyAnswer explain_nothing(const std::string& job, const ConfigOptions& options, const config::Config& config,
                          const schedule::DefinitionPtr& definition, const std::optional<WallTime>& at,
                          library::LedgerView& ledger) {
  UnrecordedSlot slot;
  slot.job = job;
  slot.slot = at;
  slot.now = io::read_clocks().wall;
  slot.schedule = schedule_of(definition);
  slot.keep = config.history.keep;
  slot.node = config.node;
  slot.missing = names_of(ledger.missing());
  if (ledger.is_of_fleet()) slot.scope = UnrecordedSlot::Scope::fleet;
  if (definition) {
    slot.group = definition->job.group;
    const std::vector<WallTime> anchors(definition->plan.everies().size(), slot.now);
    if (const auto next = definition->plan.next(slot.now, anchors); next && anchors.empty()) slot.next = next->at;
  }
  if (const auto elsewhere = definition ? nullptr : defined_elsewhere(job, config)) slot.group = elsewhere->job.group;
  ask_about(config, slot);
  if (slot.leader != slot.node) ask_store(options, slot);
  if (!slot.leader.empty() && slot.leader != slot.node) ask_of_leader(config, slot);
  Explained why = why_nothing(slot);
  Row waiting;
  waiting.job = job;
  waiting.slot = at.value_or(WallTime{});
  waiting.status = Status::queued;
  if (slot.waits) why.text += why_detail(waiting, ledger, config, definition);
  const std::string headline = job + ' ' + (at ? slot_in_zone(*at, zone_of(definition)) + ' ' : "") + why.word;
  return {job, headline, why.text, at, why.word};
}

/// Why no more is known than what is recorded: the job is halted. "" where that is not so, as far as is known here.
std::string what_keeps(const std::string& job, const config::Config& config,
                       const schedule::DefinitionPtr& definition) {
  UnrecordedSlot slot;
  slot.job = job;
  slot.node = config.node;
  if (definition) slot.group = definition->job.group;
  ask_about(config, slot);
  return slot.state == "halted" ? " " + halted_text(slot) : "";
}

WallTime end_of(const std::vector<Row>& rows) { return rows.front().slot_until.value_or(rows.front().slot); }

/// The job's last slot up to the time: of the ledger, or of its schedule.
Result<WhyAnswer> explain_job(const std::string& job, const WhyOptions& options, const config::Config& config,
                              library::LedgerView& ledger) {
  const WallTime time = options.at.value_or(io::read_clocks().wall);
  const auto rows = last_rows(ledger, job, time);
  if (!rows) return rows.error();
  const schedule::DefinitionPtr definition = loaded(job, config);
  const schedule::DefinitionPtr planned = definition ? definition : defined_elsewhere(job, config);
  const auto slot = planned && planned->job.enabled ? last_slot(planned->plan, time) : std::nullopt;
  if (!rows->empty() && (!slot || *slot <= end_of(*rows)))
    return explain(*rows, config, definition, ledger,
                   options.at && !ledger.is_evidence(rows->front()) ? "" : what_keeps(job, config, definition));
  return explain_nothing(job, options.config, config, definition, slot, ledger);
}

Result<WhyAnswer> explain_run(const RunId& run, const std::string& job, const config::Config& config,
                              library::LedgerView& ledger) {
  const auto rows = rows_of(ledger, run);
  if (!rows) return rows.error();
  if (rows->empty())
    return library::not_known(ledger, ledger.is_of_fleet() ? "no node that answers has a row of run " + run.text()
                                                           : "this node's ledger has no run " + run.text());
  return explain(*rows, config, loaded(job, config), ledger);
}

Exit run(const WhyOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.scope.scope());
  if (!ledger) return fail("why", ledger.error());
  const auto subject = find_subject(options.subject, *config, **ledger);
  if (!subject) return fail("why", subject.error());
  const std::string_view of_node = node_of_instance(subject->job);
  if (!of_node.empty() && of_node != config->node && (*ledger)->is_of_fleet())
    if (const auto known = library::require_nodes(**ledger, {std::string(of_node)}); !known)
      return fail("why", known.error());
  if (subject->run && options.at) return fail("why", {Errc::invalid, "--at is of a job's slots, not of a run"});
  const auto explained = subject->run ? explain_run(*subject->run, subject->job, *config, **ledger)
                                      : explain_job(subject->job, options, *config, **ledger);
  if (explained) print(*explained, options, **ledger);
  name_missing("why", **ledger);
  if (explained && !explained->rows.empty() && !is_final(explained->rows.front().status))
    warn_of_open_rows("why", **ledger);
  return explained ? Exit::done : fail("why", explained.error());
}

}  // namespace

Run setup_why(CLI::App& command) {
  auto options = std::make_shared<WhyOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->subject, "a job's name, or a run's last 6 or more digits", Need::required);
  add_scope_options(command, options->scope, ScopeFlags::local_and_node);
  add_value(command, "--at TIME", "the job's last slot up to this time; default: now",
            [to = options.get()](const std::string& text) { return take(parse_time(text), to->at); });
  add_text_or_json_option(command, options->json);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
