// What a command says of a name that the daemon refuses: the nearest one that the job files have.
#include <gtest/gtest.h>

#include "unit/app/answering_node.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

/// A node whose daemon refuses whatever it is asked to do.
struct RefusingNode : ::testing::Test {
  static void refuse(const io::Message& asked, const io::Reply& reply) {
    if (asked.text("do") == "instances") return reply.finish(io::Message().set("each", false));
    reply.fail({Errc::not_found, "nothing is called so"});
  }

  AnsweringNode node{"[job.nightly]\ngroup = \"reports\"\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n",
                     refuse};
};

TEST_F(RefusingNode, EachRequestOfAMistypedJobNamesTheNearest) {
  for (const char* const command : {"trigger", "pause", "resume", "kill", "repair"}) {
    const Ran ran = node.asked({command, "nightyl"});
    EXPECT_EQ(ran.code, 3) << command << ran.err;
    EXPECT_TRUE(contains(ran.err, "nothing is called so; did you mean 'nightly'?\n")) << command << ran.err;
  }
  const Ran group = node.asked({"pause", "--group", "report"});
  EXPECT_TRUE(contains(group.err, "; did you mean 'reports'?\n")) << group.err;
}

TEST_F(RefusingNode, WhatIsRefusedOfAJobThatThereIsNamesNoOther) {
  const Ran ran = node.asked({"kill", "nightly"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(contains(ran.err, "nothing is called so\n")) << ran.err;
}

}  // namespace
}  // namespace ballot::app
