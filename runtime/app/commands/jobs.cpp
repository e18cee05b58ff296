// ballot jobs [NAME]: the jobs as the daemon has them in force.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/client/stored_states.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/jobs/job_tree.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "app/print/local_times.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/names.hpp"
#include "config/other_instance.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/refusal_text.hpp"

namespace ballot::app {
namespace {

using library::StoredStates;

struct JobsOptions {
  ConfigOptions config;
  Format format = Format::table;
  std::string name;
  TimeOption time = TimeOption::utc;
  ScopeOptions scope;
};

Cell slot_cell(const std::string& job, const std::optional<std::string>& text, const LocalTimes& times) {
  const auto at = text ? parse_wall(*text) : std::nullopt;
  return at ? times.slot(job, *at) : Cell();
}

/// Of each job, in their order; "" where no ledger can be read.
std::vector<std::string> last_statuses(library::LedgerView* ledger, const std::vector<io::Message>& jobs) {
  std::vector<std::string> names;
  for (const io::Message& job : jobs) names.push_back(job.text("job").value_or(""));
  if (!ledger) return std::vector<std::string>(jobs.size());
  auto statuses = ledger->last_statuses(names);
  return statuses ? *std::move(statuses) : std::vector<std::string>(jobs.size());
}

Error unknown(const std::string& name, const std::vector<io::Message>& jobs) {
  std::vector<std::string> names;
  for (const io::Message& job : jobs) names.push_back(job.text("job").value_or(""));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return {Errc::not_found, "no job is called " + name + config::suggestion(name, known)};
}

/// The job of that name and its instances; of "" all.
std::vector<io::Message> named(const std::string& name, std::vector<io::Message> jobs) {
  if (name.empty()) return jobs;
  std::erase_if(jobs, [&](const io::Message& job) {
    const std::string one = job.text("job").value_or("");
    return one != name && common_name(one) != name;
  });
  return jobs;
}

/// As the daemon would show it, as far as it is known here.
io::Message message_of(const schedule::Definition& definition) {
  io::Message job;
  job.set("job", definition.job.name).set("group", std::string(*definition.job.group)).set("leader", "");
  job.set("state", std::string(definition.job.enabled ? "" : "disabled"));
  const bool is_known = definition.job.enabled && definition.plan.everies().empty();
  const auto next = is_known ? definition.plan.next_due(io::read_clocks().wall, {}) : std::nullopt;
  if (next) job.set("next_slot", format_slot(next->at));
  return job.set("after", definition.job.details->after);
}

/// Another node's instance, as this node's files define the job.
std::optional<io::Message> instance_on(const io::Message& node, const io::Message& own, const config::Config& config,
                                       const config::JobSet& set) {
  const std::string name = node.text("node").value_or(""), state = node.text("state").value_or("");
  const auto there = instance_name(common_name(own.text("job").value_or("")), name);
  const auto definition = config::definition_on(set, config.node, there);
  if (!definition) {  // the file is refused as it is now: the daemon knows what is in force
    auto known = ask_instance_elsewhere(config, there);
    return known ? std::optional(*std::move(known)) : std::nullopt;
  }
  io::Message job = message_of(*definition);
  const bool is_away = state == "gone" || state == "unknown";
  if (!is_away) job.set("leader", name);
  if (definition->job.enabled && !is_away) job.set("state", "active");  // the store says otherwise where it is paused
  return job;
}

/// Of jobs that run on each node: the instances of the node that is asked for in place of this node's; of a job that
/// is asked for by name those of all nodes.
void add_instances(const JobsOptions& options, const config::Config& config, std::vector<io::Message>& jobs) {
  const bool is_of_node = !options.scope.node.empty() && options.scope.node != config.node;
  const bool has_instances = std::any_of(jobs.begin(), jobs.end(), [&](const io::Message& job) {
    return node_of_instance(job.text("job").value_or("")) == config.node;
  });
  if (!has_instances || (!is_of_node && options.name.empty()) || options.scope.is_local) return;
  const config::JobsDir loaded = load_jobs(config);
  std::vector<io::Message> all;
  std::vector<io::Message> nodes = ask_nodes(config);
  std::erase_if(nodes, [&](const io::Message& node) {
    return node.text("node") == config.node || (is_of_node && node.text("node") != options.scope.node);
  });
  for (io::Message& job : jobs) {
    const std::string name = job.text("job").value_or("");
    const bool is_own_instance = node_of_instance(name) == config.node && options.name != name;
    if (is_own_instance)
      for (const io::Message& node : nodes)
        if (auto there = instance_on(node, job, config, loaded.set())) all.push_back(*std::move(there));
    if (!is_own_instance || !is_of_node) all.push_back(std::move(job));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.text("job") < b.text("job"); });
  jobs = std::move(all);
}

/// Whether the table says beside the tree what each job comes after: not on a terminal that shows it whole. What reads
/// a pipe may see one line of it.
bool has_after(const std::vector<io::Message>& jobs, const std::vector<TreePlace>& tree, const Layout& layout) {
  if (layout.width > 0)
    return std::any_of(tree.begin(), tree.end(), [](const TreePlace& one) { return !one.says_all; });
  return std::any_of(jobs.begin(), jobs.end(), [](const io::Message& job) { return !job.texts("after").empty(); });
}

/// In a table what matters most comes first.
std::vector<Column> columns(Format format, bool with_after) {
  if (format != Format::table)
    return {{"job"},   {"group"},          {"leader"},       {"next_slot"},     {"last_status"},
            {"state"}, {"paused_until"},   {"pause_reason"}, {"overdue_since"}, {"slow"},
            {"after"}, {"backfill_begun"}, {"backfill_left"}};
  return {{"job", "JOB", Tint::plain, Room::may_go, Shape::tree},
          {"last_status", "LAST STATUS", Tint::by_word},
          {"state", "STATE", Tint::by_word},
          {"next_slot", "NEXT SLOT"},
          {"group", "GROUP"},
          {"leader", "LEADER"},
          {"after", with_after ? "AFTER" : "", Tint::plain, Room::yields}};
}

/// In a table each below the one that it comes after.
std::vector<TreePlace> order_of(const std::vector<io::Message>& jobs, Format format) {
  std::vector<ListedJob> listed;
  for (const io::Message& job : jobs)
    listed.push_back({job.text("job").value_or(""), format == Format::table ? job.texts("after") : NameList()});
  return job_tree(listed);
}

/// Of other nodes' instances: why those have none.
void name_undefined(const std::vector<io::Message>& jobs) {
  for (const io::Message& job : jobs)
    if (job.text("state") == library::not_defined)
      std::cerr << "ballot jobs: "
                << escaped(job.text("job").value_or("") + " is " + std::string(library::not_defined) + ": " +
                               job.text("trouble").value_or(""),
                           Escape::plain)
                << '\n';
}

/// The daemon has asked the store before: of one that hangs nobody waits twice.
Millis left_of_patience(SteadyTime asked_at) {
  constexpr Millis least{1000};
  return std::max(store_patience - (io::read_clocks().steady - asked_at), least);
}

/// What is to be said of a job beside its state: what it was expected to keep and does not, and how far its backfill
/// is.
struct Beside {
  std::optional<WallTime> overdue_since;
  bool is_slow = false;
  std::optional<library::BackfillPosition> backfill = {};
};

Beside beside_of(const io::Message& job) {
  return {parse_wall(job.text("overdue_since").value_or("")), job.flag("slow").value_or(false),
          library::position_in(job)};
}

/// In a table, in the place of a state that says nothing.
std::string with_beside(const std::string& state, const Beside& beside) {
  if (state != "active") return state;
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (beside.overdue_since) add("overdue");
  if (beside.is_slow) add("slow");
  if (beside.backfill) add(text_of(*beside.backfill));
  return text.empty() ? state : text;
}

/// What only the store knows of jobs that another node leads, or nobody.
class States {
 public:
  /// `within`: how long the store may take to answer.
  States(const ConfigOptions& options, const std::string& node, Millis within)
      : options_(options), node_(node), within_(within) {}

