#include "io/notify/group_hooks.hpp"

#include <utility>

#include "io/notify/hook_limits.hpp"

namespace ballot::io {

GroupHooks::GroupHooks(std::string node, Identity daemon, Children& children)
    : node_(std::move(node)), daemon_(std::move(daemon)), children_(children) {}

void GroupHooks::define(const std::vector<Group>& groups) {
  groups_.clear();
  for (const Group& group : groups)
    if (!group.on_promote.empty() || !group.on_demote.empty()) groups_[group.name] = group;
}

void GroupHooks::set(const std::string& group, GroupLeadership leadership) {
  State& state = states_[group];
  state.wanted = leadership;
  if (state.running && state.announced.leads && !leadership.leads) children_.kill(group, hook_grace);
  advance(group);
}

void GroupHooks::add(const std::string& group, const std::vector<std::string>& environment) {
  if (environment.empty())
    added_.erase(group);
  else
    added_[group] = environment;
}

/// Begins what is due next, where nothing of the group is under way.
void GroupHooks::advance(const std::string& group) {
  const auto found = states_.find(group);
  if (found == states_.end() || found->second.running) return;
  State& state = found->second;
  const GroupLeadership before = std::exchange(state.announced, state.wanted);
  const bool is_news = state.announced.leads ? state.announced != before : before.leads;
  const auto known = groups_.find(group);
  if (is_news && known != groups_.end()) {
    const Group& settings = known->second;
    const auto& command = state.announced.leads ? settings.on_promote : settings.on_demote;
    if (!command.empty()) return begin(group, command, settings.hook_timeout, state);
  }
  if (!state.announced.leads) states_.erase(found);
}

void GroupHooks::begin(const std::string& group, const std::vector<std::string>& command, Millis timeout,
                       State& state) {
  state.running = true;
  const GroupLeadership& now = state.announced;
  Child child;
  child.key = group;
  child.what = now.leads ? "on_promote" : "on_demote";
  child.fields = {{"group", group}, {"epoch", std::to_string(now.epoch)}};
  child.start.job = "group " + group;
  child.start.argv = command;
  child.start.environment = environment(group, now);
  child.start.working_dir = daemon_.home;
  child.start.deadline = timeout;
  child.start.kill_grace = hook_grace;
  child.on_ended = [this, group] {
    if (const auto found = states_.find(group); found != states_.end()) found->second.running = false;
    advance(group);
  };
  children_.run(std::move(child));
}

/// The next leader is not known yet when this node stops.
std::vector<std::string> GroupHooks::environment(const std::string& group, const GroupLeadership& leadership) const {
  std::vector<std::string> all = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                  "HOME=" + daemon_.home,
                                  "USER=" + daemon_.user,
                                  "LOGNAME=" + daemon_.user,
                                  "SHELL=/bin/sh",
                                  "LANG=C.UTF-8",
                                  "BALLOT_GROUP=" + group,
                                  "BALLOT_NODE=" + node_,
                                  std::string("BALLOT_ROLE=") + (leadership.leads ? "leader" : "follower"),
                                  "BALLOT_EPOCH=" + std::to_string(leadership.epoch),
                                  "BALLOT_LEADER=" + (leadership.leads ? node_ : "")};
  if (const auto added = added_.find(group); added != added_.end())
    all.insert(all.end(), added->second.begin(), added->second.end());
  return all;
}

}  // namespace ballot::io
