#include "core/job/chain/slot_ends.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/job/chain/chains.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {
namespace {

/// The child has a slot that it has not settled, for which a slot's end at `from` counts: one before `until`. One whose
/// register is not known here may have one; a paused one passes its slots, whatever its parent did.
bool needs(const JobMachine& child, const Context& c, WallTime from, WallTime until) {
  const bool is_settled_here = child.role() == JobMachine::Role::leading && child.known_register();
  if (!is_settled_here) return true;
  if (child.paused()) return false;
  const auto slot = child.next_slot(c.now.wall, from - Millis(1));
  return slot && *slot < until;
}

const JobMachine* keeper_of(const Chains::Jobs& children, const Context& c, WallTime from, WallTime until) {
  const auto it = std::find_if(children.begin(), children.end(),
                               [&](const JobMachine* child) { return needs(*child, c, from, until); });
  return it == children.end() ? nullptr : *it;
}

void drop_needless(RareList<SlotEnd>& ends, const Chains::Jobs& children, const Context& c) {
  for (std::size_t i = 0; i + 1 < ends.size();) {
    if (keeper_of(children, c, ends[i].from, ends[i + 1].from))
      ++i;
    else
      ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// A range ends before the slot of a run that goes on: that one's end comes between.
void add_range(RareList<SlotEnd>& ends, const Disposition& range, const RareList<OpenRun>& open, WallTime now) {
  const auto last = std::find_if(std::make_reverse_iterator(ends.end()), std::make_reverse_iterator(ends.begin()),
                                 [&](const SlotEnd& end) { return end.from < range.from; });
  const bool follows = last != std::make_reverse_iterator(ends.begin()) && !last->run && last->status == range.status &&
                       std::none_of(open.begin(), open.end(), [&](const OpenRun& run) {
                         return is_of_slot(run.trigger) && last->to < run.slot && run.slot < range.from;
                       });
  if (!follows) return add(ends, {range.from, range.to, range.status, now, {}});
  last->to = range.to;
  last->ended_at = now;
}

RareList<SlotEnd> ends_with(const JobFacts& job, const PendingWrite& write, const RunList& runs, WallTime now) {
  RareList<SlotEnd> ends = write.next.kept->ends;
  for (const Disposition& d : std::span(write.next.dispositions.all()).last(write.decided))
    add_range(ends, d, job.stored.runs, now);
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* const run = runs.find(id);
    const auto is_it = [&](const OpenRun& open) { return open.id == id.run; };
    const bool goes_on = std::any_of(write.next.runs.begin(), write.next.runs.end(), is_it);
    const bool was_there = std::any_of(job.stored.runs.begin(), job.stored.runs.end(), is_it);
    if (!run || goes_on || !was_there || !is_of_slot(run->open.trigger)) continue;
    const WallTime slot = run->open.slot;
    add(ends, {slot, slot, run->row.status, run->row.ended_at.value_or(now), run->open.id});
  }
  return ends;
}

}  // namespace

void keep_slot_ends(const Context& c, const JobFacts& job, PendingWrite& write, const RunList& runs) {
  const Chains::Jobs& children = c.chains.children(job.name);
  if (children.empty() && write.next.kept->ends.empty()) return;
  RareList<SlotEnd> ends;
  if (!children.empty()) ends = ends_with(job, write, runs, c.now.wall);
  drop_needless(ends, children, c);
  while (ends.size() > slot_end_limit) ends.erase(ends.begin());
  write.next.kept.edit().ends = std::move(ends);
  write.next.kept.tidy();
}

}  // namespace ballot::core
