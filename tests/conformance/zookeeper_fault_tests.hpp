// What the conformance suite cannot know of the plugin zookeeper: lost answers, servers that stop, are wiped or refuse,
// and what people do to nodes by hand. Included by zookeeper_conformance_test.cpp.
#pragma once

#include <sys/stat.h>

#include <cstdio>

#include "conformance/backend_fixture.hpp"
#include "conformance/zookeeper_cluster.hpp"

namespace ballot::conformance {

class Zookeeper : public BackendConformance {
 protected:
  /// A test that has failed leaves no server frozen for the next.
  void TearDown() override {
    for (std::size_t i = 0; i < store().size(); ++i) store()[i].thaw();
    store().start();
    BackendConformance::TearDown();
  }

  ZookeeperCluster& cluster() { return static_cast<ZookeeperCluster&>(*cluster_); }
  testing::ZookeeperEnsemble& store() { return cluster().store(); }
  std::string path(const std::string& below) { return cluster().path(below); }

  /// A candidate with options of its own, from a host with a state folder of its own.
  Candidate& add_with(const std::string& node, const Options& options, const std::string& state_dir) {
    Candidate& candidate = candidates_.emplace_back(node, cluster_->signal);
    candidate.pid = 2000;
    candidate.backend = cluster().make_with(node, "test", options, state_dir, candidate.events);
    return candidate;
  }
  /// An operator's own file.
  static std::string write_secret(const TempFolder& folder, const std::string& text) {
    const std::string file = folder.write("password", text);
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
    return file;
  }
  void drop_answers(const Candidate& to) {
    cluster().each_relay(to.node, [](auto& relay) { relay.drop_answers(true); });
  }
  void answer_again(const Candidate& to) {
    cluster().each_relay(to.node, [](auto& relay) { relay.drop_answers(false); });
    break_connections(to);
  }
  void break_connections(const Candidate& of) {
    cluster().each_relay(of.node, [](auto& relay) { relay.break_connections(); });
  }
  std::size_t connections(const Candidate& of) {
    std::size_t all = 0;
    cluster().each_relay(of.node, [&](auto& relay) { all += relay.connections(); });
    return all;
  }
  /// Of a candidate in the group g.
  std::string node_of(testing::ZookeeperClient& operator_, const Candidate& one) {
    for (const std::string& name : operator_.children(path("e/g"))) {
      std::string text;
      const std::string node = path("e/g/" + name);
      if (operator_.get(node, &text) == ZOK && text.find(one.node) == 0) return node;
    }
    return {};
  }
  /// The second of two in the group g watches its own node: it has read what it needs to lead.
  bool looks_ahead(testing::ZookeeperClient& operator_, const Candidate& second) {
    return until(
        [&] {
          const std::string node = node_of(operator_, second);
          for (std::size_t i = 0; !node.empty() && i < store().size(); ++i)
            if (store()[i].ask("wchp").find(node) != std::string::npos) return true;
          return false;
        },
        3 * timeout());
  }
  /// b, behind whoever leads the group g.
  Candidate& next_in_line(testing::ZookeeperClient& operator_) {
    Candidate& b = join("b");
    b.backend->campaign("g");
    EXPECT_TRUE(looks_ahead(operator_, b));
    return b;
  }
  bool awaits_closed(Candidate& candidate, Millis limit) {
    return until([&] { return candidate.closed().has_value(); }, limit);
  }
  std::size_t elections_of(const Candidate& one) { return one.events.all<backend::Elected>(one.generation).size(); }
};

TEST_P(Zookeeper, ACampaignWhoseAnswerIsLostLeavesOneNode) {
  Candidate& a = join("a");
  testing::ZookeeperClient operator_(store()[0].address());
  ASSERT_EQ(operator_.create(path("e/g")), ZOK) << "so that the first attempt succeeds";
  drop_answers(a);
  a.backend->campaign("g");
  EXPECT_TRUE(until([&] { return !operator_.children(path("e/g")).empty(); }, timeout() + slack()));
  answer_again(a);
  EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_EQ(operator_.children(path("e/g")).size(), 1u);
}

TEST_P(Zookeeper, WhoeverIsNextAndHasReadAheadLeadsWhateverTheTermBeforeCameTo) {
  testing::ZookeeperClient operator_(store()[0].address());
  Candidate& a = lead("a", "g");
  Candidate& b = next_in_line(operator_);
  a.backend->resign("g");  // writes the end of its term, which was not there yet when it was read
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout()));
  a.backend->campaign("g");
  ASSERT_TRUE(looks_ahead(operator_, a));
  ASSERT_EQ(operator_.remove(node_of(operator_, b)), ZOK);
  EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout()));
  EXPECT_EQ(elections_of(a), 2u);
}

