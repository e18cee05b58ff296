// Groups: the groups in one step. It lets a group's machine do something and keeps what hangs on it: the table of
// groups, what the stop waits for, and which requests end with a term. What concerns all groups is done here too: what
// the files say, this node's health, a store that has gone back.
//
//   Groups groups(parts, c);
//   groups.act(entry, [&](GroupMachine& group, GroupContext& g) { group.halt(g, why); });
//
// Pure; lives for one step; used inside core only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/core_parts.hpp"
#include "core/jobs/jobs.hpp"

namespace ballot::core {

class Groups {
 public:
  Groups(CoreParts& parts, Context& c) : p_(parts), c_(c), jobs_(parts, c) {}

  /// Becomes known, where it is not yet.
  GroupEntry& entry(const std::string& name) { return p_.groups.entry(name, p_.guard); }

  /// `what`(machine, its context).
  template <class Do>
  void act(GroupEntry& group, Do what) {
    GroupContext g = context(group);
    const bool was_led = group.machine.is_led(), was_sound = group.machine.knows_of(p_.guard);
    what(group.machine, g);
    if (group.machine.knows_of(p_.guard) != was_sound) p_.directory.on_changed();
    keep(group, g, was_led);
  }
  /// The group's context; for questions that change nothing.
  GroupContext context(GroupEntry& group);

  /// Carries on with all that time, its jobs, or its requests have made possible.
  void advance(GroupEntry& group);
  /// Advances groups whose time has come.
  void advance_due();
  /// The registers of all jobs are listed: each campaigns where it is wanted.
  void campaign();
  /// The session is over, and all terms with it.
  void end_terms(Cause cause);
  /// The session is closed: the store says nothing of this node's fitness until the next one says so. A session whose
  /// deadline has passed may still have said that the node is unfit.
  void forget_unfit();
  void halt(GroupEntry& group, const std::string& why);

  // ---- the files
  void define(const std::vector<Group>& groups);
  /// A job's definition comes into its group (1), or leaves it (-1); an instance's also into the group that its file
  /// names.
  void count_definition(const schedule::DefinitionPtr& definition, int by);

  /// Groups that this node may lead may have changed.
  void on_health(NodeHealth::Change change);
  void on_unfit(const backend::Unfit& event);

  // ---- a store that has gone back
  /// Of which groups is not known: what is led is halted.
  void halt_all(const std::string& why);
  /// Seen once each time: what is led is halted at once, the other groups when they are; unless they are repaired
  /// first.
  void on_gone_back();
  /// After what the renewal says of that: repairs may wait for it.
  void on_renewed();
  /// A job of a group that this node does not lead has an older register than this node has seen: others are to know.
  void on_older_job(GroupEntry& group, const std::string& why);
  /// Halts a group that this node leads where another node knows that the store has gone back.
  void heed_evidence(GroupEntry& group);
  /// The same of all that it leads.
  void heed_evidence();
  /// The other nodes' records are listed for the first time in this session.
  void on_nodes_listed();
  void list_repairs();
  void on_repairs(const std::vector<Register>& registers);

 private:
  void keep(GroupEntry& group, const GroupContext& g, bool was_led);
  void count_definition(GroupEntry& group, std::string_view job, const schedule::Definition& definition, int by);

  CoreParts& p_;
  Context& c_;
  Jobs jobs_;
};

}  // namespace ballot::core
