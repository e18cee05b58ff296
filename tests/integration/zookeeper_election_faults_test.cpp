// `ballot run once` on a real ZooKeeper server where candidates are killed, stopped and cut off, and the server is
// restarted, wiped and edited: a child ends before the next one may start, and nobody is left behind.
#include <deque>

#include "integration/zookeeper_elections.hpp"

namespace ballot::testing {
namespace {

struct FaultsOnZookeeper : ElectionsOnZookeeper {
  using ElectionsOnZookeeper::ElectionsOnZookeeper;

  static Arguments candidate(const std::string& name, const std::string& script, Arguments flags = {}) {
    flags.insert(flags.end(), {"--kill-grace", "200ms", "--log-level", "debug"});
    return once(name, flags, shell(script));
  }
  /// What the candidate's session has said of itself in the store.
  std::int64_t member_field(const std::string& name, const std::string& key) const {
    const std::string text = "\n" + place.text("m/" + name);
    const std::size_t at = text.find("\n" + key + " ");
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + key.size() + 2));
  }
  /// By the wall clock: an instant of the boot clock.
  static Millis wall_of(Millis boot) {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return wall_now() - (std::chrono::seconds(now.tv_sec) + Millis(now.tv_nsec / 1'000'000)) + boot;
  }
  std::uint64_t epoch_of(std::size_t start) const { return std::stoull(field(start_of(start), 4)); }
  std::string name_of(std::size_t start) const { return field(start_of(start), 3); }
};