TEST_P(Zookeeper, AClaimOfTheNextInLineWhoseAnswerIsLostIsMadeOnce) {
  testing::ZookeeperClient operator_(store()[0].address());
  Candidate& a = lead("a", "g");
  Candidate& b = next_in_line(operator_);
  cluster().each_relay("b", [](auto& relay) { relay.delay(testing::TcpRelay::Way::to_client, Millis(300)); });
  std::string before, term;
  ASSERT_EQ(operator_.get(path("e/g"), &before), ZOK);
  ASSERT_EQ(operator_.remove(node_of(operator_, a)), ZOK);
  ASSERT_TRUE(until([&] { return operator_.get(path("e/g"), &term) == ZOK && term != before; }, timeout() + slack()));
  drop_answers(b);  // it has claimed, and is not answered
  cluster().each_relay("b", [](auto& relay) { relay.delay(testing::TcpRelay::Way::to_client, Millis(0)); });
  EXPECT_FALSE(b.leads("g"));
  answer_again(b);
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_EQ(elections_of(b), 1u);
  EXPECT_EQ(operator_.children(path("e/g")).size(), 2u) << "a is at the end of the queue";
}

// S7 zookeeper
TEST_P(Zookeeper, AWriteWhoseAnswerIsLostIsUnknownAndItsRepetitionIsRefused) {
  Candidate& a = lead("a", "g");
  const RegisterWrite one{"g", *a.leads("g"), "j/x", "1", 0};
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/other", "1", 0}).outcome, StoreResult::done);
  drop_answers(a);
  EXPECT_EQ(write(a, one).outcome, StoreResult::unknown);
  answer_again(a);
  StoreResult again = StoreResult::unknown;
  EXPECT_TRUE(until([&] { return (again = write(a, one).outcome) != StoreResult::unknown; }, timeout() + slack()));
  EXPECT_EQ(again, StoreResult::conflict);
  EXPECT_EQ(read(a, {"j/x"}).front().value, "1");
  EXPECT_TRUE(a.leads("g").has_value()) << "the same term";
  EXPECT_EQ(elections_of(a), 1u);
}

TEST_P(Zookeeper, AResignationWhoseAnswerIsLostIsCarriedOutAndReported) {
  Candidate& a = lead("a", "g");
  drop_answers(a);
  a.backend->resign("g");
  testing::ZookeeperClient operator_(store()[0].address());
  EXPECT_TRUE(until([&] { return operator_.children(path("e/g")).empty(); }, timeout() + slack()));
  answer_again(a);
  EXPECT_TRUE(until([&] { return !a.leads("g"); }, timeout() + slack()));
  EXPECT_FALSE(a.closed());
}

TEST_P(Zookeeper, ACloseThatTheStoreDoesNotConfirmSaysSoAndTheNextSessionEndsTheOldOne) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  cluster().cut(*a.backend);
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  cluster().heal(*a.backend);
  open(a);
  ASSERT_TRUE(opened(a));
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
}

TEST_P(Zookeeper, ALeaderKeepsItsTermOverABrokenConnection) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  for (int i = 0; i < 5; ++i) {
    break_connections(a);
    EXPECT_TRUE(until(
        [&] {
          return write(a, {"g", epoch, "j/x" + std::to_string(i), "1", 0}).outcome == StoreResult::done;
        },
        timeout()));
  }
  EXPECT_EQ(a.leads("g"), epoch);
  EXPECT_EQ(elections_of(a), 1u);
}

TEST_P(Zookeeper, ALeaderStopsByItsOwnClockWhenTheServerIsFrozen) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  const SteadyTime renewed = a.renewed;
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].freeze();
  EXPECT_TRUE(awaits_closed(a, a.timeout + slack()));
  EXPECT_LE(now() - renewed, a.timeout + 500ms) << "by its own clock";
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].thaw();
  ASSERT_TRUE(a.closed());
  lead_again(a, "g");
  EXPECT_GT(a.leads("g").value_or(0), epoch);
}

TEST_P(Zookeeper, AWipedStoreIsBegunAnew) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].kill();
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].wipe();
  store().start();
  ASSERT_TRUE(awaits_closed(a, 2 * timeout() + slack()));
  lead_again(a, "g");
  EXPECT_TRUE(read(a, {"j/x"}).empty());
}

