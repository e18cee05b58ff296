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

/// A node of a job that runs on each; of host-2, which is gone, its daemon knows when it was last heard of.
struct NodeOfAnInstanceThatIsAway : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    if (what == "job") return reply.fail({Errc::not_found, "the daemon has no job " + asked.text("job").value_or("")});
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector<io::Message>()));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message node = io::Message().set("node", "host-2").set("state", "gone");
    node.set("last_heard", "2025-03-09T08:00:00.000Z").set("reasons", std::vector<std::string>{"it has no session"});
    const io::Message living = io::Message().set("node", "host-3").set("state", "up");
    reply.finish(io::Message().set("nodes", std::vector{node, living}));
  }

  AnsweringNode node{
      "[job.trim]\nrun_on = \"each\"\ncommand = [\"/bin/true\"]\nschedule = \"0 3 * * *\"\ntimezone = "
      "\"Europe/Paris\"\n",
      answer};
};

constexpr const char* away = "node host-2 has not answered (last heard of at 2025-03-09T08:00:00Z): it has no session";

TEST_F(NodeOfAnInstanceThatIsAway, JobsSayWhatIsKnownOfItHere) {
  const Ran jobs = node.asked({"jobs", "trim@host-2", "--format", "csv"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "trim@host-2,default@host-2,,20")) << jobs.out;
  EXPECT_TRUE(contains(jobs.err, away)) << jobs.err;
}

TEST_F(NodeOfAnInstanceThatIsAway, ShowsItsDefinitionAndSlotsAndThatItsStateIsNotKnown) {
  const Ran show = node.asked({"show", "trim@host-2"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_TRUE(contains(show.out, "job         trim@host-2")) << show.out;
  EXPECT_TRUE(contains(show.out, "state       not known: " + std::string(away))) << show.out;
  EXPECT_TRUE(contains(show.out, "T03:00:00")) << show.out;
  EXPECT_TRUE(contains(show.out, "[job.trim]")) << show.out;
  EXPECT_TRUE(contains(show.err, away)) << show.err;
  const Ran json = node.asked({"show", "trim@host-2", "--format", "json"});
  EXPECT_TRUE(contains(json.out, R"("missing":[{"node":"host-2","last_heard":"2025-03-09T08:00:00.000Z")")) << json.out;
}

TEST_F(NodeOfAnInstanceThatIsAway, OfANodeThatAnswersThatNodeIsToBeAsked) {
  for (const char* command : {"jobs", "show"}) {
    const Ran ran = node.asked({command, "trim@host-3"});
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(contains(ran.err, "trim@host-3 is the instance of node host-3: ask there")) << ran.err;
  }
}

}  // namespace
}  // namespace ballot::app
