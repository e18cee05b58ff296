// RememberedPeers: the other nodes, as they were known last. A node without a session is shown none by its store, and
// who asks then, in an outage, is to see which nodes there are all the same.
//
// Plain values. Thread: one at a time. What peers() returns is valid until the next call.
//
//   remembered.see(core.node_views().peers(), core.session().is_open());
//   for (const core::PeerView& peer : remembered.peers()) print(peer.node);
#pragma once

#include <list>
#include <string>
#include <vector>

#include "core/node_views.hpp"

namespace ballot::library {

class RememberedPeers {
 public:
  /// Without a session nothing is known of them anew.
  void see(const std::vector<core::PeerView>& peers, bool has_session);
  const std::vector<core::PeerView>& peers() const { return views_; }

 private:
  std::vector<core::PeerView> views_;
  std::list<std::string> texts_;  // that the views are of
};

}  // namespace ballot::library