TEST_F(FaultsOnZookeeper, AKilledLeaderIsFollowedWhenItsSessionExpiresAndNotBeforeItsDeadline) {
  CandidateProcess a(folder, candidate("a", until_told()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(campaigns(b));
  a.stop(SIGKILL);
  const Millis killed = wall_now();
  const Millis deadline = wall_of(Millis(member_field("a", "deadline_ms")));
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("kill -9 to the next child", since(killed, start_of(1)));
  EXPECT_GE(since(deadline, start_of(1)), 0ms) << "the lease of the killed one";
  EXPECT_LE(since(killed, start_of(1)), timeout + 2 * place.tick + busy);
  EXPECT_TRUE(is_gone(pid_of(start_of(0))));
  EXPECT_GT(epoch_of(1), epoch_of(0));
  expect_no_overlap();
}

TEST_F(FaultsOnZookeeper, ALeaderThatIsCutOffEndsItsChildBeforeTheNextOneStarts) {
  TcpRelay relay(place.server().port());
  CandidateProcess a(folder, candidate("a", until_told(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(campaigns(b));
  relay.cut();
  const Millis cut = wall_now();
  ASSERT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  const Millis ended = wall_now();
  report("cut off to the end of the child", ended - cut);
  EXPECT_LE(ended - cut, timeout - margin) << "T since the last contact, less the margin";
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("cut off to the next child", since(cut, start_of(1)));
  EXPECT_GE(since(ended, start_of(1)), 0ms);
  EXPECT_LE(since(cut, start_of(1)), timeout + 2 * place.tick + busy);
  relay.heal();
  ASSERT_TRUE(a.wait_for("the backend is back"));
  b.stop(SIGTERM);
  ASSERT_TRUE(folder.wait_until_said("START", 3)) << "it has queued again";
  EXPECT_EQ(name_of(2), "a");
  EXPECT_GT(epoch_of(2), epoch_of(1));
  EXPECT_EQ(place.queue("default").size(), 1u) << "its old node is gone";
  expect_no_overlap();
}

struct ShortFaultsOnZookeeper : FaultsOnZookeeper {
  ShortFaultsOnZookeeper() : FaultsOnZookeeper(4s) {}

  /// Until the candidate's session has been renewed once more than it was.
  bool is_renewed(const std::string& name) const {
    const std::int64_t before = member_field(name, "renewed_ms");
    return wait_until([&] { return member_field(name, "renewed_ms") > before; });
  }
  void expect_the_same_term(const CandidateProcess& a, const Arguments& queue) const {
    EXPECT_EQ(place.queue("default"), queue) << "the same nodes";
    EXPECT_EQ(a.count("leads no more"), 0u);
    EXPECT_EQ(folder.said("START").size(), 1u);
    EXPECT_FALSE(is_gone(pid_of(start_of(0))));
  }
};

TEST_F(ShortFaultsOnZookeeper, ALeaderThatIsCutOffForLessThanItsTimeoutGoesOnInItsTerm) {
  TcpRelay relay(place.server().port());
  CandidateProcess a(folder, candidate("a", until_told(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(campaigns(b));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  const Arguments queue = place.queue("default");
  for (std::size_t round = 1; round <= 2; ++round) {
    ASSERT_TRUE(is_renewed("a"));
    relay.cut();
    ASSERT_TRUE(a.wait_for("in doubt", round));
    relay.heal();
    ASSERT_TRUE(is_renewed("a"));
  }
  ASSERT_TRUE(is_renewed("a"));
  ASSERT_TRUE(is_renewed("a"));
  expect_the_same_term(a, queue);
}

TEST_F(ShortFaultsOnZookeeper, ALeaderWhoseConnectionsBreakGoesOnInItsTerm) {
  TcpRelay relay(place.server().port());
  CandidateProcess a(folder, candidate("a", until_told(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const Arguments queue = place.queue("default");
  for (int round = 0; round < 5; ++round) {
    relay.break_connections();
    ASSERT_TRUE(is_renewed("a"));
  }
  EXPECT_GE(relay.connections(), 6u);
  expect_the_same_term(a, queue);
}

TEST_F(ShortFaultsOnZookeeper, ALeaderOutlivesAQuickRestartOfTheServer) {
  CandidateProcess a(folder, candidate("a", until_told()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const Arguments queue = place.queue("default");
  place.server().kill();
  place.start_server();
  ASSERT_TRUE(is_renewed("a") || a.count("leads no more") > 0);
  if (a.count("leads no more") > 0) GTEST_SKIP() << "this machine takes too long to start a server";
  ASSERT_TRUE(is_renewed("a"));
  expect_the_same_term(a, queue);
}

TEST_F(FaultsOnZookeeper, AStoppedCandidateStartsNothingInItsOldTermAndItsChildIsEnded) {
  CandidateProcess a(folder, candidate("a", until_told()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(campaigns(b));
  a.send(SIGSTOP);
  const Millis stopped = wall_now();
  ASSERT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  report("SIGSTOP to the end of the child", wall_now() - stopped);
  EXPECT_LE(wall_now() - stopped, timeout - margin);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  ASSERT_TRUE(wait_until_time(stopped + 3 * timeout));
  a.send(SIGCONT);
  ASSERT_TRUE(a.wait_for("leads no more"));
  ASSERT_TRUE(campaigns(a, 2)) << "it queues again";
  EXPECT_EQ(folder.said("START").size(), 2u);
  EXPECT_GT(epoch_of(1), epoch_of(0));
  b.stop(SIGTERM);
  ASSERT_TRUE(folder.wait_until_said("START", 3));
  EXPECT_EQ(name_of(2), "a");
  EXPECT_GT(epoch_of(2), epoch_of(1));
  expect_no_overlap();
}

/// The keeper too: nothing can end the child then, but whoever takes its writes can refuse them by their epoch.
TEST_F(FaultsOnZookeeper, AChildThatWasStoppedWithItsKeeperIsEndedAtOnceAndItsEpochIsTheLower) {
  const std::string writes =
      "while :; do echo WRITE $$ 0 $BALLOT_NODE $BALLOT_EPOCH >> " + (folder.folder / "said") + "; sleep 0.02; done";
  CandidateProcess a(folder, candidate("a", writes));
  ASSERT_TRUE(folder.wait_until_said("WRITE"));
  const pid_t child = pid_of(folder.said("WRITE").front()), keeper = a.keeper();
  CandidateProcess b(folder, candidate("b", writes));
  ASSERT_TRUE(campaigns(b));
  a.send(SIGSTOP);
  for (const pid_t pid : {keeper, child}) ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  ASSERT_TRUE(wait_until([&] { return field(folder.said("WRITE").back(), 3) == "b"; }));
  for (const pid_t pid : {child, keeper}) ::kill(pid, SIGCONT);
  a.send(SIGCONT);
  const Millis woken = wall_now();
  ASSERT_TRUE(wait_until([&] { return is_gone(child); }));
  report("from SIGCONT to the end of the child", wall_now() - woken);
  EXPECT_LE(wall_now() - woken, 1s);
  std::uint64_t highest = 0;
  std::size_t accepted = 0, refused = 0;
  bool b_has_written = false;
  for (const std::string& line : folder.said("WRITE")) {
    const std::uint64_t epoch = std::stoull(field(line, 4));
    b_has_written = b_has_written || field(line, 3) == "b";
    epoch < highest ? ++refused : ++accepted;
    EXPECT_FALSE(epoch >= highest && b_has_written && field(line, 3) == "a") << line;
    highest = std::max(highest, epoch);
  }
  std::cout << "of the writes " << accepted << " were accepted and " << refused << " refused\n";
}

TEST_F(FaultsOnZookeeper, WhileTheServerIsDownNobodyRunsBeyondItsDeadlineAndThenOneLeads) {
  std::deque<CandidateProcess> all;
  for (const char* name : {"a", "b", "c"}) {
    all.emplace_back(folder, candidate(name, until_told()));
    ASSERT_TRUE(campaigns(all.back()));
  }
  ASSERT_TRUE(folder.wait_until_said("START"));
  place.server().kill();
  const Millis down = wall_now();
  ASSERT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  EXPECT_LE(wall_now() - down, timeout - margin);
  ASSERT_TRUE(wait_until_time(down + 3 * timeout));
  EXPECT_EQ(folder.said("START").size(), 1u) << "none while it is down";
  place.start_server();
  const Millis up = wall_now();
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("from the server's start to the next child", since(up, start_of(1)));
  EXPECT_LE(since(up, start_of(1)), 2 * timeout + busy);
  EXPECT_GT(epoch_of(1), epoch_of(0));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 3; })) << "all take part again";
  EXPECT_EQ(folder.said("START").size(), 2u) << "one leads";
  expect_no_overlap();
}

TEST_F(FaultsOnZookeeper, InAWipedStoreThePathIsMadeAgainAndOneLeads) {
  CandidateProcess a(folder, candidate("a", until_told()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(campaigns(b));
  place.server().kill();
  place.server().wipe();
  place.start_server();
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  EXPECT_EQ(folder.said("START").size(), 2u) << "one leads";
  expect_no_overlap();
}

TEST_F(FaultsOnZookeeper, ALeaderWhoseNodeIsRemovedByHandStepsDownWithinASecond) {
  CandidateProcess a(folder, candidate("a", until_told()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
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

TEST_F(FaultsOnZookeeper, AFollowerWhoseNodeIsRemovedByHandQueuesAgain) {
  CandidateProcess a(folder, candidate("a", until_told("a-may-end"), {"--on-child-success", "exit"}));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_told()));
  ASSERT_TRUE(wait_until([&] { return place.remove_candidate("default", "b"); }));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  EXPECT_EQ(folder.said("START").size(), 1u);
  folder.folder.write("a-may-end", "");
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(name_of(1), "b");
}

TEST_F(FaultsOnZookeeper, AServerThatIsDownIsPassedOverWhereverTheListComesFrom) {
  const std::string dead = place.at("127.0.0.1:" + std::to_string(free_port())),
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

/// Its answers are late, so that the one before it goes at another of its steps in each round.
TEST_F(FaultsOnZookeeper, WhoeverGoesBeforeItIsWatchedIsNoFailure) {
  TcpRelay relay(place.server().port());
  relay.delay(TcpRelay::Way::to_client, 50ms);
  for (int offset = 0; offset <= 175; offset += 25) {
    folder.folder.write("said", "");
    const std::string file = "a-may-end-" + std::to_string(offset);
    CandidateProcess a(folder, candidate("a", until_told(file), {"--on-child-success", "exit"}));
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

TEST_F(FaultsOnZookeeper, NoNodeIsLeftOfACandidateThatIsEndedWhileItStarts) {
  TcpRelay relay(place.server().port());
  for (int round = 0; round < 20; ++round) {
    relay.delay(TcpRelay::Way::to_client, Millis(round));
    CandidateProcess a(folder, candidate("a", "exit 5", place.through(relay)));
    const std::size_t connections = relay.connections();
    if (round % 2 == 0) wait_until([&] { return relay.connections() > connections; });
    a.stop(SIGTERM);
  }
  EXPECT_TRUE(nothing_is_left_of({"a"}));
}

TEST_F(FaultsOnZookeeper, NoNodeIsLeftOfACandidateThatIsEndedWhileItIsCutOff) {
  TcpRelay relay(place.server().port());
  relay.drop_answers(true);
  CandidateProcess starts(folder, candidate("a", until_told(), place.through(relay)));
  ASSERT_TRUE(wait_until([&] { return relay.connections() > 0; }));
  EXPECT_EQ(starts.stop(SIGTERM), 143);
  relay.drop_answers(false);
  CandidateProcess leads(folder, candidate("b", until_told(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  relay.cut();
  leads.stop(SIGTERM);
  relay.heal();
  EXPECT_TRUE(nothing_is_left_of({"a", "b"}));
}

}  // namespace
}  // namespace ballot::testing
