// What `ballot status` says of this node, beside what it says of others.
#include <gtest/gtest.h>

#include "support/process/terminal.hpp"
#include "unit/app/answering_node.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

Ran status_of(io::Message status) {
  const auto answer = [&](const io::Message&, const io::Reply& reply) {
    reply.finish(status.set("node", "host-2").set("backend", "etcd").set("session", "open"));
  };
  const AnsweringNode node("[job.nightly]\ncommand = [\"/bin/true\"]\n", answer);
  return node.asked({"status"});
}

io::Message gone(const std::string& node) { return io::Message().set("node", node).set("state", "gone"); }

TEST(Status, OfANodeThatIsHealthySaysWhatIsNotBesideIt) {
  const auto healthy = [] { return io::Message().set("state", "healthy"); };
  EXPECT_TRUE(contains(status_of(healthy()).out, "state       healthy\n"));
  const Ran all = status_of(healthy()
                                .set("missing", std::vector{gone("host-1")})
                                .set("unmet", std::vector<std::string>{"job backup is overdue"})
                                .set("overdue_jobs", std::int64_t{1}));
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "state       healthy (this node); 1 node does not answer, 1 job is not as expected\n"))
      << all.out;
  const Ran nodes = status_of(healthy().set("missing", std::vector{gone("host-1"), gone("host-3")}));
  EXPECT_TRUE(contains(nodes.out, "state       healthy (this node); 2 nodes do not answer\n")) << nodes.out;
  const Ran jobs = status_of(healthy().set("overdue_jobs", std::int64_t{1}).set("slow_jobs", std::int64_t{1}));
  EXPECT_TRUE(contains(jobs.out, "state       healthy (this node); 2 jobs are not as expected\n")) << jobs.out;
  const Ran degraded = status_of(io::Message().set("state", "degraded").set("missing", std::vector{gone("host-1")}));
  EXPECT_EQ(degraded.code, 1);
  EXPECT_TRUE(contains(degraded.out, "state       degraded\n")) << degraded.out;
}

TEST(Status, CutsNamesInTheirMiddleOnANarrowTerminalAsATableDoes) {
  const std::string begin = "nightly-export-of-", middle(26, 'x'), end = "-to-the-warehouse",
                    name = begin + middle + end;
  const auto answer = [&](const io::Message&, const io::Reply& reply) {
    const auto slot = io::Message().set("slot", "2025-03-09T07:00:00Z").set("job", name);
    const auto group = io::Message().set("group", name).set("epoch", std::int64_t{7}).set("in_doubt", true);
    reply.finish(
        io::Message().set("state", "healthy").set("next_slots", std::vector{slot}).set("groups", std::vector{group}));
  };
  const AnsweringNode node("[job.nightly]\ncommand = [\"/bin/true\"]\n", answer);
  EXPECT_TRUE(contains(node.asked({"status"}).out, "2025-03-09T07:00:00Z " + name + "\n")) << "a pipe has no width";
  const std::string shown =
      testing::run_at_terminal(
          {"/bin/sh", "-c", "stty cols 80; exec " BALLOT_PROGRAM " status --config " + node.config()})
          .shown;
  EXPECT_FALSE(contains(shown, middle)) << shown;
  EXPECT_TRUE(contains(shown, "next slots  2025-03-09T07:00:00Z " + begin)) << shown;
  EXPECT_TRUE(contains(shown, end + "\r\n")) << shown;
  EXPECT_TRUE(contains(shown, "leads       " + begin)) << shown;
  EXPECT_TRUE(contains(shown, end + " (epoch 7, in doubt)\r\n")) << shown;
}

}  // namespace
}  // namespace ballot::app
