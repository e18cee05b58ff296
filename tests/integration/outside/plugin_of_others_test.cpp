// A daemon on a plugin of others: examples/redis, as it is built outside of the tree.
#include <gtest/gtest.h>

#include "redis_server.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

std::string on(const redis::RedisServer& server) {
  return "[coordination]\nbackend = \"redis\"\nnamespace = \"test\"\nsession_timeout = \"2s\"\nallow_open_store = "
         "true\n"
         "[redis]\nserver = \"" +
         server.address() + "\"\n";
}

TEST(PluginOfOthers, ADaemonRunsJobsOnItAndAnotherTakesThemOver) {
  const redis::RedisServer server;
  BallotDaemon first("n1", on(server)), second("n2", on(server));
  for (BallotDaemon* const daemon : {&first, &second}) {
    daemon->configure("plugin_dir = \"" BALLOT_OUTSIDE_PLUGINS "\"");
    daemon->job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  }
  first.start();
  ASSERT_TRUE(first.wait_for("succeeded", 2)) << first.log;
  const Ran triggered = first.ballot({"trigger", "tick", "--wait"});
  EXPECT_EQ(triggered.code, 0) << triggered.out << triggered.err;
  second.start();
  const Ran store = second.ballot({"election", "list", "--store"});
  EXPECT_NE(store.out.find("appendfsync"), std::string::npos) << store.out << store.err;
  EXPECT_EQ(first.stop(), 0);
  EXPECT_TRUE(second.wait_for("succeeded", 2)) << second.log;
  EXPECT_EQ(second.stop(), 0);
}

TEST(PluginOfOthers, WhatIsWrongInItsTableIsSaidWithItsLine) {
  BallotDaemon daemon("n1", "[coordination]\nbackend = \"redis\"\nnamespace = \"test\"\n[redis]\nserver = \"a,b\"\n");
  daemon.configure("plugin_dir = \"" BALLOT_OUTSIDE_PLUGINS "\"");
  const Ran checked = daemon.ballot({"check"});
  EXPECT_NE(checked.code, 0);
  EXPECT_NE((checked.out + checked.err).find("there is one"), std::string::npos) << checked.out << checked.err;
}

}  // namespace
}  // namespace ballot::testing