  /// "" where it is not known. `is_unheard`: who leads the job has not answered; the store shows no more than pauses
  /// and halts. The order is that of the states.
  std::string of(const io::Message& job, bool is_unheard) {
    pauses_ = library::pauses_from(job);
    beside_ = beside_of(job);
    const std::string state = job.text("state").value_or("");
    if (job.text("leader") == node_ || state.starts_with("waiting")) return state;
    if (!stored_) stored_ = read();
    const std::string unsure = state == "active" ? "" : state;
    if (!*stored_) return unsure;
    const auto stored = (*stored_)->of(job.text("job").value_or(""), job.text("group").value_or(""));
    pauses_ = stored.pauses;
    beside_ = {stored.overdue_since, stored.is_slow};
    return stored.word == "active" && is_unheard ? unsure : stored.over(state);
  }
  /// Of the job that was asked for last.
  const std::vector<library::Pause>& pauses() const { return pauses_; }
  const Beside& beside() const { return beside_; }
  /// Why the store has not been read, where it was asked.
  std::optional<Error> trouble() const { return stored_ && !*stored_ ? std::optional(stored_->error()) : std::nullopt; }

 private:
  Result<StoredStates> read() const {
    const auto config = load_backend_config(options_);
    return config ? read_stored_states(*config, within_) : Error{Errc::invalid, "the configuration"};
  }

