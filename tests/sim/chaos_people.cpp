// What people do while all goes wrong: trigger, pause, resume, edit, kill, forget, evict, spoil, repair.
#include <algorithm>

#include "base/instance.hpp"
#include "sim/chaos.hpp"

namespace ballot {

using namespace std::chrono_literals;

void Chaos::people() {
  SimNode& node = any_node();
  if (!node.running() || node.stopping()) return;
  if (asks_for_backfills_ && backfills_.below(2) == 0) backfill(node);
  if (file_of("first") && variables_.below(6) == 0) trigger_many(node);
  switch (below(10)) {
    case 0:
    case 1:
      for (std::size_t i = 1 + below(4); i > 0; --i)
        trigger(node, one_in(2) ? "hand" : one_in(4) ? "again" : any_job());
      return;
    case 2: return pause(node, true);
    case 3: return pause(node, false);
    case 4: return edit();
    case 5:
    case 6: return end_a_run(node, core::Request::Kind::kill);
    case 7: return end_a_run(node, core::Request::Kind::forget);
    default: {
      core::Request request;
      request.kind = one_in(3) ? core::Request::Kind::repair : core::Request::Kind::evict;
      request.group = any_group();
      node.ask(request);
    }
  }
}

/// Of the first jobs of chains more than others; some with variables, some alone.
void Chaos::trigger(SimNode& node, std::string job) {
  const auto has = [this](const std::string& name) {
    return std::any_of(files_.begin(), files_.end(), [&](const Job& one) { return one.name == name; });
  };
  constexpr const char* of_chains[] = {"first", "first", "second", "load", "minutely"};
  if (has("first") && triggers_.below(2) == 0) job = of_chains[triggers_.below(std::size(of_chains))];
  const bool takes_env = job == "first" || job == "hand";
  std::string env = takes_env && triggers_.below(2) == 0 ? "DAY=" + std::to_string(triggers_.below(30)) : "";
  if (takes_env && variables_.below(8) == 0) env += env.empty() ? "PATH=/tmp" : " PATH=/tmp";  // not allowed
  if (takes_env && variables_.below(8) == 0) env = long_variable();
  node.trigger_with(job, env, triggers_.below(4) == 0);
}

/// More often than the jobs that come after it can keep up with.
void Chaos::trigger_many(SimNode& node) {
  for (int i = 0; i < 20; ++i) {
    if (node.running() && !node.stopping())
      node.trigger_with("first", variables_.below(4) == 0 ? long_variable() : "", false);
    world_.run_for(Millis(200 + static_cast<std::int64_t>(variables_.below(3000))));
  }
}

/// As long as they may be all in all: the register has room for one of them beside its runs, or for two.
std::string Chaos::long_variable() {
  std::string env = "DAY=";
  for (int i = 0; i < 1000; ++i) env += "%0A";
  return env;
}

/// Of some slots of the last minutes, in one range or in two; or its end.
void Chaos::backfill(SimNode& node) {
  const Job& job = files_[backfills_.below(files_.size())];
  core::Request request;
  request.kind = backfills_.below(6) == 0 ? core::Request::Kind::backfill_stop : core::Request::Kind::backfill;
  request.job = job.run_on == RunOn::each ? instance_name(job.name, node.name) : job.name;
  if (request.kind == core::Request::Kind::backfill_stop) return void(node.ask(request));
  const bool is_fast = !job.schedule.empty() && job.schedule.front().starts_with("*/");
  const auto some_seconds = [&](std::uint64_t most) {
    return std::chrono::seconds(1 + static_cast<std::int64_t>(backfills_.below(most)));
  };
  WallTime at = std::chrono::floor<std::chrono::seconds>(node.clock.now().wall) - some_seconds(600);
  for (std::uint64_t ranges = 1 + backfills_.below(2); ranges > 0; --ranges) {
    const WallTime to = at + some_seconds(is_fast ? 60 : 240);
    request.slots.push_back({at, to});
    at = to + some_seconds(90);
  }
  request.parallel = 1 + static_cast<int>(backfills_.below(3));
  node.ask(request);
}

/// Each job has time for its own, unless a slot of it is always due.
void Chaos::end_backfills() {
  const auto goes_on = [&](const Job& job) {
    const core::JobRegister* const known = world_.oracle.job_register(job.name);
    return known && known->backfill();
  };
  const auto all = jobs();
  world_.run_while_not([&] { return std::none_of(all.begin(), all.end(), goes_on); }, 10min);
  for (const Job& job : all)
    if (goes_on(job) && !ask_for(core::Request::Kind::backfill_stop, job.name, ""))
      world_.oracle.find("cannot stop the backfill of job " + job.name + " after healing");
  world_.run_for(4min);
}

void Chaos::spoil(const std::string& job) {
  if (!world_.oracle.job_register(job)) return;
  spoiled_.insert(job);
  world_.judge.spoiled(job);
  // Lines of which nothing depends that no other line says: a repair makes up for each of them.
  static const std::vector<std::string> keys{"fence",     "group",    "claimed",     "passed_over",     "paused_by",
                                             "triggered", "last_end", "pause_terms", "expects_success", "repaired",
                                             "backfill",  "ended",    "chained",     "last_success",    "boot"};
  const std::string name = core::job_register(job);
  if (!world_.store.spoil(name, keys[lines_.below(keys.size())])) world_.store.spoil(name);
}

/// It is noticed with the next write. A job that comes after one that is halted follows its own file meanwhile.
void Chaos::repair_spoiled() {
  edit_behind_a_halt();
  if (spoiled_.empty()) return;
  world_.run_for(2min + 5s);
  const std::vector<Job> all = jobs();
  for (const Job& one : all) {
    const auto* const known = world_.oracle.job_register(one.name);
    const bool is_sound = comes_after(one.name) && !spoiled_.contains(one.name) && known && !known->definition.empty();
    if (is_sound && known->definition != define(one)->digest)
      world_.oracle.find("job " + one.name + " is not what its file says, long after the edit");
  }
  for (const Job& one : all)
    if (spoiled_.contains(one.name) && !ask_for(core::Request::Kind::repair, one.name, ""))
      world_.oracle.find("cannot repair " + one.name + " after healing");
  spoiled_.clear();
}

/// Kills one that goes on; forgets one that the registers show as open, on a node that is not there if there is one.
void Chaos::end_a_run(SimNode& node, core::Request::Kind kind) {
  std::vector<std::pair<std::string, RunId>> runs;
  for (const Job& job : jobs()) {
    const core::JobRegister* known = world_.oracle.job_register(job.name);
    if (!known) continue;
    for (const core::OpenRun& run : known->runs) {
      const auto there = std::any_of(world_.nodes.begin(), world_.nodes.end(),
                                     [&](const auto& one) { return one->name == run.node && one->running(); });
      if (!run.waits_until && (kind == core::Request::Kind::kill || !there)) runs.emplace_back(job.name, run.id);
    }
  }
  if (runs.empty()) return;
  core::Request request;
  request.kind = kind;
  node.ask(request, runs[below(runs.size())].second.text());
}

/// Of one job, of all instances of one, or of a group.
void Chaos::pause(SimNode& node, bool paused) {
  core::Request request;
  request.kind = paused ? core::Request::Kind::pause : core::Request::Kind::resume;
  if (paused) request.terms = some_terms(node);
  if (one_in(4)) {
    request.group = any_group();
  } else {
    const std::string job = any_job();
    request.job = is_instance(job) && one_in(2) ? std::string(common_name(job)) : job;
  }
  node.ask(request);
}

/// Half of the pauses have an end, by the clock of whoever is asked.
core::PauseTerms Chaos::some_terms(const SimNode& node) {
  if (pauses_.below(2) == 0) return {};
  const Millis lasts(1 + static_cast<std::int64_t>(pauses_.below(pauses_.below(2) == 0 ? 10'000 : 240'000)));
  return {node.clock.now().wall + lasts, "disks"};
}

/// A chain moves as a whole: with its jobs in several groups it would have an error.
void Chaos::move(Job& job, const std::string& group) {
  std::set<std::string> moved{job.name};
  for (std::size_t before = 0; before != moved.size();) {
    before = moved.size();
    for (const Job& child : files_)
      for (const std::string& parent : child.details->after)
        if (moved.contains(parent) || moved.contains(child.name)) moved.insert({parent, child.name});
  }
  for (Job& one : files_)
    if (moved.contains(one.name)) one.group = group;
}

/// The files change, and the nodes read them one by one; or not before they are healed.
void Chaos::edit() {
  const bool is_of_tail = file_of("tail") && tails_.below(4) == 0;
  Job& job = is_of_tail ? *file_of("tail") : files_[below(files_.size())];
  switch (below(4)) {
    case 0: job.description = *job.description + "."; break;
    case 1: job.enabled = !job.enabled; break;
    case 2: move(job, groups[below(3)]); break;
    default: break;  // gone for a while
  }
  if (!job.details->days.empty() && days_.below(2) == 0) job.details.edit().days = any_rule();
  if (expected_.below(4) == 0) expect(job);
  world_.oracle.note("files", "job " + job.name + (job.enabled ? ", enabled" : ", disabled") + ", group " + *job.group);
  const bool gone = one_in(4);
  for (const auto& node : world_.nodes) {
    if (one_in(4)) continue;
    equip(*node, gone ? job.name : "");
    if (node->running() && !node->stopping()) node->load();
    world_.run_for(some(1ms, 3s));
  }
}

}  // namespace ballot
