// The queue of `ballot run once` on a real ZooKeeper server: nodes that people remove, that go at an odd moment, and
// that must not stay behind; and servers that are down.
#include "integration/elections/zookeeper_elections.hpp"

namespace ballot::testing {
namespace {

struct QueueOnZookeeper : ElectionsOnZookeeper {};

TEST_F(QueueOnZookeeper, ALeaderWhoseNodeIsRemovedByHandStepsDownWithinASecond) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  ASSERT_TRUE(place.remove_candidate("default", "a"));
  const Millis removed = wall_now();
  ASSERT_TRUE(a.wait_for("leads no more"));
  ASSERT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  report("from the removal to the end of the child", wall_now() - removed);
  EXPECT_LE(wall_now() - removed, 1s);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(name_of(1), "b");
  EXPECT_EQ(a.count("cause=evicted"), 1u);
  expect_no_overlap();
}

TEST_F(QueueOnZookeeper, AFollowerWhoseNodeIsRemovedByHandQueuesAgain) {
  CandidateProcess a(folder, candidate("a", until_ended("a-may-end"), {"--on-child-success", "exit"}));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(wait_until([&] { return place.remove_candidate("default", "b"); }));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  EXPECT_EQ(folder.said("START").size(), 1u);
  folder.folder.write("a-may-end", "");
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(name_of(1), "b");
}

/// Its answers are late, so that the one before it goes at another of its steps in each round.
TEST_F(QueueOnZookeeper, WhoeverGoesBeforeItIsWatchedIsNoFailure) {
  TcpRelay relay(place.server().port());
  relay.delay(TcpRelay::Way::to_client, 50ms);
  for (int offset = 0; offset <= 175; offset += 25) {
    folder.folder.write("said", "");
    const std::string file = "a-may-end-" + std::to_string(offset);
    CandidateProcess a(folder, candidate("a", until_ended(file), {"--on-child-success", "exit"}));
    ASSERT_TRUE(folder.wait_until_said("START"));
    CandidateProcess b(folder, candidate("b", "exit 0", place.through(relay, {"--on-child-success", "exit"})));
    ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
    ASSERT_TRUE(wait_until_time(wall_now() + Millis(offset)));
    folder.folder.write(file, "");
    EXPECT_EQ(a.wait(), 0);
    EXPECT_EQ(b.wait(), 0);
    EXPECT_EQ(b.count("election failed"), 0u) << b.log();
  }
}

TEST_F(QueueOnZookeeper, AServerThatIsDownIsPassedOverWhereverTheListComesFrom) {
  const ReservedPort nobodys;
  const std::string dead = place.at("127.0.0.1:" + std::to_string(nobodys.number())),
                    real = place.at(place.server().address());
  const ElectionFolder listed("[coordination]\nbackend = \"zookeeper\"\n[zookeeper]\nservers = [\"" + dead + "\", \"" +
                              real + "\"]\n");
  const auto runs = [&](const Arguments& flags, const Arguments& environment, const ElectionFolder* in = nullptr) {
    Arguments all{"--on-child-success", "exit"};
    all.insert(all.end(), flags.begin(), flags.end());
    return CandidateProcess(in ? *in : folder, candidate("a", "true", all), environment).wait();
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(runs({}, {}, &listed), 0);
    EXPECT_EQ(runs({"--zookeeper-servers", dead, "--zookeeper-servers", real}, {}), 0);
    EXPECT_EQ(runs({}, {"BALLOT_ZOOKEEPER_SERVERS=" + dead + "," + real}), 0);
  }
}

TEST_F(QueueOnZookeeper, NoNodeIsLeftOfACandidateThatIsEndedWhileItStarts) {
  TcpRelay relay(place.server().port());
  for (int round = 0; round < 20; ++round) {
    relay.delay(TcpRelay::Way::to_client, Millis(round));
    const std::size_t connections = relay.connections();
    CandidateProcess a(folder, candidate("a", "exit 5", place.through(relay)));
    if (round % 2 == 0) wait_until([&] { return relay.connections() > connections; });
    a.stop(SIGTERM);
  }
  EXPECT_TRUE(nothing_is_left_of({"a"}));
}

TEST_F(QueueOnZookeeper, NoNodeIsLeftOfACandidateThatIsEndedWhileItIsCutOff) {
  TcpRelay relay(place.server().port());
  relay.drop_answers(true);
  CandidateProcess starts(folder, candidate("a", until_ended(), place.through(relay)));
  ASSERT_TRUE(wait_until([&] { return relay.connections() > 0; }));
  EXPECT_EQ(starts.stop(SIGTERM), 143);
  relay.drop_answers(false);
  CandidateProcess leads(folder, candidate("b", until_ended(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  relay.cut();
  leads.stop(SIGTERM);
  relay.heal();
  EXPECT_TRUE(nothing_is_left_of({"a", "b"}));
}

}  // namespace
}  // namespace ballot::testing
