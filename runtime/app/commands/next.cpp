// ballot next [--for 1h]: what is due in that time over the fleet, in order, with the node that leads it.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/history/history_columns.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "app/print/local_times.hpp"
#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"
#include "library/held/held_jobs.hpp"
#include "library/next_answers.hpp"

namespace ballot::app {
namespace {

struct NextOptions {
  ConfigOptions config;
  Format format = Format::table;
  TimeOption time = TimeOption::utc;
  Millis ahead = library::default_ahead;
  std::string job, group, node;
};

struct NextSilentNode : SilentNode {
  std::string becomes = {};  // of its slots
};
using SilentNodes = std::map<std::string, NextSilentNode>;

/// As the daemon answers.
struct ToCome {
  std::vector<io::Message> slots;
  std::vector<library::HeldJob> held;  // of what was asked for by name
  std::vector<io::Message> attempts;   // of runs that wait for them
  SilentNodes silent;                  // of the nodes that lead what is to come, or are asked for
  std::vector<io::Message> unfit;      // that lead it, and start nothing at present
  std::vector<std::string> unknown;    // jobs whose slots are not known
  bool states_are_known = true;        // of what other nodes lead
  bool left_out = false;               // there may be more slots
};

library::HeldJob held_from(const io::Message& one) {
  const auto group = one.text("group");
  return {group ? library::Pause::Of::group : library::Pause::Of::job,
          group.value_or(one.text("job").value_or("")),
          one.text("state").value_or(""),
          parse_wall(one.text("since").value_or("")),
          one.text("by").value_or(""),
          one.text("trouble").value_or(""),
          parse_wall(one.text("until").value_or(""))};
}

void take_silent(const io::Message& one, SilentNodes& silent) {
  const auto text = [&](const char* key) { return one.text(key).value_or(""); };
  if (text("state") != "silent" && text("state") != "gone") return;
  library::MissingNode node{text("node"), parse_wall(text("last_heard")), text("why"), text("heard_by")};
  if (node.why.empty()) node.why = text("state");
  silent[text("node")] = {{std::move(node), text("state")}, text("becomes")};
}

Result<ToCome> ask_next(const NextOptions& options, const std::string& socket) {
  constexpr std::chrono::seconds patience(10);  // the daemon asks the store, for 2 s each time
  io::Message question;
  question.set("do", "next").set("for_ms", std::int64_t{options.ahead.count()});
  question.set("job", options.job).set("group", options.group).set("node", options.node);
  auto client = io::ControlClient::ask(socket, question, patience);
  if (!client) return client.error();
  ToCome next;
  while (true) {
    auto line = client->next(patience);
    if (!line) return line.error();
    if (!*line) return next;
    for (io::Message& slot : (*line)->objects("slots")) next.slots.push_back(std::move(slot));
    for (const io::Message& one : (*line)->objects("held")) next.held.push_back(held_from(one));
    for (const io::Message& one : (*line)->objects("missing")) take_silent(one, next.silent);
    for (io::Message& one : (*line)->objects("unfit")) next.unfit.push_back(std::move(one));
    if (auto attempts = (*line)->objects("attempts"); !attempts.empty()) next.attempts = std::move(attempts);
    if (auto unknown = (*line)->texts("unknown"); !unknown.empty()) next.unknown = std::move(unknown);
    next.left_out = next.left_out || (*line)->flag("left_out").value_or(false);
    next.states_are_known = next.states_are_known && (*line)->flag("states_are_known").value_or(true);
  }
}

/// With what becomes of its slots.
void name_silent(const SilentNodes& silent) {
  for (const auto& [name, node] : silent) {
    const std::string text = silence_of(node) + (node.becomes.empty() ? "" : ". " + node.becomes);
    std::cerr << "ballot next: " << escaped(text, Escape::plain) << '\n';
  }
}

void remark_silent(RecordWriter& out, const NextSilentNode& node) {
  out.remark({{"missing", word(node.node)},
              {"last_heard", cell(node.last_heard)},
              {"why", word(node.why)},
              {"heard_by", word(node.heard_by)},
              {"state", word(node.state)},
              {"becomes", word(node.becomes)}});
}

void remark_unfit(RecordWriter& out, const io::Message& node) {
  out.remark({{"unfit", node.text("node").value_or("")}, {"why", node.text("why").value_or("")}});
}

void remark_held(RecordWriter& out, const library::HeldJob& held) {
  if (!held.trouble.empty()) return out.remark({{"job", held.name}, {"state", held.word}, {"trouble", held.trouble}});
  RecordWriter::Fields fields{{held.of == library::Pause::Of::group ? "group" : "job", held.name},
                              {"state", held.word},
                              {"since", cell(held.since)},
                              {"by", word(held.by)}};
  if (held.until) fields.emplace_back("until", cell(held.until));
  out.remark(fields);
}

void remark_attempt(RecordWriter& out, const io::Message& run) {
  const auto text = [&](const char* key) { return run.text(key).value_or(""); };
  out.remark({{"job", text("job")},
              {"group", text("group")},
              {"run_id", text("run_id")},
              {"slot", text("slot")},
              {"attempt", run.integer("attempt").value_or(0)},
              {"starts_at", cell(parse_wall(text("starts_at")))}});
}

/// Attempts are no slots, and start all the same.
void name_attempts(const std::vector<io::Message>& attempts) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(attempts.size(), most); ++i) {
    const auto text = [&](const char* key) { return attempts[i].text(key).value_or(""); };
    const auto run = RunId::parse(text("run_id"));
    const auto starts_at = parse_wall(text("starts_at"));
    const std::string line = "run " + (run ? short_id(*run) : text("run_id")) + " of job " + text("job") + " (slot " +
                             text("slot") + ") waits for attempt " +
                             std::to_string(attempts[i].integer("attempt").value_or(0)) + ", which starts at " +
                             (starts_at ? format_seconds(*starts_at) : text("starts_at"));
    std::cerr << "ballot next: " << escaped(line, Escape::plain) << '\n';
  }
  if (attempts.size() > most)
    std::cerr << "ballot next: and " << attempts.size() - most << " more runs wait for their next attempts\n";
}

