// ElectionLooks: observes one election after the other, so that it is known until when a node lived that dies, though
// nobody had asked about it. Every 10 s; of more than 100 nodes so rarely that all of them together ask the store for
// ten elections a second. Not of groups that each node has for itself.
//
// Thread: the loop's. Requires: the node lives longer, and close() comes before it is closed. No call after close().
//
//   ElectionLooks looks(node, [&](const std::vector<Election>& elections) { fleet.note(elections); });
//   looks.start();   // once the node has started
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/wall_timer.hpp"
#include "library/node.hpp"

namespace ballot::library {

class ElectionLooks {
 public:
  using OnSeen = std::function<void(const std::vector<Election>&)>;

  ElectionLooks(Node& node, OnSeen seen, Millis pause = std::chrono::seconds(10));

  void start();
  void close();

 private:
  void look();
  std::string next_group() const;

  Node& node_;
  const OnSeen seen_;
  const Millis pause_;
  io::BootTimer timer_;
  std::string group_;  // that was observed last
  bool is_closed_ = false;
};

}  // namespace ballot::library
