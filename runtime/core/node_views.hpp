// NodeViews: what a core knows of the other nodes: what each has published of itself, and in which groups whose job
// files differ. Beside Views, for whoever shows it.
//
// Pure; on the loop thread. What a view refers to is there until the core's next step.
//
//   for (const PeerView& peer : core.node_views().peers()) print(peer.node, peer.unfit);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/group/group_table.hpp"
#include "core/node/node_directory.hpp"

namespace ballot::core {

/// A node by one of its sessions.
struct PeerView {
  std::string_view node, session;
  std::string_view unfit;                  // why it is to be handed nothing; "": it is fit
  WallTime at{};                           // when it published that, by its own clock
  bool is_candidate = false;               // it takes part in the election of a group that this node knows, if it lives
  bool is_missed = false;                  // an election was looked at, and it was not there
  std::optional<SteadyTime> alive = {};    // as of Peer, by this node's clock
  std::vector<std::string> troubles = {};  // what is wrong with it, as it says itself
};

/// A group that not all nodes define alike.
struct DriftView {
  std::string_view group;
  std::vector<std::string> odd;         // whose files differ from those of most nodes; none: there are no most
  std::vector<std::string> differing;   // whose files differ from this node's
  std::vector<std::string> jobs;        // which jobs, as far as that is known here
  std::vector<std::string> alike = {};  // other nodes whose files say the same as this node's
};

class NodeViews {
 public:
  NodeViews(const std::string& node, const GroupTable& groups, const NodeDirectory& directory)
      : node_(node), groups_(groups), directory_(directory) {}

  const std::string& self() const { return node_; }
  std::vector<PeerView> peers() const;
  std::vector<DriftView> drifts() const;

 private:
  std::vector<std::string> differing_jobs(const GroupEntry& group) const;

  const std::string& node_;
  const GroupTable& groups_;
  const NodeDirectory& directory_;
};

}  // namespace ballot::core