TEST_P(Zookeeper, ANamespaceThatIsRemovedByHandIsMadeAgain) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  testing::ZookeeperClient(store()[0].address()).remove_all(cluster().chroot());
  ASSERT_TRUE(awaits_closed(a, timeout() + slack())) << "its name is gone";
  EXPECT_EQ(a.closed()->cause, Cause::superseded) << a.closed()->text;
  lead_again(a, "g");
  EXPECT_GT(a.leads("g").value_or(0), epoch);
}

TEST_P(Zookeeper, AFollowerWhoseNodeIsRemovedByHandQueuesAgain) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  testing::ZookeeperClient operator_(store()[0].address());
  const std::string session = sessions(b)[0].id;
  for (const std::string& one : operator_.children(path("e/g"))) {
    if (one.compare(0, session.size(), session) != 0) continue;
    EXPECT_EQ(operator_.remove(path("e/g/") + one), ZOK);
  }
  EXPECT_TRUE(until([&] { return operator_.children(path("e/g")).size() == 2; }, timeout() + slack()));
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
}

TEST_P(Zookeeper, NodesOfStrangersInAQueueAreNoCandidates) {
  testing::ZookeeperClient operator_(store()[0].address());
  Candidate& a = lead("a", "g");
  for (const char* name : {"readme", "lock-x", "-1"}) EXPECT_EQ(operator_.create(path("e/g/") + name), ZOK);
  const std::uint64_t epoch = *a.leads("g");
  a.backend->resign("g");
  a.backend->campaign("g");
  EXPECT_TRUE(until([&] { return a.leads("g").value_or(0) > epoch; }, timeout() + slack()));
  EXPECT_EQ(nodes(a, "g"), std::vector<std::string>{"a"});
}

TEST_P(Zookeeper, TheTimeoutIsTheOneThatTheServersGrant) {
  Candidate& a = add("a");
  a.generation = 1;
  a.backend->open({1, "a", "boot-1", "machine-1", "host-1", 1, "test", "", 1h});
  ASSERT_TRUE(until([&] { return !sessions(a).empty(); }, timeout() + slack()));
  EXPECT_EQ(sessions(a)[0].timeout, 10s) << "their maxSessionTimeout";
  const auto logged = a.events.logged();
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_NE(logged[0].find("10000 ms and not 3600000 ms"), std::string::npos) << logged[0];
}

TEST_P(Zookeeper, ADeadServerInTheListIsPassedOver) {
  const testing::ReservedPort nobodys;
  const std::string dead = "127.0.0.1:" + std::to_string(nobodys.number());
  TempFolder state;
  for (const std::string& servers : {dead + "," + store()[0].address(), store()[0].address() + "," + dead}) {
    Candidate& a = add_with("a", {{"servers", servers + cluster().chroot()}}, state.path());
    open(a);
    EXPECT_TRUE(opened(a)) << servers;
    a.backend->campaign("g");
    EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
    a.backend.reset();
  }
}

