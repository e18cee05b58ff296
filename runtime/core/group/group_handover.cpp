#include "core/group/group_handover.hpp"

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"
#include "core/group/group_jobs.hpp"

namespace ballot::core {
namespace {

constexpr Millis quiet_time{1000};       // nothing is handed over so shortly before a slot,
constexpr int most_busy_times = 10;      // unless that was so each time
constexpr Millis handed_for{30'000};     // a hand-over that has not reached its target by then has failed
constexpr int most_forwards = 16;        // on its way
constexpr Millis observe_soon{200};      // from there to the first observation of the target
constexpr Millis proven_after{600'000};  // a hand-over whose term lasted so long has not failed
constexpr Millis first_hand_over_pause{60'000}, longest_hand_over_pause{3'600'000};

Millis pause_after(int failed) {
  Millis pause = first_hand_over_pause;
  for (int i = 1; i < failed && pause < longest_hand_over_pause; ++i) pause *= 2;
  return std::min(pause, longest_hand_over_pause);
}

}  // namespace

bool GroupHandover::may_begin() const {
  if (g_.is_stopping || s_.phase != GroupState::Phase::leading || s_.drains()) return false;
  if (!s_.requests.asked.empty() || !s_.term.halted.empty() || !g_.c.may_claim(launch_margin)) return false;
  const GroupRegister& stored = s_.stored.value();
  return stored.failed_handovers == 0 || !stored.last_handover_at ||
         g_.c.now.wall >= *stored.last_handover_at + pause_after(stored.failed_handovers) ||
         g_.c.now.wall < *stored.last_handover_at;
}

bool GroupHandover::is_quiet(bool may_resign) {
  const bool idle = std::none_of(g_.entry.jobs.begin(), g_.entry.jobs.end(), [&](const JobEntry* job) {
    return job->machine.open_runs() > 0 ||
           (job->machine.wall_wake && *job->machine.wall_wake < g_.c.now.wall + quiet_time);
  });
  if (may_resign && (idle || s_.busy_times >= most_busy_times)) {
    s_.busy_times = 0;
    return true;
  }
  ++s_.busy_times;
  return false;
}

void GroupHandover::begin(const std::string& session) {
  s_.handback = Handback::handover;
  s_.handover_session = session;
  g_.store.observe(g_.c.out, g_.entry, s_.name);
}

/// Why that node should lead, and not this one: as Peers::best() has chosen it.
std::string GroupHandover::why(const std::string& node) const {
  const auto& preferred = g_.entry.settings.preferred;
  return std::find(preferred.begin(), preferred.end(), node) == preferred.end()
             ? "the hash of group and node chooses it, so that groups spread over the nodes"
             : "it comes before this node in the group's preferred";
}

bool GroupHandover::names_target(const std::vector<Candidate>& candidates) {
  const auto is_target = [&](const Candidate& one) { return one.id == s_.handover_session; };
  const auto target = std::find_if(candidates.begin(), candidates.end(), is_target);
  if (target == candidates.end() || !may_begin()) return false;
  const std::string& node = target->node;
  s_.handback = Handback::handover;
  s_.handed_to = node;
  GroupRegister& next = s_.stored.edit();
  next.hand_over_to = node;
  next.forwards = 0;
  next.last_handover_at = g_.c.now.wall;
  g_.c.out.push_back(Notice{Level::info, "hands over to " + node + ": " + why(node), {{"group", s_.name}}});
  return true;
}

bool GroupHandover::considers_forwarding(const Register& stored) {
  const auto parsed = parse_group_register(stored.value);
  const std::string& self = g_.c.settings.node;
  if (!parsed || s_.resumed || parsed->hand_over_to.empty() || parsed->hand_over_to == self) return false;
  const Millis since = g_.c.now.wall - parsed->last_handover_at.value_or(WallTime{});
  if (since > handed_for || since < -handed_for || parsed->forwards >= most_forwards || g_.is_stopping) return false;
  s_.stored.load(stored);
  s_.handback = Handback::forwarding;
  g_.store.observe(g_.c.out, g_.entry, s_.name);
  return true;
}

void GroupHandover::begin_forwarding() {
  g_.c.out.push_back(Notice{Level::info,
                            "elected, and passes the group on to " + s_.stored.value().hand_over_to,
                            {{"group", s_.name}, {"epoch", std::to_string(s_.term.epoch)}}});
  s_.registers.clear();
  s_.handed_to = s_.stored.value().hand_over_to;
  s_.phase = GroupState::Phase::resigning;
  s_.stored.edit().forwards += 1;
}

/// For the next leader, whichever; or for the target.
void GroupHandover::stay_out(Handback given_away) {
  const SteadyTime now = g_.c.now.steady;
  if (given_away == Handback::evicted || given_away == Handback::reelect) {
    s_.handed_to.clear();
    s_.cool_until = now + 3 * g_.c.session.timeout();
    s_.observe_at = now;
  } else if (given_away == Handback::handover || given_away == Handback::forwarding) {
    s_.cool_until = now + g_.c.session.timeout();
    s_.observe_at = now + observe_soon;
  }
}

bool GroupHandover::waits_for_others(const std::vector<Candidate>& candidates) const {
  return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
    return s_.handed_to.empty() ? other.node != g_.c.settings.node : other.node == s_.handed_to && !other.leads;
  });
}

/// The target is kept for as long as it leads: who leads next knows by it whose death is the hand-over's failure.
void GroupHandover::settle(const GroupRegister& before, GroupRegister& now) const {
  now.forwards = 0;
  if (!before.last_handover_at || before.hand_over_to == g_.c.settings.node) return;
  const std::string target = std::exchange(now.hand_over_to, "");
  const bool is_proven = g_.c.now.wall >= *before.last_handover_at + proven_after;
  const bool is_reached = before.node == target;
  if (is_proven && (target.empty() || is_reached)) {
    now.failed_handovers = 0;
    now.last_handover_at.reset();
  } else if (!target.empty() && !(is_reached && before.ended_at)) {
    now.failed_handovers = std::min(before.failed_handovers + 1, 100);
    now.last_handover_at = g_.c.now.wall;
    g_.c.out.push_back(Notice{
        Level::info,
        is_reached ? target + " died soon after the group was handed to it" : "the hand-over has not reached " + target,
        {{"group", s_.name}, {"again_at", format_seconds(g_.c.now.wall + pause_after(now.failed_handovers))}}});
  }
}

}  // namespace ballot::core
