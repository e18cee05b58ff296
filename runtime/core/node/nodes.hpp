// Nodes: this node among the others, in one step: what it publishes of itself, whose files differ from its own, and
// which groups somebody else should lead.
//
// Pure; lives for one step; used inside core only.
#pragma once

#include <string>
#include <vector>

#include "core/core_parts.hpp"
#include "core/group/groups.hpp"
#include "core/store/takeover.hpp"

namespace ballot::core {

class Nodes {
 public:
  Nodes(CoreParts& parts, Context& c) : p_(parts), c_(c), groups_(parts, c), takeover_(parts, c) {}

  // ---- what this node publishes
  /// The session is open, and the others are to know of this node.
  static bool may_publish(const CoreParts& parts);
  /// Where it has changed.
  void publish();
  void on_published(const StoreClient::RecordOp& op);
  /// At a clean stop.
  void withdraw();
  /// The session is over: the next one publishes everything anew.
  void forget();

  // ---- what the others publish
  void on_records(const std::vector<Register>& records);
  /// Of the nodes whose runs a dead term has left: their runners, where they are on this host.
  void ask_runners();
  /// Whose files define a group otherwise. Whether one of them is alive is observed, of one group at a time.
  void compare_files();

  // ---- who should lead
  /// Once for each group: whether somebody else should lead it.
  void plan_handovers();
  /// One group at a time: whether its better leader takes part is observed. Put off until all that others have
  /// published is known.
  void begin_handover();
  void on(const backend::Observed& event);

 private:
  bool has_foreign(const std::string& node) const;
  Peers::Best best_leader(const GroupEntry& group) const;
  bool is_still_better(const GroupEntry& group) const;

  CoreParts& p_;
  Context& c_;
  Groups groups_;
  Takeover takeover_;
};

}  // namespace ballot::core