/// Why there is nothing, or less than was looked for.
void name_held(const std::vector<library::HeldJob>& held) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(held.size(), most); ++i)
    std::cerr << "ballot next: " << escaped(text_of(held[i]), Escape::plain) << '\n';
  if (held.size() > most) std::cerr << "ballot next: and " << held.size() - most << " more; `ballot jobs` names them\n";
}

/// "extract (paused), clean": the jobs that it comes after.
std::string after_of(const io::Message& slot) {
  const std::vector<std::string> paused = slot.texts("after_paused");
  std::string text;
  for (const std::string& job : slot.texts("after")) {
    const bool is_paused = std::find(paused.begin(), paused.end(), job) != paused.end();
    text += (text.empty() ? "" : ", ") + job + (is_paused ? " (paused)" : "");
  }
  return text;
}

void print_slots(const NextOptions& options, const config::Config& config, const ToCome& next) {
  const bool has_chains = std::any_of(next.slots.begin(), next.slots.end(),
                                      [](const io::Message& slot) { return !after_of(slot).empty(); });
  RecordWriter out(std::cout,
                   {{"slot", "SLOT", Tint::plain, Room::stays},
                    {"job", "JOB", Tint::plain, Room::stays},
                    {"group", "GROUP"},
                    {"node", "NODE", Tint::plain, Room::stays},
                    {"node_state"},
                    {"after", has_chains ? "AFTER" : ""}},
                   stdout_layout(options.format));
  const LocalTimes times(options.format == Format::table ? options.time : TimeOption::utc, config);
  for (const io::Message& slot : next.slots) {
    const std::string job = slot.text("job").value_or("");
    const auto at = parse_wall(slot.text("slot").value_or(""));
    const std::string node = slot.text("node").value_or("");
    const std::string state = slot.text("node_state").value_or("");
    const bool is_marked = options.format == Format::table && !state.empty();
    out.row({at ? times.slot(job, *at) : Cell(), job, slot.text("group").value_or(""),
             word(is_marked ? node + " (" + state + ")" : node), word(state), word(after_of(slot))});
  }
  for (const io::Message& run : next.attempts) remark_attempt(out, run);
  for (const library::HeldJob& held : next.held) remark_held(out, held);
  for (const auto& [name, node] : next.silent) remark_silent(out, node);
  for (const io::Message& node : next.unfit) remark_unfit(out, node);
  out.finish();
  std::cout.flush();
}

/// A node that is mistyped would have instances as any other.
Result<void> require_names(const NextOptions& options, const config::Config& config, bool is_nothing) {
  std::vector<std::string> nodes;
  for (const std::string_view name :
       {std::string_view(options.node), node_of_instance(options.job), node_of_instance(options.group)})
    if (!name.empty() && name != config.node) nodes.emplace_back(name);
  const bool has_names = !options.job.empty() || !options.group.empty() || !options.node.empty();
  if (nodes.empty() && !(is_nothing && has_names)) return {};
  const auto ledger = open_ledger(config, {.is_fleet = true});
  if (!ledger) return ledger.error();
  if (auto known = library::require_nodes(**ledger, nodes); !known) return known;
  if (!is_nothing) return {};
  if (!options.job.empty())
    if (auto known = require_job(options.job, config, **ledger); !known) return known;
  return options.group.empty() ? Result<void>() : require_group(options.group, config, **ledger);
}

Exit run(const NextOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto next = ask_next(options, config->control_socket);
  if (!next) return fail("next", next.error());
  if (const auto known = require_names(options, *config, next->slots.empty()); !known)
    return fail("next", known.error());
  print_slots(options, *config, *next);
  name_attempts(next->attempts);
  name_held(next->held);
  name_silent(next->silent);
  for (const io::Message& node : next->unfit)
    std::cerr
        << "ballot next: node " << node.text("node").value_or("")
        << " starts nothing at present: " << escaped(node.text("why").value_or(""), Escape::plain)
        << ". What is due meanwhile is settled by the jobs' misfire policy, once that is over or another node leads\n";
  if (!next->states_are_known)
    std::cerr << "ballot next: the store does not answer: slots of jobs that are paused and led by other nodes may be "
                 "among these\n";
  if (next->left_out) std::cerr << "ballot next: these are the first; there may be more: see --for, --job, --group\n";
  for (const std::string& job : next->unknown)
    std::cerr << "ballot next: " << job
              << " has an @every, and the store does not show where it counts from: ask the node that leads it\n";
  return Exit::done;
}

}  // namespace

Run setup_next(CLI::App& command) {
  auto options = std::make_shared<NextOptions>();
  NextOptions& to = *options;
  add_config_options(command, to.config);
  add_format_option(command, to.format);
  add_time_option(command, to.time);
  add_value(command, "--for DURATION", "how far ahead, 1h", [&to](const std::string& text) {
    const auto time = parse_duration(text);
    if (!time || *time <= Millis(0) || *time > library::most_ahead)
      return std::string("must be a duration such as 1h, and at most 366d");
    to.ahead = *time;
    return std::string();
  });
  add_string(command, "--job NAME", to.job, "only this job");
  add_string(command, "--group NAME", to.group, "only this group");
  add_string(command, "--node NAME", to.node, "only what this node leads");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
