// Elections that a node observes though nobody asks.
#include "library/election_looks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

/// Two nodes of one store, which take part in two groups' elections.
struct TwoNodes : ::testing::Test {
  NodeSettings settings(const std::string& name) const {
    NodeSettings settings;
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.backend = "local";
    settings.engine.node = name;
    settings.engine.backend.name_space = "looks";
    settings.engine.backend.state_dir = folder.path();
    settings.engine.runner = {folder / (name + ".sock"), BALLOT_RUNNER};
    settings.ledger.path = folder / (name + ".db");
    return settings;
  }
  static void begin(Node& node) {
    ASSERT_TRUE(node.start(Resume::allowed));
    std::vector<Group> groups(2);
    groups[0].name = "nightly", groups[1].name = "reports";
    node.define({}, {}, std::move(groups));
  }
  static void end(Node& node) { node.stop({config::OnStop::Kind::kill, 0ms}); }

  const TempFolder folder;
  Node n1{settings("n1"), [](Level, std::string_view, const LogFields&) {}};
  Node n2{settings("n2"), [](Level, std::string_view, const LogFields&) {}};
};

TEST_F(TwoNodes, AreSeenInEachOfTheirElectionsThoughNobodyAsks) {
  std::set<std::string> seen;  // GROUP NODE
  ElectionLooks looks(
      n1,
      [&](const std::vector<Election>& elections) {
        for (const Election& election : elections)
          for (const Candidate& candidate : election.candidates) seen.insert(election.group + " " + candidate.node);
        if (seen.contains("nightly n2") && seen.contains("reports n2")) end(n1);
      },
      10ms);
  begin(n1), begin(n2);
  looks.start();
  std::thread other([&] { EXPECT_TRUE(n2.run()); });
  EXPECT_TRUE(n1.run());
  looks.close();
  n2.loop().post([&] { end(n2); });
  other.join();
  EXPECT_TRUE(seen.contains("nightly n1") && seen.contains("reports n1"));
}

}  // namespace
}  // namespace ballot::library
