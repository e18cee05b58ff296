// Who comes first in a group: the plugins of stores without queues, and the core, which hands groups over, are of one
// mind.
#include <gtest/gtest.h>

#include <chrono>

#include "core/node/peers.hpp"
#include "support/keys/claim_order.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

/// Else those that come before it are elected, pass the group on, and are elected again: it hardly gets its turn.
TEST(KeyRankTest, WhomTheCoreHandsAGroupToComesFirst) {
  constexpr std::uint64_t digest = 7;
  for (int i = 0; i < 300; ++i) {
    Group group;
    group.name = "g" + std::to_string(i);
    std::vector<Register> records;
    for (const std::string node : {"n2", "n3", "n4"}) {
      core::NodeRecord record;
      record.node = record.session = node;
      record.groups = {{group.name, digest}};
      for (const std::string& text : core::to_texts(record)) records.push_back({"n/" + node, text, 0});
    }
    core::Peers peers;
    peers.learn(SteadyTime(0s), "n1", records);
    const std::string best = peers.best(SteadyTime(1min), group, digest, "n1", true).node;
    for (const std::string node : {"n1", "n2", "n3", "n4"})
      EXPECT_TRUE(node == best || rendezvous(group.name, node) < rendezvous(group.name, best))
          << group.name << ": " << node << " comes before " << best;
  }
}

}  // namespace
}  // namespace ballot::support
