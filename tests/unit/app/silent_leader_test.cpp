// What commands say of jobs while the node that leads them is dead, and no other leads them yet.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/clocks.hpp"
#include "storage/ledger.hpp"
#include "unit/app/answering_node.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

/// A node whose daemon has a job that node host-2 leads, which is silent, and says nothing of any ledger.
struct NodeOfASilentLeader : ::testing::Test {
  NodeOfASilentLeader() {
    storage::Ledger({.path = node.ledger()}, {.now = [] { return io::read_clocks().wall; }})
        .record(testing::run_row(Status::succeeded));
  }
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    const io::Message job =
        io::Message().set("job", "nightly").set("group", "default").set("leader", "host-2").set("state", "active");
    if (what == "job") return reply.finish(job);
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector{job}));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message leader = io::Message().set("node", "host-2").set("state", "silent");
    reply.finish(io::Message().set("nodes", std::vector{leader.set("last_heard", "2025-03-09T08:00:00.000Z")}));
  }

  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

TEST_F(NodeOfASilentLeader, JobsSayAsOfWhenTheirStatusIs) {
  const Ran jobs = node.asked({"jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "host-2 (silent)")) << jobs.out;
  EXPECT_TRUE(
      contains(jobs.err,
               "node host-2 does not renew its session since 2025-03-09T08:00:00.000Z: of the jobs that it leads "
               "this shows what was read in the store before it led them, until another node leads them\n"))
      << jobs.err;
}

TEST_F(NodeOfASilentLeader, WhySaysThatALaterRunMayNotBeKnownYet) {
  Ran why = node.asked({"why", "nightly"});
  std::replace(why.out.begin(), why.out.end(), '\n', ' ');
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_TRUE(
      contains(why.out,
               "Node host-2, which leads the group, does not renew its session since 2025-03-09T08:00:00.000Z: of "
               "what it did this node knows what it read in the store before"))
      << why.out;
  const Ran before = node.asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"});
  EXPECT_FALSE(contains(before.out, "host-2")) << "a slot that a ledger has: " << before.out;
}

}  // namespace
}  // namespace ballot::app
