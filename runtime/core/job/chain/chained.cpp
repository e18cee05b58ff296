#include "core/job/chain/chained.hpp"

#include <algorithm>
#include <utility>

#include "core/job/chain/chains.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {
namespace {

/// It is not known to have it, and is to take it up.
bool lacks(const JobMachine& child, const RunId& trigger) {
  if (!child.definition() || !child.definition()->job.enabled) return false;
  const JobRegister* const of = child.known_register();
  return !of || !find(of->kept->chained, trigger);
}

/// One that no file defines begins nothing of it any more.
bool may_have(const JobMachine& parent, const RunId& trigger) {
  if (!parent.definition()) return false;
  const JobRegister* const of = parent.known_register();
  return !of || find(of->kept->chained, trigger);
}

bool may_be_brought_up(const Context& c, const std::string& job, const ChainedSlot& slot) {
  const auto& parents = c.chains.parents(job);
  return std::any_of(parents.begin(), parents.end(), [&](const auto* one) { return may_have(*one, slot.trigger); });
}

bool is_needed(const Context& c, const std::string& job, const ChainedSlot& slot) {
  const auto& children = c.chains.children(job);
  return !slot.ended ||
         std::any_of(children.begin(), children.end(), [&](const auto* one) { return lacks(*one, slot.trigger); }) ||
         may_be_brought_up(c, job, slot);
}

bool shows_open(const JobRegister& r, const RunId& run) {
  return std::any_of(r.runs.begin(), r.runs.end(), [&](const OpenRun& open) { return open.id == run; });
}

/// By the run that the write closes; one that the register has lost otherwise is lost.
Named<Status> status_of_run(const PendingWrite& write, const RunList& runs, const RunId& id) {
  for (const runner::AttemptId& closed : write.closes)
    if (const LiveRun* const run = closed.run == id ? runs.find(closed) : nullptr) return run->row.status;
  return Status::lost;
}

/// Slots of which it was decided that there is no run: no register has ever shown it.
void add_decided(const Context& c, const JobFacts& job, PendingWrite& write) {
  RareList<ChainedSlot>& slots = write.next.kept.edit().chained;
  for (const ChainedSlot& slot : to_take_up(c, job)) {
    const RunId id = slot.run(job.name);
    const bool is_closed = std::any_of(write.closes.begin(), write.closes.end(),
                                       [&](const runner::AttemptId& closed) { return closed.run == id; });
    if (is_closed && !find(slots, slot.trigger) && slots.size() < chained_limit) slots.push_back(slot);
  }
}

}  // namespace

bool begins_chain(const Context& c, const JobFacts& job, const Request& request) {
  return !request.alone && !c.chains.children(job.name).empty();
}

std::string keeper_of_chain(const Context& c, const JobFacts& job) {
  const RareList<ChainedSlot>& slots = job.stored.kept->chained;
  std::size_t needed = 0;
  std::string keeper;
  for (const ChainedSlot& slot : slots) {
    if (!is_needed(c, job.name, slot)) continue;
    ++needed;
    for (const JobMachine* child : c.chains.children(job.name))
      if (keeper.empty() && lacks(*child, slot.trigger)) keeper = child->name();
  }
  if (needed < chained_limit) return "";
  return keeper.empty() ? job.name : keeper;
}

std::vector<ChainedSlot> to_take_up(const Context& c, const JobFacts& job) {
  std::vector<ChainedSlot> slots;
  for (const JobMachine* parent : c.chains.parents(job.name)) {
    const JobRegister* const of = parent->definition() ? parent->known_register() : nullptr;
    if (!of || of->released || of->group != job.stored.group) continue;
    if (parent->is_repairing() || parent->role() == JobMachine::Role::halted) continue;  // it may be one of before
    for (const ChainedSlot& slot : of->kept->chained) {
      const auto is_it = [&](const ChainedSlot& one) { return one.trigger == slot.trigger; };
      if (find(job.stored.kept->chained, slot.trigger) || std::any_of(slots.begin(), slots.end(), is_it)) continue;
      slots.push_back({slot.trigger, slot.slot, false, std::nullopt});
    }
  }
  std::sort(slots.begin(), slots.end(), [](const ChainedSlot& a, const ChainedSlot& b) {
    return std::pair(a.slot, a.trigger) < std::pair(b.slot, b.trigger);
  });
  return slots;
}

bool is_brought_up_again(const Context& c, const std::string& job, const ChainedSlot& slot) {
  const auto& parents = c.chains.parents(job);
  return std::any_of(parents.begin(), parents.end(), [&](const JobMachine* parent) {
    const JobRegister* const of = parent->definition() ? parent->known_register() : nullptr;
    return of && find(of->kept->chained, slot.trigger) && slot.slot <= of->interventions->repaired_at;
  });
}

void keep_chained(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs) {
  if (write.next.kept->chained.empty() && c.chains.parents(job.name).empty()) return;
  add_decided(c, job, write);
  RareList<ChainedSlot>& slots = write.next.kept.edit().chained;
  for (ChainedSlot& slot : slots)
    if (const RunId id = slot.run(job.name); !slot.ended && !shows_open(write.next, id))
      slot.ended = status_of_run(write, runs, id);
  if (write.next.released)
    for (ChainedSlot& slot : slots) slot.ended = Status::missed;
  erase_if(slots, [&](const ChainedSlot& slot) {
    if (write.next.released) return false;
    if (job.stored.released) return !may_be_brought_up(c, job.name, slot);
    // What was ended by this write the others do not know of yet.
    return find(job.stored.kept->chained, slot.trigger) && !is_needed(c, job.name, slot);
  });
  write.next.kept.tidy();
}

bool is_chained_stale(const Context& c, const JobFacts& job) {
  const RareList<ChainedSlot>& slots = job.stored.kept->chained;
  return !job.stored.released && std::any_of(slots.begin(), slots.end(), [&](const ChainedSlot& slot) {
    return slot.ended ? !is_needed(c, job.name, slot) : !shows_open(job.stored, slot.run(job.name));
  });
}

}  // namespace ballot::core
