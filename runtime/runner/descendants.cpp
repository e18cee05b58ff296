#include "runner/descendants.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace ballot::runner {
namespace {

constexpr int kill_rounds = 8, list_rounds = 4;  // at a time, against what forks while it is listed
constexpr Millis unsure_until{200};              // of one that names no run: then it is a stranger

std::uint64_t ticks(SteadyTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count() * ::sysconf(_SC_CLK_TCK) / 1000);
}

bool has_entry(std::string_view environment, std::string_view entry) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == entry) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

}  // namespace

std::vector<pid_t> Orphans::list() {
  std::vector<pid_t> all = children_of(::getpid());
  std::erase_if(all, [this](pid_t pid) { return own_.contains(pid) || environments.has_child(pid); });
  environments.forget_but(all);
  return all;
}

Descendants::Descendants(const AttemptId& id, pid_t leader, SteadyTime started, Orphans& orphans)
    : run_("BALLOT_RUN_ID=" + id.run.text()),
      attempt_("BALLOT_ATTEMPT=" + std::to_string(id.attempt)),
      leader_(leader),
      started_(ticks(started)),
      orphans_(orphans) {}

Left Descendants::signal(int signal, SteadyTime now) {
  bool any = signal_group(signal);
  Known reached;
  for (int round = 0; round < kill_rounds; ++round) {
    bool fresh = false;
    for (const ProcessFacts& each : list(now)) {
      any = true;
      const bool has_it = each.group == leader_ && signal != SIGKILL;
      if (signal == 0 || has_it || !reached.emplace(each.pid, each.started).second) continue;
      fresh = true;
      signal_if(each.pid, signal, [&each] {
        const auto facts = facts_of(each.pid);
        return facts && facts->started == each.started;
      });
    }
    if (signal != SIGKILL || !fresh) break;
  }
  return any ? Left::some : is_unsure(now) ? Left::unsure : Left::nothing;
}

bool Descendants::signal_group(int signal) const {
  if (!leader_lives_ && ::getpgid(leader_) >= 0) return false;
  return ::kill(-leader_, signal) == 0 || errno == EPERM;
}

/// All that live. One whose parent ends meanwhile is nobody's child for that moment: what was known is also read by its
/// number.
std::vector<ProcessFacts> Descendants::list(SteadyTime now) {
  std::vector<ProcessFacts> all;
  if (leader_lives_)
    if (const auto leader = facts_of(leader_)) add_with_children(*leader, all);
  add_orphans(all, now);
  Known found;
  for (const ProcessFacts& each : all) found.emplace(each.pid, each.started);
  for (const auto& [pid, started] : known_) {
    const auto facts = found.contains({pid, started}) ? std::nullopt : facts_of(pid);
    if (!facts || facts->started != started || facts->has_ended) continue;
    all.push_back(*facts);
    found.emplace(pid, started);
  }
  known_ = std::move(found);
  return all;
}

/// One that has ended since it was listed has left us its children behind it: until none is new in the list. Not
/// without end: what is not reaped meanwhile makes the list longer.
void Descendants::add_orphans(std::vector<ProcessFacts>& all, SteadyTime now) {
  Strangers strangers;
  std::set<pid_t> seen;
  bool fresh = true, pending = false;
  for (int round = 0; round < list_rounds && std::exchange(fresh, false); ++round)
    for (const pid_t pid : orphans_.list()) {
      if (!seen.insert(pid).second) continue;
      fresh = true;
      const auto orphan = facts_of(pid);
      if (!orphan || orphan->has_ended) continue;
      const Whose owner = whose(*orphan, now);
      if (owner == Whose::ours) add_with_children(*orphan, all);
      if (owner == Whose::ours || owner == Whose::of_another) continue;
      pending |= owner == Whose::pending;
      const Name name{pid, orphan->started};
      const auto before = strangers_.find(name);
      strangers.emplace(name, before == strangers_.end() ? now : before->second);
    }
  strangers_ = std::move(strangers);
  list_is_incomplete_ = fresh || pending;
}

void Descendants::add_with_children(const ProcessFacts& root, std::vector<ProcessFacts>& all) const {
  if (!root.has_ended) all.push_back(root);
  for (const pid_t pid : children_of(root.pid))
    if (const auto child = facts_of(pid); child && child->parent == root.pid) add_with_children(*child, all);
}

Descendants::Whose Descendants::whose(const ProcessFacts& orphan, SteadyTime now) {
  if (known_.contains({orphan.pid, orphan.started})) return Whose::ours;
  if (orphan.group == leader_ && (leader_lives_ || ::getpgid(leader_) < 0)) return Whose::ours;
  const auto environment = orphans_.environments.of(orphan, now);
  if (!environment) return orphans_.environments.is_pending(orphan) ? Whose::pending : Whose::unknown;
  if (has_entry(*environment, run_)) return has_entry(*environment, attempt_) ? Whose::ours : Whose::of_another;
  const bool names_another = environment->find("BALLOT_RUN_ID=") != std::string::npos;
  return names_another || orphan.started < started_ ? Whose::of_another : Whose::unknown;
}

bool Descendants::is_unsure(SteadyTime now) const {
  return list_is_incomplete_ || std::any_of(strangers_.begin(), strangers_.end(),
                                            [now](const auto& each) { return now < each.second + unsure_until; });
}

}  // namespace ballot::runner
