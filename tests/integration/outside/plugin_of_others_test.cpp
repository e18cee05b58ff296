// A daemon on a plugin of others: examples/redis, as it is built outside of the tree.
#include <gtest/gtest.h>

#include "redis_server.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

void use_plugin(BallotDaemon& daemon) { daemon.configure("plugin_dir = \"" BALLOT_OUTSIDE_PLUGINS "\""); }

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
    use_plugin(*daemon);
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

/// As a server without a file of its own does that is started again.
TEST(PluginOfOthers, AStoreThatHasForgottenWhatItAcknowledgedHaltsItsGroups) {
  const redis::RedisServer server;
  BallotDaemon daemon("n1", on(server));
  use_plugin(daemon);
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  ASSERT_TRUE(server.ask({"FLUSHALL"}));
  EXPECT_TRUE(daemon.wait_for("group halted: the store has gone back")) << daemon.log;
  EXPECT_EQ(daemon.stop(), 0);
}

TEST(PluginOfOthers, AServerThatCannotKeepWhatItSaysIsRefusedAndWhoItDoesNotKnowToo) {
  const redis::RedisServer server;
  BallotDaemon daemon("n1", on(server));
  use_plugin(daemon);
  const auto refusal = [&] {
    const Ran ran = daemon.ballot({"election", "list"});
    EXPECT_NE(ran.code, 0);
    return ran.err;
  };
  ASSERT_TRUE(server.ask({"REPLICAOF", "127.0.0.1", "1"}));
  EXPECT_NE(refusal().find("is a replica"), std::string::npos) << refusal();
  ASSERT_TRUE(server.ask({"REPLICAOF", "NO", "ONE"}));
  ASSERT_TRUE(server.ask({"CONFIG", "SET", "requirepass", "secret"}));
  EXPECT_NE(refusal().find("look at [redis] auth"), std::string::npos) << refusal();
}

TEST(PluginOfOthers, WhatIsWrongInItsTableIsSaidWithItsLine) {
  BallotDaemon daemon("n1", "[coordination]\nbackend = \"redis\"\nnamespace = \"test\"\n[redis]\nserver = \"a,b\"\n");
  use_plugin(daemon);
  const Ran checked = daemon.ballot({"check"});
  EXPECT_NE(checked.code, 0);
  EXPECT_NE((checked.out + checked.err).find("there is one"), std::string::npos) << checked.out << checked.err;
}

}  // namespace
}  // namespace ballot::testing
