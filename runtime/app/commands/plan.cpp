// ballot plan DIR: what would change if the job files of DIR replaced the present ones: jobs and groups, and slots of
// the next seven days.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/jobs/job_tree.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "config/job_keys.hpp"
#include "io/clocks.hpp"
#include "library/settings.hpp"
#include "schedule/slot_diff.hpp"

namespace ballot::app {
namespace {

constexpr std::chrono::hours span{7 * 24};

struct PlanOptions {
  ConfigOptions config;
  Format format = Format::table;
  std::string folder;
};

/// A job or a group that is not what it was.
struct Change {
  std::string kind, name, change, keys;
  NameList after = {};  // of a job: the jobs that it comes after
  schedule::SlotDiff slots = {};
};

const schedule::Plan* plan_of(const schedule::DefinitionPtr& definition) {
  return definition && definition->job.enabled ? &definition->plan : nullptr;
}

/// A job that has the slots of another one has its schedule, and no such keys of its own.
bool is_of_another(const schedule::Definition& job, std::string_view key) {
  constexpr std::string_view keys[] = {"schedule", "timezone", "not_before", "not_after", "calendar"};
  return job.job.details->has_slots_of_first && std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

std::string keys_of(const schedule::Definition& before, const schedule::Definition& after) {
  NameList keys;
  for (const std::string_view key : config::differing_keys(before.job, after.job))
    if (!is_of_another(before, key) || !is_of_another(after, key)) keys.emplace_back(key);
  return joined(keys);
}

std::optional<Change> compare(const schedule::DefinitionPtr& before, const schedule::DefinitionPtr& after,
                              WallTime now) {
  const schedule::Definition& job = after ? *after : *before;
  Change change{"job", job.job.name, before ? after ? "changed" : "removed" : "added", "", job.job.details->after};
  change.slots = schedule::compare_slots(plan_of(before), plan_of(after), now, now + span);
  if (!before || !after) return change;
  change.keys = keys_of(*before, *after);
  if (change.keys.empty() && change.slots.is_empty()) return std::nullopt;
  return change;
}

std::vector<Change> compare(const config::JobSet& before, const config::JobSet& after, WallTime now) {
  std::vector<Change> changes;
  std::set<std::string> jobs, groups;
  for (const config::JobSet* set : {&before, &after}) {
    for (const auto& definition : set->definitions) jobs.insert(definition->job.name);
    for (const auto& [name, group] : set->groups) groups.insert(name);
  }
  const auto job_of = [](const config::JobSet& set, const std::string& name) {
    const auto found = set.definitions.find(name);
    return found == set.definitions.end() ? nullptr : *found;
  };
  for (const std::string& name : jobs)
    if (auto change = compare(job_of(before, name), job_of(after, name), now)) changes.push_back(*std::move(change));
  for (const std::string& name : groups) {
    const auto old = before.groups.find(name), next = after.groups.find(name);
    const bool is_new = old == before.groups.end(), is_gone = next == after.groups.end();
    if (!is_new && !is_gone && old->second == next->second) continue;
    changes.push_back({"group", name, is_new ? "added" : is_gone ? "removed" : "changed", ""});
  }
  return changes;
}

Cell first_cell(const schedule::SlotDiff& slots) {
  if (slots.first_move) return SlotTime{slots.first_move->first};
  if (slots.first_vanishes && (!slots.first_appears || *slots.first_vanishes < *slots.first_appears))
    return SlotTime{*slots.first_vanishes};
  return slots.first_appears ? Cell(SlotTime{*slots.first_appears}) : Cell();
}

/// In a table each job below the one that it comes after.
std::vector<TreePlace> order_of(const std::vector<Change>& changes, Format format) {
  std::vector<ListedJob> listed;
  for (const Change& change : changes) listed.push_back({change.kind + " " + change.name, {}});
  if (format == Format::table)
    for (std::size_t i = 0; i < changes.size(); ++i)
      for (const std::string& parent : changes[i].after) listed[i].after.push_back("job " + parent);
  return job_tree(listed);
}

void print(const std::vector<Change>& changes, Format format) {
  const bool has_chain =
      std::any_of(changes.begin(), changes.end(), [](const Change& one) { return !one.after.empty(); });
  RecordWriter out(std::cout,
                   {{"name", "NAME", Tint::plain, Room::may_go, Shape::tree},
                    {"kind", "KIND"},
                    {"change", "CHANGE"},
                    {"slots_appear", "APPEAR"},
                    {"slots_vanish", "VANISH"},
                    {"slots_move", "MOVE"},
                    {"first_slot", "FIRST SLOT"},
                    {"moves_to", "MOVES TO"},
                    {"keys", "KEYS"},
                    {"after", has_chain ? "AFTER" : "", Tint::plain, Room::yields}},
                   {format, false, terminal_width()});
  for (const TreePlace& place : order_of(changes, format)) {
    const Change& change = changes[place.job];
    const schedule::SlotDiff& slots = change.slots;
    out.row({std::string(2 * place.depth, ' ') + change.name, change.kind, change.change, slots.appear, slots.vanish,
             slots.move, first_cell(slots), slots.first_move ? Cell(SlotTime{slots.first_move->second}) : Cell(),
             word(change.keys), change.after});
  }
  out.finish();
}

Exit run(const PlanOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  config::JobsDir after(options.folder, library::job_settings(*config), {config->file, config->groups});
  after.reload();
  if (report_errors(after.set())) return Exit::configuration;
  const config::JobsDir before = load_jobs(*config);
  if (report_errors(before.set()))
    std::cerr
        << "ballot plan: warning: files of " << config->jobs_dir
        << " with errors count as if they were not there; a daemon may have an earlier version of them in force\n";
  const std::vector<Change> changes = compare(before.set(), after.set(), io::read_clocks().wall);
  print(changes, options.format);
  return changes.empty() ? Exit::done : Exit::failed;
}

}  // namespace

Run setup_plan(CLI::App& command) {
  auto options = std::make_shared<PlanOptions>();
  add_config_options(command, options->config);
  add_format_option(command, options->format);
  add_string(command, "DIR", options->folder, "a folder of job files", Need::required);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
