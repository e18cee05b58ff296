// ballot next [--for 1h]: what is due in that time over the fleet, in order, with the node that leads it.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/away_instance.hpp"
#include "app/commands/commands.hpp"
#include "app/escape.hpp"
#include "app/held_jobs.hpp"
#include "app/history_columns.hpp"
#include "app/ledger_access.hpp"
#include "app/loaded_jobs.hpp"
#include "app/local_times.hpp"
#include "app/options.hpp"
#include "app/stored_states.hpp"
#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"
#include "library/fleet_questions.hpp"

namespace ballot::app {
namespace {

struct NextOptions {
  ConfigOptions config;
  Format format = Format::table;
  TimeOption time = TimeOption::utc;
  Millis ahead = library::default_ahead;
  std::string job, group, node;
};

struct ToCome {
  std::vector<io::Message> slots;
  std::vector<HeldJob> held = {};        // of what was asked for by name
  std::set<std::string> leaders = {};    // of that, as far as they are known
  std::vector<WaitingRun> waiting = {};  // runs whose next attempt is to come within the time
  std::vector<std::string> unknown;      // jobs whose slots are not known here
  bool left_out = false;                 // there may be more slots
};

/// `held`: registers by which jobs or groups of other nodes are paused or halted.
Result<ToCome> ask_next(const NextOptions& options, const std::string& socket,
                        const std::vector<std::string>& held = {}) {
  constexpr std::chrono::seconds patience(5);  // the daemon asks the store for 2 s
  io::Message question;
  question.set("do", "next").set("for_ms", std::int64_t{options.ahead.count()});
  question.set("job", options.job).set("group", options.group).set("node", options.node);
  if (!held.empty()) question.set("held", held);
  auto client = io::ControlClient::ask(socket, question, patience);
  if (!client) return client.error();
  ToCome next;
  while (true) {
    const auto line = client->next(patience);
    if (!line) return line.error();
    if (!*line) return next;
    for (io::Message& slot : (*line)->objects("slots")) next.slots.push_back(std::move(slot));
    for (std::string& job : (*line)->texts("unknown")) next.unknown.push_back(std::move(job));
    next.left_out = next.left_out || (*line)->flag("left_out").value_or(false);
  }
}

/// As many as a request may name.
std::vector<std::string> fitting(std::vector<std::string> held) {
  constexpr std::size_t most = 9000, most_bytes = 512 * 1024;
  std::size_t bytes = 0, count = 0;
  while (count < held.size() && count < most && bytes < most_bytes) bytes += held[count++].size() + 4;
  held.resize(count);
  return held;
}

bool is_named(const NextOptions& options, const io::Message& job) {
  const std::string name = job.text("job").value_or(""), group = job.text("group").value_or("");
  return (options.job.empty() || options.job == name || options.job == common_name(name)) &&
         (options.group.empty() || options.group == group || options.group == common_name(group)) &&
         (options.node.empty() || options.node == job.text("leader"));
}

/// The jobs that somebody has asked for by name, as the daemon shows them, and those of other nodes that have slots.
std::vector<io::Message> named_jobs(const NextOptions& options, const config::Config& config, const ToCome& next) {
  if (options.job.empty() && options.group.empty()) return {};
  auto jobs = ask_jobs(config);
  if (!jobs) return {};
  std::erase_if(*jobs, [&](const io::Message& job) { return !is_named(options, job); });
  std::set<std::string> instances;
  for (const io::Message& slot : next.slots) {
    const std::string job = slot.text("job").value_or(""), node = slot.text("node").value_or("");
    if (node_of_instance(job) != node || node == config.node || !instances.insert(job).second) continue;
    jobs->push_back(io::Message().set("job", job).set("group", slot.text("group")).set("leader", node));
  }
  return *std::move(jobs);
}

std::vector<WaitingRun> waiting_runs(const NextOptions& options, const StoredStates& stored) {
  std::vector<WaitingRun> waiting = stored.waiting();
  const WallTime until = io::read_clocks().wall + options.ahead;
  std::erase_if(waiting, [&](const WaitingRun& run) {
    const io::Message job = io::Message().set("job", run.job).set("group", run.group).set("leader", options.node);
    return run.starts_at >= until || !is_named(options, job);
  });
  return waiting;
}

/// Slots of what is paused or halted are not to come, and take no other's place in the answer. What another node leads
/// only the store knows.
Result<void> drop_held(const NextOptions& options, const config::Config& config, ToCome& next) {
  const auto is_own = [&](const io::Message& slot) { return slot.text("node") == config.node; };
  const std::vector<io::Message> named = named_jobs(options, config, next);
  for (const io::Message& job : named) next.leaders.insert(job.text("leader").value_or(""));
  const bool leads_named = std::all_of(named.begin(), named.end(),
                                       [&](const io::Message& job) { return job.text("leader") == config.node; });
  next.held = held_jobs(named, config.node, nullptr);
  const bool is_all_own = leads_named && std::all_of(next.slots.begin(), next.slots.end(), is_own);
  const auto with_backend = load_backend_config(options.config);
  const auto stored = with_backend ? StoredStates::read(*with_backend) : Error{Errc::invalid, "the configuration"};
  if (!stored) return is_all_own ? Result<void>() : stored.error();
  next.waiting = waiting_runs(options, *stored);
  if (is_all_own) return {};
  next.held = held_jobs(named, config.node, &*stored);
  const auto drop = [&] {
    return std::erase_if(next.slots, [&](const io::Message& slot) {
      return !is_own(slot) &&
             stored->of(slot.text("job").value_or(""), slot.text("group").value_or("")).word != "active";
    });
  };
  if (drop() == 0 || !next.left_out) return {};
  auto again = ask_next(options, config.control_socket, fitting(stored->held()));
  if (!again) return again.error();
  again->held = std::move(next.held), again->leaders = std::move(next.leaders);
  again->waiting = std::move(next.waiting);
  next = *std::move(again);
  drop();
  return {};
}

using SilentNodes = std::map<std::string, SilentNode>;

/// Of the nodes that lead what is to come, or are asked for, those that are not heard of.
SilentNodes silent_of(const NextOptions& options, const config::Config& config, const ToCome& next) {
  std::set<std::string> named{options.node, std::string(node_of_instance(options.job))};
  named.insert(next.leaders.begin(), next.leaders.end());
  for (const io::Message& slot : next.slots) named.insert(slot.text("node").value_or(""));
  named.erase("");
  named.erase(config.node);
  if (named.empty()) return {};
  SilentNodes silent = ask_silent_nodes(config);
  std::erase_if(silent, [&](const auto& one) { return !named.contains(one.first); });
  return silent;
}

/// What becomes of slots of a node that is away.
void name_silent(const SilentNodes& silent, const std::vector<io::Message>& slots) {
  const auto has_slots = [&](const std::string& node, bool of_instances) {
    return std::any_of(slots.begin(), slots.end(), [&](const io::Message& slot) {
      return slot.text("node") == node && is_instance(slot.text("job").value_or("")) == of_instances;
    });
  };
  for (const auto& [name, node] : silent) {
    std::string text = silence_of(node);
    if (has_slots(name, false))
      text += ". Another node leads its groups soon, and what is due until then is settled by the jobs' misfire policy";
    if (has_slots(name, true))
      text +=
          ". Its instances of jobs of each node nobody else runs: while it is away these slots pass, and it settles "
          "them by the jobs' misfire policy when it is back";
    std::cerr << "ballot next: " << escaped(text, Escape::plain) << '\n';
  }
}

void remark_held(RecordWriter& out, const HeldJob& held) {
  out.remark({{held.of == Pause::Of::group ? "group" : "job", held.name},
              {"state", held.word},
              {"since", cell(held.since)},
              {"by", word(held.by)}});
}

void remark_waiting(RecordWriter& out, const WaitingRun& run) {
  out.remark({{"job", run.job},
              {"group", run.group},
              {"run_id", run.run.text()},
              {"slot", format_slot(run.slot)},
              {"attempt", static_cast<std::int64_t>(run.attempt)},
              {"starts_at", cell(std::optional(run.starts_at))}});
}

/// Attempts are no slots, and start all the same.
void name_waiting(const std::vector<WaitingRun>& waiting) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(waiting.size(), most); ++i) {
    const WaitingRun& run = waiting[i];
    const std::string text = "run " + short_id(run.run) + " of job " + run.job + " (slot " + format_slot(run.slot) +
                             ") waits for attempt " + std::to_string(run.attempt) + ", which starts at " +
                             format_seconds(run.starts_at);
    std::cerr << "ballot next: " << escaped(text, Escape::plain) << '\n';
  }
  if (waiting.size() > most)
    std::cerr << "ballot next: and " << waiting.size() - most << " more runs wait for their next attempts\n";
}

