#include "core/views.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/instance.hpp"

namespace ballot::core {
namespace {

const JobEntry& entry_of(const std::unique_ptr<JobEntry>& job) { return *job; }
const GroupEntry& entry_of(const std::pair<const std::string, GroupEntry>& named) { return named.second; }
const std::string& name_of(const JobEntry& job) { return job.machine.name(); }
const std::string& name_of(const GroupEntry& group) { return group.name(); }

/// Gives `show` at most `most` entries of a table, from the first after `after` on.
template <class Table, class Show>
Views::Next page(const Table& table, const std::string& after, std::size_t most, const Show& show) {
  auto at = after.empty() ? table.begin() : table.upper_bound(after);
  const std::string* last = nullptr;
  for (; at != table.end() && most > 0; ++at, --most) {
    const auto& entry = entry_of(*at);
    show(entry);
    last = &name_of(entry);
  }
  if (at == table.end() || last == nullptr) return std::nullopt;
  return *last;
}

std::string_view name_of(LiveRun::State state) {
  constexpr std::string_view names[] = {"claiming", "ready", "starting", "running", "foreign", "waiting", "ended"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name_of(GroupMachine::Phase phase) {
  constexpr std::string_view names[] = {"idle", "candidate", "reading", "leading", "resigning"};
  return names[static_cast<std::size_t>(phase)];
}

/// `of`: a job's interventions, or a group's register.
template <class Of>
JobView::Pause pause_of(const Of& of) {
  return {of.paused_at, of.paused_by, of.pause_terms.ends, of.pause_terms.reason};
}

/// A cursor that lies after `since` is at a slot.
void note_past(const JobRegister& known, JobView& view) {
  view.since = known.since;
  const WallTime previous = known.cursor > known.since ? known.cursor : known.claimed_until;
  if (previous != WallTime{}) view.previous = previous;
  view.last_success = known.last_end->last_success;
  view.failing = known.failing;
  view.missed = known.missed;
}

void note_unmet(const JobRegister& known, JobView& view) {
  view.overdue_since = known.kept->success->overdue;
  view.is_slow = std::any_of(known.runs.begin(), known.runs.end(), [](const OpenRun& run) { return run.slow; });
}

/// On this node, or on one that is known to have the run still.
bool is_known_to_run(const LiveRun& run) {
  return run.state == LiveRun::State::running || (run.state == LiveRun::State::foreign && run.goes_on);
}

constexpr std::size_t most_left = 10'000;  // of a backfill: so many slots are looked at as somebody asks for it
constexpr std::size_t most_ends = 5'000;   // of all jobs, in an answer

Row row_of_end(const std::string& job, const JobRegister& known) { return row_of(*known.last_end, job, known.group); }

/// None where the run goes on, or the register shows how it ended.
std::optional<Row> row_of_claim(const JobRegister& known, const std::string& job) {
  const WallTime slot = known.claimed_until;
  const bool is_open =
      std::any_of(known.runs.begin(), known.runs.end(), [&](const OpenRun& run) { return run.slot == slot; });
  if (slot == WallTime{} || is_open || (known.last_end->run && known.last_end->slot == slot)) return std::nullopt;
  Row row;
  row.job = job;
  row.group = known.group;
  row.slot = slot;
  row.status = Status::claimed;
  return row;
}

void add_past(std::vector<Row>& rows, const std::string& job, const JobRegister& known) {
  if (known.last_end->run) rows.push_back(row_of_end(job, known));
  if (auto row = row_of_claim(known, job)) rows.push_back(*std::move(row));
}

/// An attempt that waits is no node's yet: the register still names that of the attempt before.
Row row_of_open(const OpenRun& run, const std::string& job, const std::string& group, bool waits) {
  Row row = claimed_row(run, job, group);
  if (waits) row.status = Status::queued, row.node.clear();
  return row;
}

JobView::Backfill backfill_of(const JobMachine& job, const Backfill& of) {
  const auto running = std::count_if(job.runs().begin(), job.runs().end(),
                                     [](const LiveRun& run) { return run.is_of_backfill() && run.is_under_way(); });
  JobView::Backfill view{of.at, of.by, of.parallel, of.begun, static_cast<int>(running), job.next_of_backfill(), {}};
  if (!of.left.empty()) view.last = of.left.back().to;
  return view;
}

/// The later one's end; none: one of them has none, or there is no pause.
std::optional<WallTime> end_of(const std::optional<JobView::Pause>& own,
                               const std::optional<JobView::Pause>& of_group) {
  if (own && of_group) return own->ends && of_group->ends ? std::max(own->ends, of_group->ends) : std::nullopt;
  return own ? own->ends : of_group ? of_group->ends : std::nullopt;
}

}  // namespace

std::vector<Row> shown_runs(const std::string& job, const JobRegister& known) {
  std::vector<Row> rows;
  for (const OpenRun& run : known.runs) rows.push_back(row_of_open(run, job, known.group, run.waits_until.has_value()));
  add_past(rows, job, known);
  return rows;
}

std::string text_of(const JobView& job) {
  switch (job.state) {
    case JobState::halted: return "halted";
    case JobState::waiting: return "waiting for group " + std::string(job.awaited);
    case JobState::disabled: return "disabled";
    case JobState::paused: return "paused";
    case JobState::clock_skew: return "clock_skew";
    case JobState::drift: return "drift";
    case JobState::active: return "active";
  }
  return {};
}

Views::Next Views::visit_jobs(WallTime now, const std::string& after, std::size_t most,
                              const std::function<void(const JobView&)>& visit) const {
  return page(jobs_.all(), after, most, [&](const JobEntry& entry) {
    if (entry.machine.definition()) visit(view_of(entry, now));
  });
}

Views::Next Views::visit_groups(const std::string& after, std::size_t most,
                                const std::function<void(const GroupView&)>& visit) const {
  return page(groups_.all(), after, most, [&](const GroupEntry& group) {
    // A term that is over says nothing of the group any more.
    const Term& last = group.machine.term();
    const Term none;
    const Term& term = group.machine.writes_register() ? last : none;
    visit({group.name(), name_of(group.machine.phase()), term.epoch, term.paused, term.halted, group.drift,
           group.machine.is_leaderless(), group.is_wanted(), lacks_candidates(group)});
  });
}

Views::Next Views::visit_runs(const std::string& after, std::size_t most,
                              const std::function<void(const RunView&)>& visit) const {
  return page(jobs_.all(), after, most, [&](const JobEntry& entry) {
    for (const LiveRun& run : entry.machine.runs()) {
      if (run.has_ended()) continue;
      RunView view{entry.machine.name(), entry.machine.owner(), run.open.id,   run.open.attempt,
                   run.open.slot,        run.open.trigger,      run.open.node, name_of(run.state)};
      view.is_late = run.open.late, view.is_slow = run.open.slow;
      if (run.is_waiting()) view.node = {};
      if (run.is_waiting() && !run.is_queued() && run.open.attempt > 1) view.starts_at = run.open.waits_until;
      visit(view);
    }
  });
}

std::string Views::group_of_instances(const std::string& job) const {
  const std::string prefix = instance_name(job, "");
  std::string group;
  for (auto it = jobs_.all().lower_bound(prefix); it != jobs_.all().end() && (*it)->machine.name().starts_with(prefix);
       ++it)
    if ((*it)->machine.is_there() && (group.empty() || (*it)->machine.definition()))
      group = common_name((*it)->machine.owner());
  return group;
}

std::vector<WallTime> Views::waiting(const std::string& job) const {
  const JobEntry* const found = jobs_.find(job);
  if (!found) return {};
  std::vector<WallTime> slots = found->machine.waiting();
  for (const WallTime slot : chained_to_come(found->machine)) slots.push_back(slot);
  return slots;
}

/// Slots of triggered chains that the job has not taken up.
std::vector<WallTime> Views::chained_to_come(const JobMachine& job) const {
  std::map<RunId, WallTime> slots;
  const JobRegister* const own = job.known_register();
  const bool takes_part = own && job.role() == JobMachine::Role::leading && job.definition();
  for (const std::string& name : takes_part ? job.definition()->job.details->after : std::vector<std::string>()) {
    const JobEntry* const parent = jobs_.find(name);
    const JobRegister* const of = parent ? parent->machine.known_register() : nullptr;
    if (!of) continue;
    for (const ChainedSlot& slot : of->kept->chained)
      if (!find(own->kept->chained, slot.trigger)) slots.emplace(slot.trigger, slot.slot);
  }
  std::vector<WallTime> waiting;
  for (const auto& [trigger, slot] : slots) waiting.push_back(slot);
  return waiting;
}

/// Where an `@every` counts from is in the job's register, once whoever leads the job has written it.
bool Views::knows_phase(const JobMachine& job) {
  const schedule::Plan& plan = job.definition()->plan;
  const JobRegister* const known = job.known_register();
  return plan.everies().empty() || (known && phase_of(plan, *known));
}

std::optional<std::vector<WallTime>> Views::planned(const std::string& job, WallTime now, WallTime after,
                                                    WallTime until, std::size_t most) const {
  std::vector<WallTime> slots;
  const JobEntry* const found = jobs_.find(job);
  if (!found || !found->machine.definition()) return slots;
  const GroupEntry* const group = groups_.find(found->machine.definition()->job.group);
  if (!(group && group->machine.leads()) && !knows_phase(found->machine)) return std::nullopt;
  while (slots.size() < most) {
    const auto slot = found->machine.next_slot(now, slots.empty() ? after : slots.back());
    if (!slot || *slot >= until) break;
    slots.push_back(*slot);
  }
  return slots;
}

const schedule::Plan* Views::common_plan(const std::string& job, WallTime after) const {
  const JobEntry* const found = jobs_.find(job);
  const schedule::DefinitionPtr definition = found ? found->machine.definition() : nullptr;
  if (!definition || !definition->job.enabled || !definition->plan.everies().empty()) return nullptr;
  const JobRegister* const known = found->machine.known_register();
  return known && std::max(known->cursor, known->claimed_until) > after ? nullptr : &definition->plan;
}

const schedule::Plan* Views::plan_of(const std::string& job) const {
  const JobEntry* const found = jobs_.find(job);
  const schedule::DefinitionPtr definition = found ? found->machine.definition() : nullptr;
  return definition ? &definition->plan : nullptr;
}

std::optional<JobView> Views::find_job(WallTime now, const std::string& job) const {
  const JobEntry* const found = jobs_.find(job);
  return found && found->machine.definition() ? std::optional(view_of(*found, now)) : std::nullopt;
}

std::optional<std::size_t> Views::left_of_backfill(const std::string& job) const {
  const JobEntry* const found = jobs_.find(job);
  const GroupEntry* const group = found ? groups_.find(found->machine.owner()) : nullptr;
  if (!group || !group->machine.leads()) return std::nullopt;
  const JobRegister* const known = found->machine.known_register();
  return known && known->backfill() ? std::optional(found->machine.left_of_backfill(most_left)) : std::nullopt;
}

std::vector<Row> Views::runs_of_others(const std::vector<std::string>& jobs) const {
  std::vector<Row> rows;
  std::set<const JobEntry*, BySerial> shown(jobs_.waiting().begin(), jobs_.waiting().end());
  for (const JobEntry* entry : jobs_.open()) shown.insert(entry);
  for (const JobEntry* entry : shown)
    for (const LiveRun& run : entry->machine.runs()) {
      if (run.state != LiveRun::State::foreign && run.state != LiveRun::State::waiting) continue;
      rows.push_back(row_of_open(run.open, entry->machine.name(), entry->machine.owner(), run.is_waiting()));
    }
  if (jobs.empty()) {
    for (std::size_t left = most_ends; const JobEntry* entry : jobs_.ended_elsewhere()) {
      if (left-- == 0) break;
      rows.push_back(row_of_end(entry->machine.name(), *entry->machine.known_register()));
    }
  }
  for (const std::string& job : jobs) {
    const JobEntry* const entry = jobs_.find(job);
    const JobRegister* const known = entry ? entry->machine.known_register() : nullptr;
    if (known) add_past(rows, job, *known);
  }
  return rows;
}

std::vector<Row> Views::runs_in_question(const std::string& job) const {
  std::vector<Row> rows;
  const JobEntry* const entry = jobs_.find(job);
  if (!entry) return rows;
  for (const LiveRun& run : entry->machine.runs())
    if (run.state == LiveRun::State::foreign && run.is_in_question())
      rows.push_back(row_of_open(run.open, job, entry->machine.owner(), false));
  return rows;
}

Views::Next Views::visit_owners(
    const std::string& after, std::size_t most,
    const std::function<void(const std::string& job, const std::string& group)>& visit) const {
  return page(jobs_.all(), after, most, [&](const JobEntry& entry) {
    if (entry.machine.definition()) visit(entry.machine.name(), entry.machine.owner());
  });
}

void Views::visit_pauses(const std::function<void(const PauseView&)>& visit) const {
  for (const auto& [name, group] : groups_.all()) {
    if (!group.machine.leads() || !group.machine.term().paused) continue;
    const GroupRegister& stored = group.machine.known_register();
    visit({"", name, stored.paused_at, stored.paused_by, stored.pause_terms.ends, stored.pause_terms.reason});
  }
  for (const auto& job : jobs_.all()) {
    const JobRegister* const known = job->machine.known_register();
    if (!known || !known->paused) continue;
    const GroupEntry* const group = groups_.find(job->machine.owner());
    if (!group || !group->machine.leads()) continue;
    const Interventions& of = *known->interventions;
    visit({job->machine.name(), "", of.paused_at, of.paused_by, of.pause_terms.ends, of.pause_terms.reason});
  }
}

const std::string* Views::find_owner(const std::string& job) const {
  const JobEntry* const found = jobs_.find(job);
  return found && found->machine.definition() ? &found->machine.owner() : nullptr;
}

int Views::open_runs() const {
  int count = 0;
  for (const JobEntry* entry : jobs_.open()) count += entry->machine.open_runs();
  return count;
}

bool Views::lacks_candidates(const GroupEntry& group) const {
  return !group.jobs.empty() && !group.settings.candidates.empty() && !directory_.has_candidate(group.settings);
}

JobView Views::view_of(const JobEntry& entry, WallTime now) const {
  const JobMachine& job = entry.machine;
  const GroupEntry* const group = groups_.find(job.definition()->job.group);
  const GroupEntry* const led = group && group->machine.leads() ? group : nullptr;
  JobView view;
  view.name = job.name();
  view.group = *job.definition()->job.group;
  if (led) view.leader = node_;
  if (group) view.without_candidates = lacks_candidates(*group);
  view.state = state_of(job, group, now);
  if (view.state == JobState::waiting) view.awaited = job.owner();
  if (view.state != JobState::paused && (led || knows_phase(job))) view.next = job.next_slot(now);
  view.trouble = job.trouble();
  view.digest = job.definition()->digest;
  const Expectations& expects = *job.definition()->job.details->expects;
  view.expects_success = expects.expect_success > Millis(0);
  view.expects_end = expects.expect_within > Millis(0);
  const JobRegister* const known = job.known_register();
  if (known) note_past(*known, view);
  if (!led) return view;  // what this node has seen may be long over
  if (const std::string* const parent = behind_of(job, now)) view.behind = *parent;
  view.is_running = std::any_of(job.runs().begin(), job.runs().end(), is_known_to_run);
  const GroupRegister& stored = led->machine.known_register();
  if (view.state == JobState::halted) {
    view.halted_with_group = !led->machine.term().halted.empty();
    view.halted_at = view.halted_with_group ? stored.halted_at : job.unsound_since();
  }
  if (known) note_unmet(*known, view);
  if (known && known->paused) view.own_pause = pause_of(*known->interventions);
  if (led->machine.term().paused) view.group_pause = pause_of(stored);
  if (const auto& pause = view.own_pause ? view.own_pause : view.group_pause) {
    view.paused_at = pause->since, view.paused_by = pause->by;
    view.paused_until = pause->ends, view.pause_reason = pause->reason;
  }
  if (known && known->backfill()) view.backfill = backfill_of(job, *known->backfill());
  // Pauses last through the instant of their end.
  const auto until = view.state == JobState::paused ? end_of(view.own_pause, view.group_pause) : std::nullopt;
  if (until) view.next = job.next_slot(now, std::max(now, *until));
  return view;
}

/// The parent whose register has as many ends of slots as it may, since the first slot that the job has not settled: of
/// the next one that ends the earliest goes, and that slot is skipped. Null: none, or it is halted; a paused job passes
/// its slots.
const std::string* Views::behind_of(const JobMachine& job, WallTime now) const {
  if (job.definition()->job.details->after.empty() || job.role() != JobMachine::Role::leading || job.paused())
    return nullptr;
  const auto first = job.next_slot(now, WallTime{});
  for (const std::string& name : job.definition()->job.details->after) {
    const JobEntry* const parent = jobs_.find(name);
    const JobRegister* const known = parent ? parent->machine.known_register() : nullptr;
    if (known && first && known->kept->ends.size() >= slot_end_limit && *first <= known->kept->ends.front().to)
      return &parent->machine.name();
  }
  return nullptr;
}

/// `group`: the job's, where it is known.
JobState Views::state_of(const JobMachine& job, const GroupEntry* group, WallTime now) const {
  const std::string& name = job.definition()->job.group;
  if (job.role() == JobMachine::Role::halted) return JobState::halted;
  if (!job.owner().empty() && job.owner() != name) return JobState::waiting;
  if (!job.definition()->job.enabled) return JobState::disabled;
  const bool leads = group && group->machine.leads();
  if (leads && (job.paused() || group->machine.term().paused)) return JobState::paused;
  if (job.clock_skew(now)) return JobState::clock_skew;
  const GroupEntry* const common = is_instance(name) ? groups_.find(std::string(common_name(name))) : group;
  return common && !common->drift.empty() ? JobState::drift : JobState::active;
}

}  // namespace ballot::core
