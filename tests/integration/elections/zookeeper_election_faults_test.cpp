// `ballot run once` on a real ZooKeeper server where candidates are killed, stopped and cut off, clocks are wrong, and
// the server is restarted and wiped: a child ends before the next one may start.
#include <deque>

#include "integration/elections/zookeeper_elections.hpp"

namespace ballot::testing {
namespace {

struct FaultsOnZookeeper : ElectionsOnZookeeper {
  using ElectionsOnZookeeper::ElectionsOnZookeeper;

  /// What the candidate's session has said of itself in the store.
  std::int64_t member_field(const std::string& name, const std::string& key) const {
    return field_of(place.text(place.member(name)), key);
  }
  static std::int64_t field_of(const std::string& member, const std::string& key) {
    const std::string text = "\n" + member;
    const std::size_t at = text.find("\n" + key + " ");
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + key.size() + 2));
  }
  /// By the wall clock: an instant of the boot clock.
  static Millis wall_of(Millis boot) {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return wall_now() - (std::chrono::seconds(now.tv_sec) + Millis(now.tv_nsec / 1'000'000)) + boot;
  }
};

TEST_F(FaultsOnZookeeper, ALeaderThatIsKilledWithItsGuardIsFollowedWhenItsSessionExpiresAndNotBeforeItsDeadline) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  kill_with_guard(a);
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

struct ShortFaultsOnZookeeper : FaultsOnZookeeper {
  explicit ShortFaultsOnZookeeper(Millis session_timeout = 4s) : FaultsOnZookeeper(session_timeout) {}

  /// Until a renewal of the candidate's session has been completed from now on: the next one is sent after its answer,
  /// and has a later deadline.
  bool is_renewed(const std::string& name) const {
    std::int64_t deadline = member_field(name, "deadline_ms");
    int later = 0;
    return wait_until([&] {
      const std::int64_t now = member_field(name, "deadline_ms");
      if (now > deadline) ++later;
      deadline = now;
      return later == 2;
    });
  }
  void expect_the_same_term(const CandidateProcess& a, const Arguments& queue) const {
    EXPECT_EQ(place.queue("default"), queue) << "the same nodes";
    EXPECT_EQ(a.count("leads no more"), 0u) << a.log();
    EXPECT_EQ(folder.said("START").size(), 1u);
    EXPECT_FALSE(is_gone(pid_of(start_of(0))));
  }
};

TEST_F(ShortFaultsOnZookeeper, ALeaderThatIsCutOffForLessThanItsTimeoutGoesOnInItsTerm) {
  TcpRelay relay(place.server().port());
  CandidateProcess a(folder, candidate("a", until_ended(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
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
  CandidateProcess a(folder, candidate("a", until_ended(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const Arguments queue = place.queue("default");
  for (int round = 0; round < 5; ++round) {
    relay.break_connections();
    ASSERT_TRUE(is_renewed("a"));
  }
  EXPECT_GE(relay.connections(), 6u);
  expect_the_same_term(a, queue);
}

/// A server takes up to ten seconds to start on a busy machine, and a client that connects meanwhile tries again T/3
/// later.
struct RestartOfZookeeper : ShortFaultsOnZookeeper {
  RestartOfZookeeper() : ShortFaultsOnZookeeper(ZookeeperPlace::longest_timeout) {}
};

TEST_F(RestartOfZookeeper, WithinTheTimeoutIsOutlivedByALeader) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  const Arguments queue = place.queue("default");
  ASSERT_TRUE(is_renewed("a"));
  place.server().kill();
  const Millis down = wall_now();
  place.start_server();
  report("from the end of the server until it serves again", wall_now() - down);
  ASSERT_TRUE(is_renewed("a"));
  ASSERT_TRUE(is_renewed("a"));
  expect_the_same_term(a, queue);
}

TEST_F(FaultsOnZookeeper, AStoppedCandidateStartsNothingInItsOldTermAndItsChildIsEnded) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
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

/// The guard too: nothing can end the child then, but whoever takes its writes can refuse them by their epoch.
TEST_F(FaultsOnZookeeper, AChildThatWasStoppedWithItsGuardIsEndedAtOnceAndItsEpochIsTheLower) {
  const std::string writes =
      "while :; do echo WRITE $$ 0 $BALLOT_NODE $BALLOT_EPOCH >> " + (folder.folder / "said") + "; sleep 0.02; done";
  CandidateProcess a(folder, candidate("a", writes));
  ASSERT_TRUE(folder.wait_until_said("WRITE"));
  const pid_t child = pid_of(folder.said("WRITE").front()), guard = a.guard();
  CandidateProcess b(folder, candidate("b", writes));
  ASSERT_TRUE(campaigns(b));
  a.send(SIGSTOP);
  for (const pid_t pid : {guard, child}) ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  ASSERT_TRUE(wait_until([&] { return field(folder.said("WRITE").back(), 3) == "b"; }));
  for (const pid_t pid : {child, guard}) ::kill(pid, SIGCONT);
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
    all.emplace_back(folder, candidate(name, until_ended()));
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
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  place.server().kill();
  place.server().wipe();
  place.start_server();
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 2; }));
  EXPECT_EQ(folder.said("START").size(), 2u) << "one leads";
  expect_no_overlap();
}

/// What its children say is by its clock, so here the test's own counts.
TEST_F(FaultsOnZookeeper, AWallClockThatIsAnHourOffHoldsUpNoHandOverAndHurriesNone) {
  const auto an_hour = [](const std::string& sign) {
    return Arguments{"LD_PRELOAD=" BALLOT_SHIFTED_CLOCK, "BALLOT_SHIFTED_CLOCK_MS=" + sign + "3600000",
                     "ASAN_OPTIONS=verify_asan_link_order=0"};
  };
  CandidateProcess ahead(folder, candidate("ahead", until_ended()), an_hour(""));
  ASSERT_TRUE(folder.wait_until_said("START"));
  EXPECT_GT(since(wall_now(), start_of(0)), 59min);
  CandidateProcess behind(folder, candidate("behind", until_ended()), an_hour("-"));
  ASSERT_TRUE(campaigns(behind));
  CandidateProcess right(folder, candidate("right", until_ended()));
  ASSERT_TRUE(wait_until([&] { return place.queue("default").size() == 3; }));
  const Millis stopped = wall_now();
  ahead.stop(SIGTERM);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_LE(wall_now() - stopped, 1s);
  EXPECT_EQ(name_of(1), "behind");
  const std::string info = ballot({"info", "default"}).out;
  EXPECT_NE(info.find("time drift of 1h"), std::string::npos) << info;
  kill_with_guard(behind);
  const Millis killed = wall_now();
  const Millis deadline = wall_of(Millis(member_field("behind", "deadline_ms")));
  ASSERT_TRUE(folder.wait_until_said("START", 3));
  EXPECT_EQ(name_of(2), "right");
  EXPECT_GE(since(deadline, start_of(2)), 0ms);
  EXPECT_LE(since(killed, start_of(2)), timeout + 2 * place.tick + busy);
  expect_no_overlap();
}

}  // namespace
}  // namespace ballot::testing
