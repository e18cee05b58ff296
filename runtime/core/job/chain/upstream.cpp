#include "core/job/chain/upstream.hpp"

#include <algorithm>
#include <optional>

#include "core/job/chain/chains.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {
namespace {

using Verdict = Upstream::Verdict;

/// How a parent's latest slot has ended, as far as its register says.
struct Latest {
  WallTime slot{};
  Status status = Status::missed;
  WallTime ended_at{};
  std::optional<RunId> run;
};

bool is_run(Status status) { return status != Status::skipped && status != Status::missed; }

bool is_as_asked(Status status, AfterStatus asked) {
  switch (asked) {
    case AfterStatus::succeeded: return status == Status::succeeded;
    case AfterStatus::failed: return is_run(status) && status != Status::succeeded;
    case AfterStatus::ended: return is_run(status);
  }
  return false;
}

std::optional<Latest> as_latest(const SlotEnd* end, WallTime slot) {
  if (!end) return std::nullopt;
  return Latest{std::clamp(slot, end->from, end->to), end->status, end->ended_at, end->run};
}

/// Which runs of a parent count.
enum class Counts { of_slots, all };

/// A job that no other one came after when its last run ended has that run only.
std::optional<Latest> latest_ended(const JobRegister& of, WallTime slot, Counts counts) {
  const LastEnd& last = *of.last_end;
  const bool is_last = last.run && last.slot <= slot && (counts == Counts::all || is_of_slot(last.trigger));
  auto latest = as_latest(last_until(of.kept->ends, slot), slot);
  if (latest && !(is_last && counts == Counts::all && last.slot > latest->slot)) return latest;
  if (!is_last) return std::nullopt;
  return Latest{last.slot, last.status, last.ended_at.value_or(last.slot), last.run};
}

std::optional<WallTime> latest_open(const JobRegister& of, WallTime slot, Counts counts) {
  std::optional<WallTime> latest;
  for (const OpenRun& run : of.runs)
    if ((counts == Counts::all || is_of_slot(run.trigger)) && run.slot <= slot)
      latest = std::max(latest.value_or(run.slot), run.slot);
  return latest;
}

/// Until its repair is done, a parent's register may be one of before, which shows slots as open that have been run.
bool is_led_as_defined(const JobMachine& parent) {
  const JobRegister* const of = parent.known_register();
  return !parent.is_repairing() && parent.role() == JobMachine::Role::leading && of &&
         of->definition == parent.definition()->digest;
}

Verdict verdict_of(const JobMachine& parent, const JobFacts& job, WallTime slot, Counts counts,
                   std::optional<Latest>& latest) {
  if (!parent.definition()) return Verdict::undefined;
  if (!is_led_as_defined(parent)) return Verdict::waits;
  const JobRegister& of = *parent.known_register();
  if (const auto next = parent.next_of_plan(std::max(of.cursor, of.since)); next && *next <= slot)
    return parent.passes(slot) ? Verdict::ended_otherwise : Verdict::waits;
  const auto open = latest_open(of, slot, counts);
  latest = latest_ended(of, slot, counts);
  if (open && (!latest || *open >= latest->slot)) return Verdict::waits;
  const auto unknown = parent.next_of_plan(latest ? std::max(latest->slot, of.since) : of.since);
  if (unknown && *unknown <= slot) return Verdict::ended_otherwise;
  const auto& ends = of.kept->ends;
  if (!latest && ends.size() >= slot_end_limit) return Verdict::ended_otherwise;  // the first one's may be gone
  const bool goes_on =
      !ends.empty() && latest_open(of, ends.front().from, counts);  // one before the first that is kept
  if (!latest && !ends.empty() && !goes_on) latest = as_latest(&ends.front(), slot);
  if (!latest) return counts == Counts::all ? Verdict::ended_otherwise : Verdict::waits;
  return is_as_asked(latest->status, job.definition->job.details->after_status) ? Verdict::begins
                                                                                : Verdict::ended_otherwise;
}

/// It has no run of the trigger yet, and will: one that it comes after has one, or will.
bool is_to_come(const Context& c, const JobMachine& job, const RunId& trigger) {
  const JobRegister* const of = job.known_register();
  if (!job.definition() || !job.definition()->job.enabled || (of && find(of->kept->chained, trigger))) return false;
  const auto& parents = c.chains.parents(job.name());
  return std::any_of(parents.begin(), parents.end(), [&](const JobMachine* parent) {
    const JobRegister* const its = parent->definition() ? parent->known_register() : nullptr;
    return (its && find(its->kept->chained, trigger)) || is_to_come(c, *parent, trigger);
  });
}

Verdict verdict_of_chained(const Context& c, const JobMachine& parent, const JobFacts& job, const ChainedSlot& slot,
                           std::optional<Latest>& latest) {
  if (!parent.definition()) return Verdict::undefined;
  if (!is_led_as_defined(parent)) return Verdict::waits;
  const ChainedSlot* const its = find(parent.known_register()->kept->chained, slot.trigger);
  if (!its && !is_to_come(c, parent, slot.trigger)) return verdict_of(parent, job, slot.slot, Counts::all, latest);
  if (!its || !its->ended) return Verdict::waits;
  if (is_run(*its->ended)) latest = Latest{slot.slot, *its->ended, {}, its->run(parent.name())};
  return is_as_asked(*its->ended, job.definition->job.details->after_status) ? Verdict::begins
                                                                             : Verdict::ended_otherwise;
}

/// What comes first where parents differ: whatever becomes of those that go on, the slot is not run.
int rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::begins: return 0;
    case Verdict::waits: return 1;
    case Verdict::ended_otherwise: return 2;
    case Verdict::undefined: return 3;
  }
  return 0;
}

/// `verdict_of_one(parent, latest)`.
template <class VerdictOfOne>
Upstream upstream_by(const Context& c, const JobFacts& job, const VerdictOfOne& verdict_of_one) {
  Upstream all;
  for (const JobMachine* parent : c.chains.parents(job.name)) {
    std::optional<Latest> latest;
    const Verdict verdict = verdict_of_one(*parent, latest);
    if (rank(verdict) > rank(all.verdict)) all.verdict = verdict, all.parent = parent;
    if (!latest) continue;
    all.ended_at = std::max(all.ended_at, latest->ended_at);
    if (latest->run) all.runs += (all.runs.empty() ? "" : ",") + latest->run->text();
  }
  return all;
}

}  // namespace

Upstream upstream_of(const Context& c, const JobFacts& job, WallTime slot) {
  return upstream_by(c, job, [&](const JobMachine& parent, std::optional<Latest>& latest) {
    return verdict_of(parent, job, slot, Counts::of_slots, latest);
  });
}

Upstream upstream_of_chained(const Context& c, const JobFacts& job, const ChainedSlot& slot) {
  return upstream_by(c, job, [&](const JobMachine& parent, std::optional<Latest>& latest) {
    return verdict_of_chained(c, parent, job, slot, latest);
  });
}

const JobRegister* phase_of_first(const Context& c, const JobFacts& job) {
  const auto& parents = c.chains.parents(job.name);
  return !parents.empty() && parents.front()->definition() && is_led_as_defined(*parents.front())
             ? parents.front()->known_register()
             : nullptr;
}

}  // namespace ballot::core