TEST_P(Zookeeper, WhereNoServerAnswersItSaysSoAfterItsTimeout) {
  TempFolder state;
  const testing::ReservedPort nobodys;
  const std::string dead = "127.0.0.1:" + std::to_string(nobodys.number());
  Candidate& a = add_with("a", {{"servers", dead}}, state.path());
  open(a);
  EXPECT_FALSE(opened(a));
  ASSERT_TRUE(awaits_closed(a, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  EXPECT_NE(a.closed()->text.find(dead), std::string::npos) << a.closed()->text;
}

TEST_P(Zookeeper, ADeepPathIsMadeBelowWhichEverythingLies) {
  TempFolder state;
  const std::string deep = cluster().chroot() + "/of/many";
  Candidate& a = add_with("a", {{"servers", std::vector{store()[0].address() + deep}}}, state.path());
  open(a);
  ASSERT_TRUE(opened(a));
  EXPECT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  std::string text;
  EXPECT_EQ(testing::ZookeeperClient(store()[0].address()).get(deep + "/test/r/q/x", &text), ZOK);
  EXPECT_EQ(text, "1");
}

TEST_P(Zookeeper, WithAuthNobodyElseReadsOrWrites) {
  TempFolder state;
  const std::string file = write_secret(state, "secret\n");
  const Options options{{"servers", store()[0].address() + cluster().chroot()}, {"auth", "digest:ballot:" + file}};
  Candidate& a = add_with("a", options, state.path());
  open(a);
  ASSERT_TRUE(opened(a));
  ASSERT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  testing::ZookeeperClient stranger(store()[0].address());
  EXPECT_EQ(stranger.get(path("r/q/x")), ZNOAUTH);
  EXPECT_EQ(stranger.remove(path("r/q/x")), ZNOAUTH);
  EXPECT_EQ(stranger.authenticate("ballot:secret"), ZOK);
  EXPECT_EQ(stranger.get(path("r/q/x")), ZOK);
}

TEST_P(Zookeeper, AWrongPasswordIsSaidAtOnce) {
  TempFolder state;
  const std::string file = write_secret(state, "secret\n");
  const Options options{{"servers", store()[0].address() + cluster().chroot()}, {"auth", "digest:ballot:" + file}};
  Candidate& a = add_with("a", options, state.path());
  open(a);
  ASSERT_TRUE(opened(a));
  write_secret(state, "guessed\n");
  Candidate& b = add_with("b", options, state.path());
  open(b);
  EXPECT_FALSE(opened(b));
  ASSERT_TRUE(b.closed());
  EXPECT_EQ(b.closed()->cause, Cause::auth_failed);
  EXPECT_NE(b.closed()->text.find("[zookeeper] auth"), std::string::npos) << b.closed()->text;
}

TEST_P(Zookeeper, TheHandleOfTheSessionIsForItsUserOnlyAndGoesWithIt) {
  Candidate& a = join("a");
  struct stat found {};
  ASSERT_EQ(::stat(cluster().handle_file("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_GT(found.st_size, 0);
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_NE(::stat(cluster().handle_file("a").c_str(), &found), 0) << "nobody can go on with it, or end it, any more";
}

TEST_P(Zookeeper, AKeptTermThatNobodyCampaignsForIsFreeAfterItsDeadline) {
  Candidate& a = lead("a", "g");
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  a.backend.reset();
  Candidate& back = join("a");  // its group is not in its files any more
  Candidate& b = join("b");
  b.backend->campaign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * timeout() + slack()));
  EXPECT_FALSE(back.closed());
}

TEST_P(Zookeeper, ADeadDaemonIsResignedByWhoeverHasItsHandle) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  a.backend.reset();
  const SteadyTime asked = now();
  Candidate& supervisor = join("a");
  EXPECT_EQ(sessions(supervisor)[0].id, sessions(a)[0].id) << "its session";
  supervisor.backend->close(false);
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() / 2));
  EXPECT_LT(now() - asked, 600ms);
  EXPECT_FALSE(b.events.all<backend::Elected>(1).front().old_deadline.has_value()) << "it has ended cleanly";
}

TEST_P(Zookeeper, ANodeThatGoesWakesItsOwnerAndTheNextOfItsQueueOnly) {
  cluster().restart();  // the servers count from their start on, and this is not about the tests before
  for (int i = 0; i < 12; ++i) join("n" + std::to_string(i)).backend->campaign("g");
  const auto leader = [&]() -> Candidate* {
    for (Candidate& one : candidates_)
      if (one.leads("g")) return &one;
    return nullptr;
  };
  settle();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(until([&] { return leader() != nullptr; }, timeout() + slack()));
    Candidate& old = *leader();
    old.backend->resign("g");
    ASSERT_TRUE(until([&] { return leader() != nullptr && leader() != &old; }, timeout() + slack()));
  }
  for (std::size_t i = 0; i < store().size(); ++i) {
    const std::string facts = store()[i].ask("mntr");
    const std::string key = "zk_max_node_deleted_watch_count\t";
    ASSERT_NE(facts.find(key), std::string::npos) << facts;
    EXPECT_LE(std::stoi(facts.substr(facts.find(key) + key.size())), 2);
  }
}

TEST_P(Zookeeper, TenThousandGroupsOutliveABrokenConnectionAndNoFrameIsLargerThanAMegabyte) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  const SteadyTime began = now();
  for (Candidate* one : {&a, &b})
    for (std::size_t i = 0; i < many_groups; ++i) one->backend->campaign("group-" + std::to_string(i));
  EXPECT_TRUE(until([&] { return elections_of(a) + elections_of(b) >= many_groups; }, 30s));
  std::printf("%zu groups elected after %d ms\n", many_groups, static_cast<int>((now() - began).count()));
  const Candidate& waiting = elections_of(a) > elections_of(b) ? b : a;
  const std::size_t connected = connections(waiting);
  break_connections(a);
  break_connections(b);
  settle();
  until([] { return false; }, timeout());
  EXPECT_FALSE(a.closed() || b.closed());
  EXPECT_EQ(elections_of(a) + elections_of(b), many_groups);
  EXPECT_EQ(connections(waiting), connected + 1) << "it connects again and again";
  for (const char* node : {"a", "b"})
    cluster().each_relay(node, [](auto& relay) { EXPECT_LT(relay.largest_frame(), 1'000'000u); });
}

}  // namespace ballot::conformance
