// Who else there is, and who should lead: what this node tells of itself, whose files differ, and the voluntary
// hand-overs: to a preferred node, or to the one that the group's name chooses, so that leadership spreads.
//
// Handed over is by resigning with the target's name in the group's register: whoever is elected instead passes the
// group on before it leads. A turn that failed makes the next one wait: from a minute, doubled each time, to an hour.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {
namespace {

constexpr Millis move_pause{20};         // between two hand-overs: 50 a second
constexpr Millis scan_pause{10'000};     // between looks for groups that somebody else should lead
constexpr Millis quiet_time{1000};       // nothing is handed over so shortly before a slot,
constexpr Millis drift_delay{5000};      // files reach nodes one by one
constexpr Millis drift_look{60'000};     // whoever drifts may have gone
constexpr Millis busy_pause{730};        // not in step with what is due each second
constexpr int most_busy_looks = 10;      // unless that was so each time
constexpr Millis handed_for{30'000};     // a hand-over that has not reached its target by then has failed
constexpr int most_passes = 16;          // on its way
constexpr Millis proven_after{600'000};  // a turn whose term lasted so long has not failed
constexpr Millis first_hand_over_pause{60'000}, longest_hand_over_pause{3'600'000};
constexpr Millis clock_alarm{1000}, clock_limit{10'000};  // of this clock from the store's

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
  GroupState& group = this->group(definition->job.group);
  group.digest ^= job_digest(definition->job.name, definition->digest);
  group.defined += by;
  self_changed_ = true;
}

/// Why this node is to be handed nothing.
std::string Core::unfit() const {
  if (!runner_) return "its runner is gone";
  if (silence_.is_silent) return "its runner does not answer";
  if (clock_wrong_) return "its clock is wrong";
  return "";
}

/// Creates the records that say something new, then removes those that say something old.
void Core::tell_of_self(Context& c) {
  if (!session_.is_open() || !listed_ || stop_ || telling_) return;
  if (unfit() != told_unfit_) self_changed_ = true;
  if (!std::exchange(self_changed_, false)) return;
  told_unfit_ = unfit();
  NodeRecord self{settings_.node, session_id_, told_unfit_, {}, {}};
  self.runner = {settings_.machine_id, settings_.boot_id, settings_.runner_socket};
  for (const auto& [name, group] : groups_)
    if (group.content() != 0) self.groups.emplace_back(name, group.content());
  const std::vector<std::string> keys = to_texts(self);
  self.at = c.now.wall;
  const std::vector<std::string> texts = to_texts(self);
  Recording telling;
  telling.of_self = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string& name = self_told_[keys[i]];
    if (!name.empty()) continue;
    name = std::string(node_prefix) + settings_.node + "." + c.random.run_id(c.now.wall).text();
    telling.records.push_back({name, texts[i]});
  }
  std::erase_if(self_told_, [&](const auto& one) {
    const bool old = std::find(keys.begin(), keys.end(), one.first) == keys.end();
    if (old) telling.obsolete.push_back(one.second);
    return old;
  });
  telling_ = true;
  steady_since_ = c.now.steady;
  compare_by(c.now.steady + drift_delay);
  telling.records.empty() ? on_told(c, telling) : create(c, std::move(telling));
}

void Core::on_told(Context& c, const Recording& recording) {
  telling_ = !recording.obsolete.empty();
  if (!telling_) return void(nodes_changed_ = true);  // what an earlier session has told is not needed any more
  Recording removal;
  removal.of_self = true;
  removal.removals = recording.obsolete;
  create(c, std::move(removal));
}

/// At a clean stop.
void Core::tell_no_more(Context& c) {
  Remove removal{++last_request_, {}};
  for (const auto& [key, name] : self_told_) removal.names.push_back(name);
  if (!removal.names.empty()) c.out.push_back(std::move(removal));
}

/// The session is over: the next one tells everything anew.
void Core::forget_told() {
  self_told_.clear();
  telling_ = false;
  self_changed_ = true;
  peers_.clear();
  moves_.clear();
  compare_at_.reset(), scan_at_.reset(), move_at_.reset();
  for (auto& [name, group] : groups_) group.drift.clear(), group.hands_to.clear();
}

// ---- what the others tell

void Core::on_nodes(Context& c, const std::vector<Register>& records) {
  if (peers_.learn(c.now.steady, settings_.node, records)) compare_by(c.now.steady + drift_delay);
  if (telling_ || self_changed_) return;  // looked at again when that is listed
  std::vector<std::string> old = peers_.leftovers(c.now.wall);
  for (const Register& record : records) {
    const auto parsed = parse_node_record(record.value);
    const bool ours = parsed && parsed->node == settings_.node;
    if (ours &&
        std::none_of(self_told_.begin(), self_told_.end(), [&](const auto& one) { return one.second == record.name; }))
      old.push_back(record.name);
  }
  if (!old.empty()) remove(c, std::move(old));
}

/// Of the nodes whose runs a dead term has left: where their runners are on this host. Of one that has told nothing of
/// itself yet, when it has.
void Core::ask_runners(Context& c) {
  unheard_.merge(wants_.unheard);
  wants_.unheard.clear();
  std::erase_if(unheard_, [&](const std::string& node) {
    const auto place = peers_.runner_of(node);
    if (!place) return false;
    if (place->is_here(settings_.machine_id, settings_.boot_id)) c.out.push_back(AskRunner{node, place->socket});
    return true;
  });
}

void Core::compare_by(SteadyTime at) {
  if (!compare_at_ || at < *compare_at_) compare_at_ = at;
}

/// Whose files define a group otherwise. Of those of whom it is not known whether they live, one election tells.
void Core::compare_files(Context& c) {
  compare_at_.reset();
  scan_at_ = c.now.steady;
  const GroupState* wonders = nullptr;
  for (auto& [name, group] : groups_) {
    if (group.content() == 0) continue;
    auto differing = peers_.differing(group.settings, group.content());
    if (!wonders && peers_.wonders(c.now.steady, group.settings, group.content())) wonders = &group;
    if (!differing.empty()) compare_by(c.now.steady + drift_look);
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
  if (wonders) look_at(c, this->group(wonders->name));
}

/// Asks who takes part.
void Core::look_at(Context& c, GroupState& group) {
  for (const auto& [request, looked_at] : observing_)
    if (looked_at == &group) return;
  observing_[++last_request_] = &group;
  c.out.push_back(Observe{last_request_, group.name});
}

void Core::on(Context& c, const backend::Observed& event) {
  const auto it = observing_.find(event.request);
  if (it == observing_.end()) return;
  GroupState& group = *it->second;
  observing_.erase(it);
  Election election{group.name, 0, {}};
  for (const Election& one : event.elections)
    if (one.group == group.name) election = one;
  const bool known = event.outcome == Outcome::done;
  if (known && peers_.see(c.now.steady, group.settings, election)) compare_by(c.now.steady);
  const auto takes_part = [&](auto is) {
    return known && std::any_of(election.candidates.begin(), election.candidates.end(), is);
  };
  if (group.phase == GroupState::Phase::reading && group.weighs_passing) {
    group.weighs_passing = false;
    const bool there = takes_part([&](const Candidate& other) { return other.node == group.stored.hand_over_to; });
    return there ? pass_on(c, group) : settle_before(c, group, std::exchange(group.registers, {}));
  }
  if (const std::string session = std::exchange(group.hands_to, {}); !session.empty())
    for (const Candidate& other : election.candidates)
      if (known && other.id == session) hand_over(c, group, other.node);
  if (!known || !group.cool_until) return;
  if (takes_part([&](const Candidate& other) { return other.node != settings_.node; })) return;
  group.cool_until.reset();  // it stays out after an eviction, and there is nobody else
  group.look_again.reset();
  moved_.insert(&group);
}

// ---- hand-over

/// Once for each group: whether somebody else should lead it.
void Core::plan_moves(Context& c) {
  scan_at_.reset();
  moves_.clear();
  const auto again = [&](SteadyTime at) {
    if (!scan_at_ || at < *scan_at_) scan_at_ = at;
  };
  if (stop_ || peers_.empty()) return;
  for (GroupState* group : standing_) {
    if (group->phase != GroupState::Phase::leading) continue;
    const auto best = peers_.best(c.now.steady, group->settings, group->content(), settings_.node, settings_.spread);
    if (best.again) again(*best.again);  // one move, not two
    if (best.again || best.session.empty()) continue;
    const SteadyTime steady = steady_since_ + fit_delay;
    again(c.now.steady < steady ? steady : c.now.steady + scan_pause);
    if (c.now.steady >= steady) moves_.push_back(group);
  }
  if (!moves_.empty()) move_at_ = c.now.steady;
}

/// One group at a time: looks whether its better leader is there.
void Core::next_move(Context& c) {
  move_at_.reset();
  while (!moves_.empty()) {
    GroupState& group = *moves_.front();
    moves_.pop_front();
    if (!may_hand_over(c, group)) continue;
    if (!is_quiet(c, group)) {
      scan_at_ = c.now.steady + busy_pause;
      continue;
    }
    const auto best = peers_.best(c.now.steady, group.settings, group.content(), settings_.node, settings_.spread);
    if (best.session.empty()) continue;
    group.hands_to = best.session;
    look_at(c, group);
    move_at_ = c.now.steady + move_pause;
    return;
  }
}

bool Core::may_hand_over(const Context& c, const GroupState& group) const {
  if (stop_ || group.phase != GroupState::Phase::leading || group.hands_back()) return false;
  if (!group.asked.empty() || !group.term.halted.empty() || !c.may_claim(launch_margin)) return false;
  const GroupRegister& stored = group.stored;
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
  group.stored.hand_over_to = node;
  group.stored.passes = 0;
  group.stored.turned_at = c.now.wall;
  c.out.push_back(Notice{Level::info, "hands over to " + node, {{"group", group.name}}});
  resign(c, group, Cause::resigned);
}

/// Elected instead of the one to whom the group is handed over: whether that one is waited for.
bool Core::weigh_passing(Context& c, GroupState& group, const std::optional<Register>& stored) {
  const auto parsed = stored ? parse_group_register(stored->value) : Error{};
  if (!parsed || group.resumed || parsed->hand_over_to.empty() || parsed->hand_over_to == settings_.node) return false;
  const Millis since = c.now.wall - parsed->turned_at.value_or(WallTime{});
  if (since > handed_for || since < -handed_for || parsed->passes >= most_passes || stop_) return false;
  group.stored = *parsed;
  group.version = stored->version;
  group.weighs_passing = true;
  look_at(c, group);
  return true;
}

/// Leads nothing: the register stays as the term before has left it.
void Core::pass_on(Context& c, GroupState& group) {
  c.out.push_back(Notice{Level::info,
                         "elected, and passes the group on to " + group.stored.hand_over_to,
                         {{"group", group.name}, {"epoch", std::to_string(group.term.epoch)}}});
  group.registers.clear();
  group.phase = GroupState::Phase::resigning;
  group.passing = true;
  group.stored.passes += 1;
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

/// A node whose clock is wrong decides wrongly what is due.
void Core::heed_clock(Context& c) {
  const Millis error = session_.clock_error();
  const Millis off = error < Millis(0) ? -error : error;
  const std::string text = "this clock is " + std::to_string(off.count()) + " ms " +
                           (error < Millis(0) ? "behind" : "before") + " the store's";
  const bool alarm = off > clock_alarm, wrong = off > clock_limit;
  if (alarm && !clock_alarm_ && !wrong)
    c.out.push_back(Notice{Level::error, "clock skew: " + text + "; beyond 10 s this node leads nothing", {}});
  if (wrong && !clock_wrong_)
    c.out.push_back(Notice{Level::error, "clock skew: " + text + ": this node leads nothing", {}});
  if (!alarm && clock_alarm_) c.out.push_back(Notice{Level::info, "no clock skew any more", {}});
  clock_alarm_ = alarm;
  if (std::exchange(clock_wrong_, wrong) == wrong) return;
  for (auto& [name, group] : groups_) moved_.insert(&group), advance_yielding(c, group);
}

bool Core::may_take_part(const GroupState& group) const {
  return !group.cool_until && !clock_wrong_ && !silence_.for_long && may_lead(group.settings, settings_.node);
}

/// This node may not lead the group any more, or again.
void Core::advance_yielding(Context& c, GroupState& group) {
  if (group.phase != GroupState::Phase::leading || stop_ || group.evicting) return;
  const bool yields = !may_take_part(group);
  if (std::exchange(group.yielding, yields) == yields) return;
  group.term.draining = yields;
  group.evict_kill.reset();
  if (yields) group.evict_kill = c.now.steady + evict_wait;
  for (JobEntry* job : std::vector(group.jobs.begin(), group.jobs.end())) touch(c, *job);
}

}  // namespace ballot::core
