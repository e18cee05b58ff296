#include "core/jobs/jobs.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/instance.hpp"

namespace ballot::core {

void Jobs::advance(JobEntry& entry) {
  entry.machine.advance(c_);
  p_.jobs.rearm(entry);
  p_.limits.count(entry);
  reindex(entry);
  p_.advanced.push_back(&entry);
}

void Jobs::advance_led() {
  for (GroupEntry* group : p_.groups.led())
    for (JobEntry* entry : std::vector(group->jobs.begin(), group->jobs.end()))
      if (entry->machine.role() == JobMachine::Role::leading) advance(*entry);
}

void Jobs::link(JobEntry& entry) {
  Chains::Jobs parents;
  if (const auto& definition = entry.machine.definition())
    for (const std::string& name : definition->job.details->after) parents.push_back(&p_.jobs.entry(name).machine);
  p_.chains.define(entry.machine, std::move(parents));
  c_.wants.settled.push_back(&entry.machine);
}

void Jobs::advance_chains() {
  for (const JobMachine* settled : std::exchange(c_.wants.settled, {}))
    for (const Chains::Jobs* linked : {&p_.chains.children(settled->name()), &p_.chains.parents(settled->name())})
      for (const JobMachine* one : *linked)
        if (one->role() == JobMachine::Role::leading) advance(p_.jobs.entry(one->name()));
}

void Jobs::follow_pauses() {
  for (GroupEntry* group : p_.groups.led()) {
    if (!is_instance(group->name())) continue;
    for (JobEntry* entry : std::vector(group->jobs.begin(), group->jobs.end())) {
      if (!entry->machine.term()) continue;
      entry->machine.follow(p_.pauses.find(common_name(entry->machine.name())));
      advance(*entry);
    }
  }
}

void Jobs::reindex(JobEntry& entry) {
  const std::string& owner = entry.machine.owner();
  const auto& definition = entry.machine.definition();
  const auto place = [this](GroupEntry*& at, const std::string& name) {
    if (at ? at->name() == name : name.empty()) return std::optional<GroupEntry*>();
    return std::optional(std::exchange(at, name.empty() ? nullptr : &p_.groups.entry(name, p_.guard)));
  };
  GroupEntry* const before = entry.owner;
  const auto left = {place(entry.owner, owner), place(entry.defined_in, definition ? definition->job.group : "")};
  for (const auto& from : left) {
    if (!from) continue;
    if (*from && *from != entry.owner && *from != entry.defined_in) {
      (*from)->jobs.erase(&entry);
      p_.groups.mark_dirty(**from);
    }
    for (GroupEntry* to : {entry.owner, entry.defined_in})
      if (to && to->jobs.insert(&entry).second) p_.groups.mark_dirty(*to);
  }
  if (entry.owner != before) p_.limits.move(entry, before);
  if (entry.owner && (p_.shutdown.is_asked() || entry.owner->machine.waits_for_jobs()))
    p_.groups.mark_dirty(*entry.owner);
}

void Jobs::adopt_row(const Row& row) {
  JobEntry& job = p_.jobs.entry(row.job);
  p_.jobs.keep(*row.run, job);
  job.machine.adopt_row(c_, row);
  advance(job);
}

void Jobs::queue_waiters() {
  for (const PlaceWanted& wanted : std::exchange(c_.wants.places, {})) {
    JobEntry& entry = p_.jobs.entry(wanted.job->name());
    p_.limits.leave(entry);
    if (entry.machine.term() && entry.owner) p_.limits.wait(entry, wanted.priority, wanted.waits_since);
  }
}

int Jobs::unknown_runs() const {
  const auto& running = p_.prior.inventory().running;
  return static_cast<int>(std::count_if(running.begin(), running.end(), [&](const runner::Running& one) {
    const JobEntry* const job = p_.jobs.find(one.id.run);
    return !job || !job->machine.executes(one.id.run);
  }));
}

void Jobs::grant_places() {
  queue_waiters();
  const int unknown = p_.limits.limits_node() ? unknown_runs() : 0;
  for (JobEntry* next = p_.limits.next(unknown); next; next = p_.limits.next(unknown)) {
    p_.limits.leave(*next);
    c_.granted = &next->machine;
    advance(*next);
    c_.granted = nullptr;
    queue_waiters();
  }
}

void Jobs::send_deadlines() {
  std::set<std::pair<std::string_view, GroupEntry*>> groups;
  const auto add = [&](const JobEntry& job) {
    if (job.machine.term() && job.owner) groups.emplace(job.owner->name(), job.owner);
  };
  for (const Action& action : c_.out) {
    const auto* record = std::get_if<RecordRow>(&action);  // of a run that ended without having been launched too
    if (record && record->row.run) p_.jobs.keep(*record->row.run, p_.jobs.entry(record->row.job));
    const auto* launch = std::get_if<Launch>(&action);
    if (!launch) continue;
    JobEntry& job = p_.jobs.entry(launch->definition->job.name);
    p_.jobs.keep(launch->id.run, job);
    add(job);
  }
  if (c_.session.is_open() && c_.session.deadline() != p_.deadline_sent) {
    p_.deadline_sent = c_.session.deadline();
    for (const JobEntry* job : p_.jobs.open()) add(*job);
  }
  Actions deadlines;
  for (const auto& [name, group] : groups)
    if (auto deadline = group->machine.send_deadline(c_.session)) deadlines.push_back(std::move(*deadline));
  c_.out.insert(c_.out.begin(), deadlines.begin(), deadlines.end());
}

}  // namespace ballot::core
