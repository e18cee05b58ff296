// GroupHooks: on_promote as a term of this node begins, on_demote when it is over. One after the other for each group,
// in order; the latest state wins: a demotion ends an on_promote that is still running, and what was overtaken while it
// waited is left out.
//
// Thread: the loop's.
//
//   GroupHooks hooks(settings, children);
//   hooks.define(groups);
//   hooks.set("db", {.leads = true, .epoch = 7});
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ballot/job.hpp"
#include "io/notify/children.hpp"

namespace ballot::io {

struct GroupLeadership {
  bool leads = false;
  std::uint64_t epoch = 0;  // of the term that has begun, or is over
  bool operator==(const GroupLeadership&) const = default;
};

class GroupHooks {
 public:
  /// `daemon`: who runs them. `children` outlives this.
  GroupHooks(std::string node, Identity daemon, Children& children);

  void define(const std::vector<Group>& groups);
  void set(const std::string& group, GroupLeadership leadership);
  /// To the environment of its hooks from now on: NAME=VALUE each, in place of what was added before.
  void add(const std::string& group, const std::vector<std::string>& environment);

 private:
  struct State {
    GroupLeadership wanted, announced;  // as it is now; what its hook was begun for last
    bool running = false;
  };

  void advance(const std::string& group);
  void begin(const std::string& group, const std::vector<std::string>& command, Millis timeout, State& state);
  std::vector<std::string> environment(const std::string& group, const GroupLeadership& leadership) const;

  const std::string node_;
  const Identity daemon_;
  Children& children_;
  std::map<std::string, Group> groups_;  // those with a hook
  std::map<std::string, State> states_;
  std::map<std::string, std::vector<std::string>> added_;  // to the environment, where anything was
};

}  // namespace ballot::io
