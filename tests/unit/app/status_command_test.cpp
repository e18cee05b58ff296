// What `ballot status` says of this node, beside what it says of others.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ballot::app
