// Who else there is, and who should lead: what this node tells of itself, whose files differ, and the voluntary
// hand-overs: to a preferred node, or to the one that the group's name chooses, so that leadership spreads.
//
// Handed over is by resigning with the target's name in the group's register: whoever is elected instead passes the
// group on before it leads. A turn that failed makes the next one wait: from a minute, doubled each time, to an hour.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {
namespace {

constexpr Millis quiet_time{1000};       // nothing is handed over so shortly before a slot,
constexpr Millis drift_look{60'000};     // whoever drifts may have gone
constexpr int most_busy_looks = 10;      // unless that was so each time
constexpr Millis handed_for{30'000};     // a hand-over that has not reached its target by then has failed
constexpr int most_passes = 16;          // on its way
constexpr Millis proven_after{600'000};  // a turn whose term lasted so long has not failed
constexpr Millis first_hand_over_pause{60'000}, longest_hand_over_pause{3'600'000};

Millis pause_after(int failed_turns) {
  Millis pause = first_hand_over_pause;
  for (int i = 1; i < failed_turns && pause < longest_hand_over_pause; ++i) pause *= 2;
  return std::min(pause, longest_hand_over_pause);
}

}  // namespace

// ---- what this node tells

/// A job's definition comes into its group, or leaves it.
void Core::count_definition(const schedule::DefinitionPtr& definition, int by) {
  if (!definition) return;
  GroupState& group = group_of(definition->job.group);
  group.digest ^= job_digest(definition->job.name, definition->digest);
  group.defined += by;
  directory_.on_changed();
}

void Core::publish_node_record(Context& c) {
  if (!session_.is_open() || !listed_ || shutdown_.is_asked() ||
      !directory_.begin_publishing(c.now.steady, health_.unfit()))
    return;
  NodeDirectory::Groups groups;
  for (const auto& [name, group] : groups_.all())
    if (group.content() != 0) groups.emplace_back(name, group.content());
  Recording record = directory_.node_record(c.now.wall, std::move(groups), c.random);
  record.records.empty() ? on_node_recorded(c, record) : create(c, std::move(record));
}

void Core::on_node_recorded(Context& c, const Recording& recording) {
  if (auto removal = directory_.on_published(recording)) return create(c, std::move(*removal));
  feeds_.nodes.on_changed();  // what an earlier session has published is not needed any more
}

/// At a clean stop.
void Core::withdraw_node_record(Context& c) {
  if (auto names = directory_.records(); !names.empty()) store_.remove(c.out, std::move(names));
}

/// The session is over: the next one publishes everything anew.
void Core::forget_nodes() {
  directory_.on_lost();
  planner_.clear();
  for (auto& [name, group] : groups_.all()) group.drift.clear(), group.hands_to.clear();
}

// ---- what the others publish

void Core::on_nodes(Context& c, const std::vector<Register>& records) {
  if (auto old = directory_.learn(c.now, records); !old.empty()) remove(c, std::move(old));
}

/// Of the nodes whose runs a dead term has left: where their runners are on this host.
void Core::ask_runners(Context& c) {
  auto nodes = std::exchange(wants_.unheard, {});
  for (auto& [node, place] : directory_.runners_of(std::move(nodes), settings_.machine_id, settings_.boot_id))
    c.out.push_back(AskRunner{node, place.socket});
}

/// Whose files define a group otherwise. Of those of whom it is not known whether they live, one election tells.
void Core::compare_files(Context& c) {
  directory_.begin_compare();
  planner_.scan_now(c.now.steady);
  const GroupState* wonders = nullptr;
  for (auto& [name, group] : groups_.all()) {
    if (group.content() == 0) continue;
    auto differing = directory_.peers().differing(group.settings, group.content());
    if (!wonders && directory_.peers().wonders(c.now.steady, group.settings, group.content())) wonders = &group;
    if (!differing.empty()) directory_.compare_by(c.now.steady + drift_look);
    if (differing == group.drift) continue;
    std::string nodes;
    for (const std::string& node : differing) nodes += (nodes.empty() ? "" : ", ") + node;
    if (!differing.empty())
      c.out.push_back(
          Notice{Level::warn,
                 "drift: the job files of " + nodes + " say otherwise of this group, so it is not handed to them",
                 {{"group", name}}});
    else
      c.out.push_back(Notice{Level::info, "no drift any more", {{"group", name}}});
    group.drift = std::move(differing);
  }
  if (wonders) store_.observe(c.out, group_of(wonders->name), wonders->name);
}

void Core::on(Context& c, const backend::Observed& event) {
  GroupState* const observed = store_.on_observed(event.request);
  if (!observed) return;
  GroupState& group = *observed;
  Election election{group.name, 0, {}};
  for (const Election& one : event.elections)
    if (one.group == group.name) election = one;
  const bool known = event.outcome == Outcome::done;
  if (known) directory_.see(c.now.steady, group.settings, election);
  const auto takes_part = [&](auto is) {
    return known && std::any_of(election.candidates.begin(), election.candidates.end(), is);
  };
  if (group.phase == GroupState::Phase::reading && group.weighs_passing) {
    group.weighs_passing = false;
    const bool there =
        takes_part([&](const Candidate& other) { return other.node == group.stored.value().hand_over_to; });
    return there ? pass_on(c, group) : settle_before(c, group, std::exchange(group.registers, {}));
  }
  if (const std::string session = std::exchange(group.hands_to, {}); !session.empty())
    for (const Candidate& other : election.candidates)
      if (known && other.id == session) hand_over(c, group, other.node);
  if (!known || !group.cool_until) return;
  if (takes_part([&](const Candidate& other) { return other.node != settings_.node; })) return;
  group.cool_until.reset();  // it stays out after an eviction, and there is nobody else
  group.look_again.reset();
  groups_.mark_dirty(group);
}

// ---- hand-over

/// Once for each group: whether somebody else should lead it.
void Core::plan_handovers(Context& c) {
  planner_.begin_scan();
  if (shutdown_.is_asked() || directory_.peers().empty()) return;
  for (GroupState* group : groups_.standing())
    if (group->phase == GroupState::Phase::leading)
      planner_.consider(*group, best_leader(c, *group), c.now.steady, directory_.steady_since());
  planner_.end_scan(c.now.steady);
}

Peers::Best Core::best_leader(const Context& c, const GroupState& group) const {
  return directory_.best(c.now.steady, group.settings, group.content(), settings_.spread);
}

/// One group at a time: looks whether its better leader is there.
void Core::begin_handover(Context& c) {
  planner_.begin_move();
  while (GroupState* const next = planner_.next()) {
    GroupState& group = *next;
    if (!may_hand_over(c, group)) continue;
    if (!is_quiet(c, group)) {
      planner_.on_busy(c.now.steady);
      continue;
    }
    const auto best = best_leader(c, group);
    if (best.session.empty()) continue;
    group.hands_to = best.session;
    store_.observe(c.out, group, group.name);
    return planner_.on_moved(c.now.steady);
  }
}

bool Core::may_hand_over(const Context& c, const GroupState& group) const {
  if (shutdown_.is_asked() || group.phase != GroupState::Phase::leading || group.hands_back()) return false;
  if (!group.asked.empty() || !group.term.halted.empty() || !c.may_claim(launch_margin)) return false;
  const GroupRegister& stored = group.stored.value();
  return stored.failed_turns == 0 || !stored.turned_at ||
         c.now.wall >= *stored.turned_at + pause_after(stored.failed_turns) || c.now.wall < *stored.turned_at;
}

/// Nothing is written, no run is open that ends with the term; and, unless that is never so, no other run either, and
/// no slot is near.
bool Core::is_quiet(const Context& c, GroupState& group) const {
  const bool idle = std::none_of(group.jobs.begin(), group.jobs.end(), [&](const JobEntry* job) {
    return job->machine.open_runs() > 0 || (job->wall && *job->wall < c.now.wall + quiet_time);
  });
  if (may_resign(group) && (idle || group.busy_looks >= most_busy_looks)) {
    group.busy_looks = 0;
    return true;
  }
  ++group.busy_looks;
  return false;
}

void Core::hand_over(Context& c, GroupState& group, const std::string& node) {
  if (!may_hand_over(c, group) || !may_resign(group)) return;
  GroupRegister& next = group.stored.edit();
  next.hand_over_to = node;
  next.passes = 0;
  next.turned_at = c.now.wall;
  c.out.push_back(Notice{Level::info, "hands over to " + node, {{"group", group.name}}});
  resign(c, group, Cause::resigned);
}

/// Elected instead of the one to whom the group is handed over: whether that one is waited for.
bool Core::weigh_passing(Context& c, GroupState& group, const std::optional<Register>& stored) {
  const auto parsed = stored ? parse_group_register(stored->value) : Error{};
  if (!parsed || group.resumed || parsed->hand_over_to.empty() || parsed->hand_over_to == settings_.node) return false;
  const Millis since = c.now.wall - parsed->turned_at.value_or(WallTime{});
  if (since > handed_for || since < -handed_for || parsed->passes >= most_passes || shutdown_.is_asked()) return false;
  group.stored.load(stored);
  group.weighs_passing = true;
  store_.observe(c.out, group, group.name);
  return true;
}

/// Leads nothing: the register stays as the term before has left it.
void Core::pass_on(Context& c, GroupState& group) {
  c.out.push_back(Notice{Level::info,
                         "elected, and passes the group on to " + group.stored.value().hand_over_to,
                         {{"group", group.name}, {"epoch", std::to_string(group.term.epoch)}}});
  group.registers.clear();
  group.phase = GroupState::Phase::resigning;
  group.passing = true;
  group.stored.edit().passes += 1;
  write_group(c, group);
  resigns_.push_back(group.name);
}

/// What became of the last voluntary hand-over, as the next term finds it.
void Core::settle_turn(Context& c, const GroupRegister& before, GroupRegister& now) const {
  if (!before.turned_at) return;
  const bool under_way = !before.hand_over_to.empty();
  const bool reached = before.hand_over_to == settings_.node;
  now.hand_over_to.clear();
  now.passes = 0;
  if (under_way && reached) return;
  if (!under_way && c.now.wall >= *before.turned_at + proven_after) {
    now.failed_turns = 0;
    now.turned_at.reset();
  } else if (under_way || !before.ended_at) {  // not reached, or it died soon after
    now.failed_turns = std::min(before.failed_turns + 1, 100);
    now.turned_at = c.now.wall;
  }
}

// ---- may it lead at all

bool Core::may_take_part(const GroupState& group) const {
  return !group.cool_until && health_.may_lead() && may_lead(group.settings, settings_.node);
}

/// This node may not lead the group any more, or again.
void Core::advance_yielding(Context& c, GroupState& group) {
  if (group.phase != GroupState::Phase::leading || shutdown_.is_asked() || group.evicting) return;
  const bool yields = !may_take_part(group);
  if (std::exchange(group.yielding, yields) == yields) return;
  group.term.draining = yields;
  group.evict_kill.reset();
  if (yields) group.evict_kill = c.now.steady + evict_wait;
  for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) touch(c, *job);
}

}  // namespace ballot::core