/// Why there is nothing, or less than was looked for.
void name_held(const std::vector<HeldJob>& held) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(held.size(), most); ++i)
    std::cerr << "ballot next: " << escaped(text_of(held[i]), Escape::plain) << '\n';
  if (held.size() > most) std::cerr << "ballot next: and " << held.size() - most << " more; `ballot jobs` names them\n";
}

void print_slots(const NextOptions& options, const config::Config& config, const ToCome& next,
                 const SilentNodes& silent) {
  RecordWriter out(std::cout,
                   {{"slot", "SLOT", Tint::plain, Room::stays},
                    {"job", "JOB", Tint::plain, Room::stays},
                    {"group", "GROUP"},
                    {"node", "NODE", Tint::plain, Room::stays}},
                   stdout_layout(options.format));
  const LocalTimes times(options.format == Format::table ? options.time : TimeOption::utc, config);
  for (const io::Message& slot : next.slots) {
    const std::string job = slot.text("job").value_or("");
    const auto at = parse_wall(slot.text("slot").value_or(""));
    const std::string node = slot.text("node").value_or("");
    const auto marked = options.format == Format::table ? silent.find(node) : silent.end();
    out.row({at ? times.slot(job, *at) : Cell(), job, slot.text("group").value_or(""),
             word(marked != silent.end() ? node + " (" + marked->second.state + ")" : node)});
  }
  for (const WaitingRun& run : next.waiting) remark_waiting(out, run);
  for (const HeldJob& held : next.held) remark_held(out, held);
  for (const auto& [name, node] : silent) remark_missing(out, node);
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
  const auto checked = drop_held(options, *config, *next);
  const SilentNodes silent = silent_of(options, *config, *next);
  print_slots(options, *config, *next, silent);
  name_waiting(next->waiting);
  name_held(next->held);
  name_silent(silent, next->slots);
  if (!checked)
    std::cerr << "ballot next: " << checked.error().what
              << ": slots of jobs that are paused and led by other nodes may be among these\n";
  if (next->left_out) std::cerr << "ballot next: these are the first; there may be more: see --for, --job, --group\n";
  for (const std::string& job : next->unknown)
    std::cerr << "ballot next: " << job << " has an @every, which only the node that leads it counts: ask there\n";
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
