// Nodes that the store finds unfit to lead: they give their groups away in order, stay out while they are unfit, and
// nobody hands them anything.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// Two nodes: a leads "g", which has one job, and "h", which has another; a is preferred in both.
struct UnfitNode : ::testing::Test {
  UnfitNode() {
    for (SimNode* node : {&a, &b}) {
      for (const char* group : {"g", "h"}) {
        Job job = minutely(std::string("in-") + group);
        job.group = group;
        node->jobs.push_back(define(job));
        Group settings;
        settings.name = group;
        settings.preferred = {"a"};
        node->groups.push_back(settings);
      }
      node->start();
      world.run_for(100ms);
    }
    world.run_for(1min);
  }
  bool leads(const SimNode& node, const std::string& group, Millis within) {
    return world.run_while_not([&] { return node.leads(group); }, within);
  }
  static bool said(const SimNode& node, const std::string& text) {
    return std::any_of(node.notices.begin(), node.notices.end(), [&](const auto& one) { return one.text == text; });
  }
  Cause last_cause(const SimNode& node, const std::string& group) const {
    Cause cause = Cause::none;
    for (const TermRow& term : node.terms())
      if (term.group == group) cause = term.cause;
    return cause;
  }

  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
};

TEST_F(UnfitNode, GivesThatGroupAwayAtOnceAndKeepsTheOthers) {
  ASSERT_TRUE(a.leads("g") && a.leads("h"));
  a.find_unfit("g", "check 'db' is critical");
  EXPECT_TRUE(leads(b, "g", 1s));
  world.run_for(1s);  // a hears of it
  EXPECT_TRUE(a.leads("h"));
  EXPECT_EQ(last_cause(a, "g"), Cause::unfit);
  EXPECT_TRUE(said(a, "not fit to lead: check 'db' is critical"));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(UnfitNode, HasItBackOnceItIsFitAndNotBeforeThoughItIsPreferred) {
  a.find_unfit("g", "check 'db' is critical");
  world.run_for(10min);
  EXPECT_TRUE(b.leads("g"));
  const std::vector<TermRow> terms = b.terms();
  const auto in_g = [](const TermRow& term) { return term.group == "g"; };
  EXPECT_EQ(std::count_if(terms.begin(), terms.end(), in_g), 1) << "nothing was handed to it";
  a.find_unfit("g", "");
  EXPECT_TRUE(leads(a, "g", 5min));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(UnfitNode, LeadsNothingWhereItIsUnfitForAllGroups) {
  a.find_unfit("", "maintenance");
  EXPECT_TRUE(leads(b, "g", 1s));
  EXPECT_TRUE(leads(b, "h", 1s));
  EXPECT_TRUE(said(a, "not fit to lead: maintenance: this node gives its groups away"));
}

TEST_F(UnfitNode, LetsWhatRunsEndFirstForHalfAMinute) {
  a.takes["in-g"] = 20s;
  world.run_for(61s);
  ASSERT_EQ(a.open_children(), 1);
  a.find_unfit("g", "check 'db' is critical");
  world.run_for(10s);
  EXPECT_TRUE(a.leads("g"));
  EXPECT_TRUE(leads(b, "g", 12s));
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(UnfitNode, IsFoundUnfitAgainInItsNextSession) {
  a.find_unfit("g", "check 'db' is critical");
  world.run_for(5s);
  world.store.expire("a");
  world.run_for(30s);
  b.crash();
  world.run_for(1min);
  EXPECT_FALSE(a.leads("g")) << "the only node is still unfit";
  EXPECT_TRUE(a.leads("h"));
}

TEST_F(UnfitNode, IsTakenForFitInItsNextSessionUntilItIsSaidAgain) {
  a.find_unfit("g", "check 'db' is critical");
  world.run_for(5s);
  a.link.cut = true;
  world.run_for(20s);
  a.link.unfit.clear();  // meanwhile
  a.link.cut = false;
  world.run_for(20s);
  b.crash();
  EXPECT_TRUE(leads(a, "g", 20s));
}

TEST(Stop, ThatWaitsForARunIsKnownToTheOthersAndLeavesNoRecord) {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  a.jobs = b.jobs = {define(minutely("job"))};
  a.takes["job"] = 10s;
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(1min + 1s);
  const auto unfit = [&] {
    std::string text;
    for (const core::PeerView& peer : b.core().node_views().peers())
      text += std::string(peer.node) + ":" + std::string(peer.unfit);
    return text;
  };
  EXPECT_EQ(unfit(), "a:");
  a.stop(30s);
  world.run_for(2s);
  EXPECT_FALSE(a.stopped());
  EXPECT_EQ(unfit(), "a:it is stopping");
  world.run_for(20s);
  EXPECT_TRUE(a.stopped());
  EXPECT_EQ(unfit(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

/// Else the ledger says that the term led when slots were due of which the next term, by the register, says that nobody
/// did.
TEST_F(UnfitNode, ATermThatIsResignedHasOneEndInItsLedgerAndItsRegisterThoughTheClockIsSetMeanwhile) {
  b.crash();
  world.run_for(10s);
  ASSERT_TRUE(a.leads("g"));
  a.stop();
  a.step_clock(38s);
  world.run_for(1s);
  const auto stored = core::parse_group_register(world.store.contents().registers.at(core::group_register("g")).value);
  ASSERT_TRUE(stored && stored->ended_at);
  std::optional<WallTime> ended;
  for (const TermRow& term : a.terms())
    if (term.group == "g") ended = term.ended_at;
  EXPECT_EQ(ended, stored->ended_at);
}

}  // namespace
}  // namespace ballot
