// What commands say of jobs while the node that leads them is dead, and no other leads them yet.
#include <gtest/gtest.h>

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

TEST_F(NodeOfASilentLeader, JobsMarkItAndThatIsAll) {
  const Ran jobs = node.asked({"jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "host-2 (silent)")) << jobs.out;
  EXPECT_FALSE(contains(jobs.err, "silent")) << jobs.err;
}

}  // namespace
}  // namespace ballot::app
