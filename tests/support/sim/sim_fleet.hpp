// SimFleet: many nodes with the same files in a SimWorld, of which each leads its share, and what all of them say to
// the store, counted. Nothing is due in it: what is counted is what elections, sessions and the nodes' records cost. It
// looks at nothing after each event as SimWorld::run_for() does, so that a thousand times as many of them take a
// thousand times as long, and no more.
//
//   SimFleet fleet({.nodes = 100, .groups = 1'000, .jobs = 10'000});
//   const auto joined = fleet.count([&] { fleet.join(0ms); fleet.await_all_led(); });
//   fleet.kill(10);
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/sim/sim_world.hpp"

namespace ballot {

class SimFleet {
 public:
  struct Size {
    int nodes = 3;
    int groups = 100;
    int jobs = 100;
  };
  /// What all nodes said meanwhile, and how long it took in virtual time.
  struct Traffic {
    std::map<std::string, SimTraffic::Count> by_kind;
    SimTraffic::Count all;
    Millis took{0};
  };

  explicit SimFleet(Size size);

  /// All nodes start, so long one after the other.
  void join(Millis apart);
  /// The first `count` of the living ones are gone, and their hosts: nobody resigns for them.
  void kill(int count);
  /// Until each node leads its share, and nobody moves anything any more.
  void settle();
  void run_for(Millis span) { world_.loop.run_for(span); }
  /// Until each group is led by a node that lives and has read its registers. The time that it took.
  Millis await_all_led();
  Traffic count(const std::function<void()>& what);

  const Size size;
  /// Of all nodes.
  std::size_t notices(const std::string& beginning) const;
  void each_link(const std::function<void(SimLink&)>& change);

 private:
  SimTraffic traffic() const;
  bool all_led() const;

  SimWorld world_;
  std::vector<schedule::DefinitionPtr> jobs_;
};

}  // namespace ballot