  const ConfigOptions& options_;
  const std::string& node_;
  const Millis within_;
  std::optional<Result<StoredStates>> stored_;
  std::vector<library::Pause> pauses_;
  Beside beside_;
};

/// In the place of its next slot, which is not known before; where somebody has to resume it, there is none.
Cell end_of_pause(const std::string& job, const std::vector<library::Pause>& pauses, const LocalTimes& times) {
  const auto until = library::paused_until(pauses);
  if (!until) return {};
  const Cell slot = times.slot(job, *until);
  const auto* const local = std::get_if<LocalSlot>(&slot);
  return LocalSlot{local ? local->text : format_seconds(*until), "until "};
}

/// What is known of a job besides the daemon's answer.
struct JobFacts {
  std::string last_status, state;
  std::vector<library::Pause> pauses;
  Beside beside;
  bool is_of_store = false;  // the last status
};

/// Of several pauses the job's own comes first, as in the API.
void write_row(const io::Message& job, const JobFacts& known, const TreePlace& place,
               const std::set<std::string>& silent, const LocalTimes& times, Format format, RecordWriter& out) {
  const std::string name = job.text("job").value_or("");
  const bool is_defined = known.state != library::not_defined, is_paused = known.state == "paused";
  const std::string led = is_defined ? job.text("leader").value_or("") : "";
  const Cell group = word(job.text("group").value_or("")), leader = word(led), last = word(known.last_status);
  const Cell due = is_defined ? slot_cell(name, job.text("next_slot"), times) : Cell();
  const Cell next = !is_paused ? due : format == Format::table ? end_of_pause(name, known.pauses, times) : Cell();
  if (format == Format::table)
    return out.row({std::string(2 * place.depth, ' ') + name,
                    known.is_of_store ? Cell(known.last_status + " (store)") : last,
                    word(with_beside(known.state, known.beside)), next, group,
                    silent.contains(led) ? Cell(led + " (silent)") : leader, job.texts("after")});
  const library::Pause pause = is_paused && !known.pauses.empty() ? known.pauses.front() : library::Pause();
  std::vector<Cell> cells{name, group, leader, next, last, word(known.state), cell(pause.until), word(pause.reason)};
  cells.push_back(cell(known.beside.overdue_since));
  cells.push_back(known.beside.is_slow ? Cell(std::string("yes")) : Cell());
  cells.push_back(job.texts("after"));
  const auto& backfill = known.beside.backfill;
  cells.push_back(backfill ? Cell(backfill->begun) : Cell());
  cells.push_back(backfill ? Cell(backfill->left) : Cell());
  if (format != Format::json || !known.is_of_store) return out.row(std::move(cells));
  const std::vector<Column> names = columns(format, true);
  RecordWriter::Fields fields;
  for (std::size_t i = 0; i < names.size(); ++i) fields.emplace_back(names[i].name, std::move(cells[i]));
  fields.emplace_back("evidence", std::string("store"));
  out.remark(fields);
}

/// Ends the list with the nodes that are known to begin nothing, as the store takes no writes of them, and why.
void finish(const config::Config& config, RecordWriter& out) {
  std::map<std::string, std::string> refused;
  for (const io::Message& node : ask_nodes(config))
    for (const std::string& reason : node.texts("reasons"))
      if (const auto at = reason.find(library::store_refuses); at != std::string::npos)
        refused.emplace(node.text("node").value_or(""), reason.substr(at));
  for (const auto& [node, why] : refused) out.remark({{"unfit", node}, {"why", why}});
  out.finish();
  std::cout.flush();
  for (const auto& [node, why] : refused)
    std::cerr << "ballot jobs: " << escaped("node " + node + " starts nothing at present: " + why, Escape::plain)
              << '\n';
}

Exit run(const JobsOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const SteadyTime asked_at = io::read_clocks().steady;
  const auto answer = ask_jobs(*config);
  if (!answer) return fail("jobs", answer.error());
  std::vector<io::Message> jobs = named(options.name, *answer);
  const auto ledger = open_ledger(*config, options.scope.scope());
  library::LedgerView* const asked = ledger ? ledger->get() : nullptr;
  if (asked && !options.scope.node.empty() && options.scope.node != config->node)
    if (const auto known = library::require_nodes(*asked, {options.scope.node}); !known)
      return fail("jobs", known.error());
  std::optional<AwayInstance> away;
  if (jobs.empty() && !options.name.empty()) {
    away = find_away(options.name, *config, load_jobs(*config).set(), asked);
    auto elsewhere = away ? message_of(*away->definition) : ask_instance_elsewhere(*config, options.name);
    if (!elsewhere) {
      const auto own = require_own(options.name, *config);
      return fail("jobs",
                  with_config_errors(own ? unknown(options.name, *answer) : own.error(), load_jobs(*config).set()));
    }
    jobs.push_back(*std::move(elsewhere));
  }
  add_instances(options, *config, jobs);
  std::vector<std::string> statuses = last_statuses(asked, jobs);
  if (options.format == Format::table && find_silence(options.scope.node, *config, asked))
    for (std::string& status : statuses)
      if (status.empty()) status = "(no answer)";
  const std::vector<TreePlace> order = order_of(jobs, options.format);
  const Layout layout = stdout_layout(options.format);
  RecordWriter out(std::cout, columns(options.format, has_after(jobs, order, layout)), layout);
  const LocalTimes times(options.format == Format::table ? options.time : TimeOption::utc, *config);
  // A node that is asked alone need not lead them.
  const bool are_said = set_said_states(jobs, *config, options.scope.node.empty() ? asked : nullptr);
  States states(options.config, config->node, left_of_patience(asked_at));
  const std::set<std::string> silent = ask_silent_leaders(*config, jobs, "leader");
  const std::set<std::string> by_store = ledger ? (*ledger)->known_by_store() : std::set<std::string>();
  for (const TreePlace& place : order) {
    const std::size_t i = place.job;
    const bool is_of_store = by_store.contains(jobs[i].text("job").value_or(""));
    const auto said = are_said ? jobs[i].text("state") : std::nullopt;
    const bool is_unheard = are_said || silent.contains(jobs[i].text("leader").value_or(""));
    const std::string state = said ? *said : states.of(jobs[i], is_unheard);
    const JobFacts known{statuses[i], state, said ? library::pauses_from(jobs[i]) : states.pauses(),
                         said ? beside_of(jobs[i]) : states.beside(), is_of_store};
    write_row(jobs[i], known, place, silent, times, options.format, out);
  }
  if (ledger) remark_missing(out, **ledger, *config);
  finish(*config, out);
  if (const auto trouble = states.trouble(); trouble && trouble->code == Errc::unavailable)
    std::cerr << "ballot jobs: " << escaped(trouble->what, Escape::plain)
              << ": who leads is not known, nor the state of what other nodes lead\n";
  name_undefined(jobs);
  if (ledger) name_missing("jobs", **ledger);
  if (away) name_away("jobs", away->node, asked);
  return Exit::done;
}

}  // namespace

Run setup_jobs(CLI::App& command) {
  auto options = std::make_shared<JobsOptions>();
  add_config_options(command, options->config);
  add_format_option(command, options->format);
  add_time_option(command, options->time);
  add_scope_options(command, options->scope, ScopeFlags::local_and_node);
  add_string(command, "NAME", options->name, "only this job");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
