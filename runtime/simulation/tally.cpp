#include "simulation/tally.hpp"

#include <algorithm>

#include "core/event.hpp"
#include "core/job/slots/settlement.hpp"
#include "simulation/outcomes.hpp"

namespace ballot::simulation {
namespace {

constexpr std::size_t most_ends = 64;  // of a job that others come after

/// Each slot that the row is of, until `visit` has had enough.
template <class Visit>
void for_each_slot(const Row& row, const schedule::Plan& plan, const std::vector<WallTime>& anchors, Visit visit) {
  if (!row.slot_until) return void(visit(row.slot));
  for (auto slot = plan.next(row.slot - Millis(1), anchors); slot && slot->at <= *row.slot_until;
       slot = plan.next(slot->at, anchors))
    if (!visit(slot->at)) return;
}

bool is_calendars(const Row& row) { return row.reason == Reason::calendar || row.reason == Reason::dst_gap; }

}  // namespace

Tally::Tally(const Fleet& fleet) : fleet_(fleet), load_(fleet.from, fleet.until, fleet.nodes.size()) {
  for (const FleetNode& node : fleet.nodes) {
    NodeState& state = nodes_[node.name];
    state.place = static_cast<std::size_t>(&node - fleet.nodes.data());
    state.report.node = node.name;
    state.limit = {"node", node.name, fleet.max_running};
    for (const Group& group : node.groups) groups_[group.name].max_running = group.max_running;
    for (const auto& definition : node.jobs) {
      const Job& job = definition->job;
      JobState& known = jobs_[job.name];
      known.definition = definition.get();
      known.report.job = job.name;
      known.report.group = *job.group;
      if (const Millis* const takes = fleet.run_times.find(job.name)) known.report.takes = *takes;
      groups_.try_emplace(*job.group);
    }
  }
  for (auto& [name, group] : groups_) group.limit = {"group", name, group.max_running};
  for (const auto& [name, job] : jobs_)
    for (const std::string& parent : job.definition->job.details->after)
      if (const auto found = jobs_.find(parent); found != jobs_.end()) found->second.has_children = true;
}

bool Tally::is_full() const { return unrun_ > fleet_.most_unrun; }

void Tally::begin_span() {
  for (const auto& [name, group] : groups_)
    if (const auto node = nodes_.find(group.leader); node != nodes_.end()) ++node->second.report.groups;
}

void Tally::on_start(const std::string& node_name, const core::Launch& launch, WallTime now) {
  JobState& of = job(launch.definition->job.name);
  NodeState& node = nodes_.at(node_name);
  GroupState& group = groups_.at(launch.group);
  ++of.running, ++group.running, ++node.running;
  load_.start(node.place, now);
  OpenRun run{node_name, launch.group, &of, launch.slot, now, false};
  if (load_.holds(now)) {
    ++of.report.starts, ++node.report.starts;
    node.report.running.see(node.running, now);
  }
  if (core::is_of_slot(launch.trigger) && load_.holds(launch.slot)) {
    run.counts = true;
    if (launch.id.attempt == 1) count_wait(of, node, launch, now);
    if (launch.id.attempt == 1) count_slot(of, launch.slot);
    if (now >= load_.until())
      ++of.report.waiting_at_end;
    else
      ++of.open;
  }
  if (launch.id.attempt > 1) {
    losses_.retried(launch.id.run, now);
    if (const auto before = unsuccessful_.extract(launch.id.run))
      add_outcome(of.report.outcomes, before.mapped().status, before.mapped().reason, -1);
  }
  of.last = launch.slot;
  open_runs_.insert_or_assign(launch.id, std::move(run));
}

void Tally::on_end(const std::string& node, const runner::AttemptId& id, WallTime now) {
  const auto run = open_runs_.extract(id);
  if (run.empty()) return;
  JobState& of = *run.mapped().job;
  load_.end(now);
  --of.running, --groups_.at(run.mapped().group).running, --nodes_.at(node).running;
  of.last_end = now;
  if (!of.has_children) return;
  of.ends.emplace_back(id.run.text(), now);
  if (of.ends.size() > most_ends) of.ends.pop_front();
}

/// Of what is known by a register of a term before, the row of that term has been counted.
void Tally::on_row(const core::RecordRow& record, WallTime now) {
  const Row& row = record.row;
  const auto found = jobs_.find(row.job);
  if (record.if_absent || !is_final(row.status) || found == jobs_.end()) return;
  JobState& of = found->second;
  if (row.run) {
    if (row.status == Status::lost) {
      losses_.settle({*row.run, row.attempt}, row.job, now);
      of.last_end = now;
    }
    if (core::is_of_slot(row.trigger) && load_.holds(row.slot)) count_end(row, now);
    return;
  }
  for_each_slot(row, of.definition->plan, of.anchors, [&](WallTime slot) {
    if (is_full()) return false;
    if (load_.holds(slot)) count_unrun(of, row, slot, now);
    return true;
  });
}

void Tally::count_end(const Row& row, WallTime now) {
  JobState& of = job(row.job);
  if (now >= load_.until()) return;  // it goes on when the span is over
  --of.open;
  add_outcome(of.report.outcomes, row.status, row.reason, 1);
  if (row.status != Status::succeeded) unsuccessful_.insert_or_assign(*row.run, Outcome{row.status, row.reason, 1});
}

void Tally::count_slot(JobState& of, WallTime slot) {
  ++of.report.slots;
  load_.due(core::due_at(of.definition->job, slot));
}

void Tally::count_unrun(JobState& of, const Row& row, WallTime slot, WallTime now) {
  const Job& job = of.definition->job;
  const WallTime due = core::due_at(job, slot);
  ++unrun_;
  add_outcome(of.report.outcomes, row.status, row.reason, 1);
  if (is_calendars(row)) return void(++of.report.slots);
  count_slot(of, slot);
  load_.not_run(due);
  if (row.reason == Reason::start_deadline) count_unplaced(of, due, std::min(now, due + job.start_deadline));
  Row one = row;
  one.slot = slot;
  losses_.not_run(one, due, parents_of(of));
}

/// A slot has waited until its start deadline: for a place, where none is free and no run of its own job was in its
/// way.
void Tally::count_unplaced(const JobState& of, WallTime due, WallTime until) {
  load_.wait(due, until);
  GroupState& group = groups_.find(of.report.group)->second;
  const auto node = nodes_.find(group.leader);
  if (of.running > 0 || node == nodes_.end()) return;
  const bool group_is_full = group.max_running > 0 && group.running >= group.max_running;
  const bool node_is_full = fleet_.max_running > 0 && node->second.running >= fleet_.max_running;
  if (!group_is_full && !node_is_full) return;
  ++(group_is_full ? group.limit : node->second.limit).missed;
  (group_is_full ? group.waits : node->second.waits).emplace_back(due, until);
}

std::vector<LossTally::Parent> Tally::parents_of(const JobState& of) const {
  std::vector<LossTally::Parent> parents;
  for (const std::string& name : of.definition->job.details->after)
    if (const auto parent = jobs_.find(name); parent != jobs_.end())
      parents.push_back({name, parent->second.last.value_or(WallTime{})});
  return parents;
}

/// When the last of the runs ended that the launch comes after.
WallTime Tally::upstream_end(const JobState& of, const core::Launch& launch) const {
  WallTime end{};
  for (const std::string& name : of.definition->job.details->after) {
    const auto parent = jobs_.find(name);
    if (parent == jobs_.end()) continue;
    for (const auto& [run, at] : parent->second.ends)
      if (launch.variables->upstream.find(run) != std::string::npos) end = std::max(end, at);
  }
  return end;
}

Tally::Wait Tally::wait_of(const JobState& of, const core::Launch& launch, WallTime now) const {
  const Job& job = of.definition->job;
  const GroupState& group = groups_.find(launch.group)->second;
  Wait wait;
  WallTime at = core::due_at(job, launch.slot);
  const auto until = [&](WaitFor what, WallTime end) {
    end = std::min(end, now);
    if (end <= at) return;
    wait.parts[static_cast<std::size_t>(what)] += end - at;
    wait.last = what;
    at = end;
  };
  until(WaitFor::leader, group.led_since);
  until(WaitFor::upstream, upstream_end(of, launch));
  wait.queued_since = at;
  if (job.concurrency != Concurrency::allow || of.running >= job.max_running) until(WaitFor::own_run, of.last_end);
  wait.placed_since = at;
  until(has_limit(group) ? WaitFor::place : WaitFor::leader, now);
  return wait;
}

void Tally::count_wait(JobState& of, NodeState& node, const core::Launch& launch, WallTime now) {
  const WallTime due = core::due_at(of.definition->job, launch.slot);
  if (now <= due) return;
  GroupState& group = groups_.find(launch.group)->second;
  const Wait wait = wait_of(of, launch, now);
  for (std::size_t i = 0; i < wait_kinds; ++i) {
    if (wait.parts[i] == Millis(0)) continue;
    of.report.waits[i].add(wait.parts[i], launch.slot);
    waits_[i].add(wait.parts[i], launch.slot);
  }
  const Millis upstream = wait.parts[static_cast<std::size_t>(WaitFor::upstream)], late = now - due - upstream;
  load_.late(due, late);
  const bool may_be_lost = wait.parts[static_cast<std::size_t>(WaitFor::leader)] > Millis(0) ||
                           wait.parts[static_cast<std::size_t>(WaitFor::own_run)] > Millis(0);
  if (may_be_lost) losses_.late(launch.group, {of.report.job, launch.slot, now, late, wait.last}, due);
  load_.wait(wait.queued_since, now);
  const Millis placed = wait.parts[static_cast<std::size_t>(WaitFor::place)];
  if (placed == Millis(0)) return;
  const bool by_group = group.max_running > 0 && (group.running >= group.max_running || fleet_.max_running == 0);
  (by_group ? group.limit : node.limit).waits.add(placed, launch.slot);
  (by_group ? group.waits : node.waits).emplace_back(wait.placed_since, now);
}

void Tally::on_term(const TermRow& term) {
  GroupState& group = groups_[term.group];
  if (term.ended_at) return leave(group, *term.ended_at);
  group.leader = term.node;
  group.led_since = term.elected_at;
  losses_.led_again(term.group, term.node, term.elected_at);
}

void Tally::leave(GroupState& group, WallTime since) {
  group.leader.clear();
  group.leaderless_since = since;
}

void Tally::on_definition(const DefinitionRow& definition) {
  if (const auto found = jobs_.find(definition.job); found != jobs_.end()) found->second.anchors = definition.anchors;
}

void Tally::on_loss(const std::string& node, WallTime now) {
  std::vector<std::string> led;
  for (auto& [name, group] : groups_) {
    if (group.leader != node) continue;
    led.push_back(name);
    leave(group, now);
  }
  std::vector<LossTally::Run> runs;
  for (auto run = open_runs_.begin(); run != open_runs_.end();) {
    const OpenRun& one = run->second;
    if (one.node != node) {
      ++run;
      continue;
    }
    runs.push_back({run->first, one.job->report.job, one.slot, one.started_at});
    load_.end(now);
    --one.job->running, --groups_.at(one.group).running;
    run = open_runs_.erase(run);
  }
  nodes_.at(node).running = 0;
  losses_.lose(node, now, led, runs);
}

void Tally::on_waiting(const std::string& name, const std::vector<WallTime>& slots) {
  const auto found = jobs_.find(name);
  if (found == jobs_.end()) return;
  for (const WallTime slot : slots) count_waiting(found->second, slot);
}

void Tally::count_waiting(JobState& of, WallTime slot) {
  if (!load_.holds(slot)) return;
  ++unrun_;
  ++of.report.waiting_at_end;
  count_slot(of, slot);
  load_.wait(core::due_at(of.definition->job, slot), load_.until());
}

void Tally::add_places(Report& report) {
  const auto add = [&](LimitReport& limit, const std::vector<std::pair<WallTime, WallTime>>& waits) {
    if (limit.waits.slots == 0 && limit.missed == 0) return;
    limit.waiting = most_at_once(waits, [](WallTime, WallTime, std::int64_t) {});
    report.limits.push_back(limit);
  };
  for (auto& [name, node] : nodes_) add(node.limit, node.waits);
  for (auto& [name, group] : groups_) add(group.limit, group.waits);
}

/// Of a group that nobody leads when the span is over: nobody has decided what became of its slots since.
void Tally::count_undecided() {
  for (auto& [name, of] : jobs_) {
    const GroupState& group = groups_.find(of.report.group)->second;
    if (!group.leader.empty() || !of.definition->job.enabled) continue;
    const schedule::Plan& plan = of.definition->plan;
    const WallTime since = std::max(group.leaderless_since, load_.from());
    std::vector<WallTime> anchors = of.anchors;
    if (anchors.size() != plan.everies().size()) anchors.assign(plan.everies().size(), load_.from());
    for (auto slot = plan.next_due(since - Millis(1), anchors); slot && slot->at < load_.until() && !is_full();
         slot = plan.next_due(slot->at, anchors)) {
      count_waiting(of, slot->at);
      losses_.undecided(name, of.report.group, core::due_at(of.definition->job, slot->at));
    }
  }
}

Report Tally::take() {
  count_undecided();
  Report report{fleet_.from, fleet_.until};
  load_.write(report);
  report.nodes.resize(nodes_.size());
  for (const auto& [name, node] : nodes_) report.nodes[node.place] = node.report;
  add_places(report);
  report.groups = std::ssize(groups_);
  report.jobs = std::ssize(jobs_);
  report.waits = waits_;
  for (auto& [name, of] : jobs_) {
    of.report.running_at_end = of.open;
    report.slots += of.report.slots;
    report.starts += of.report.starts;
    for (const Outcome& one : of.report.outcomes) add_outcome(report.outcomes, one.status, one.reason, one.slots);
    report.all_jobs.push_back(std::move(of.report));
  }
  report.losses = losses_.take();
  return report;
}

}  // namespace ballot::simulation
