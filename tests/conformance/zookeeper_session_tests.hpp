// The node's name and its session on the plugin zookeeper: whose it is, how long it stays open, what is left of it, and
// what of the terms before is reported. Included by zookeeper_conformance_test.cpp.
#pragma once

#include <sys/stat.h>

#include "conformance/zookeeper_fault_tests.hpp"

namespace ballot::conformance {

class ZookeeperSessions : public Zookeeper {
 protected:
  /// The same node on the same host, from a state folder that knows nothing of the session before.
  Candidate& add_again(const std::string& node, const TempFolder& state) {
    Candidate& again = add_with(node, {{"servers", store()[0].address() + cluster().chroot()}}, state.path());
    again.pid = 3000;
    return again;
  }
  /// It goes on opening until it is open, as the core does, whatever it is answered but that somebody has its name.
  bool opens_in_the_end(Candidate& candidate, Millis limit) {
    const bool open_now = until(
        [&] {
          if (candidate.closed() && candidate.closed()->cause != Cause::superseded) open(candidate);
          return !sessions(candidate).empty() || candidate.closed();
        },
        limit);
    EXPECT_FALSE(candidate.closed()) << candidate.closed()->text;
    if (!sessions(candidate).empty()) candidate.timeout = sessions(candidate).front().timeout;
    return open_now && !candidate.closed();
  }
  /// It is the leader of g, and nobody but the store knows that it is gone: its session is open until it is ended
  /// there.
  Candidate& lose_sight_of_leader() {
    Candidate& a = lead("a", "g");
    EXPECT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
    a.renewing = false;
    cluster().cut(*a.backend);
    return a;
  }
  std::vector<std::string> members(testing::ZookeeperClient& operator_) { return operator_.children(path("m")); }
  const backend::Elected first_election(const Candidate& of) {
    return of.events.all<backend::Elected>(of.generation).front();
  }
};

TEST_P(ZookeeperSessions, AnotherHostWithTheSameNodeNameIsRefusedWithWhoHasIt) {
  TempFolder elsewhere;
  Candidate& a = lead("a", "g");
  Candidate& other = add_with("a", {{"servers", store()[0].address() + cluster().chroot()}}, elsewhere.path());
  other.boot_id = "boot-9";
  open(other);
  EXPECT_FALSE(opened(other));
  ASSERT_TRUE(awaits_closed(other, 2 * timeout()));
  EXPECT_EQ(other.closed()->cause, Cause::superseded);
  EXPECT_NE(other.closed()->text.find("pid " + std::to_string(a.pid) + " on host-1"), std::string::npos)
      << other.closed()->text;
  EXPECT_TRUE(a.leads("g").has_value());
}

TEST_P(ZookeeperSessions, AnOlderSessionIsWaitedForHoweverLongTheStoreKeepsIt) {
  lose_sight_of_leader();
  TempFolder elsewhere;
  Candidate& again = add_again("a", elsewhere);
  open(again);
  until([] { return false; }, timeout() / 2);
  cluster().restart();  // all sessions begin their timeout anew
  EXPECT_TRUE(opens_in_the_end(again, 3 * timeout() + slack()));
}

TEST_P(ZookeeperSessions, ANameIsFreeAtOnceAfterACleanStopAndNothingIsLeftOfIt) {
  testing::ZookeeperClient operator_(store()[0].address());
  Candidate& a = lead("a", "g");
  EXPECT_EQ(members(operator_), std::vector<std::string>{"a"});
  a.backend->resign("g");
  ASSERT_TRUE(until([&] { return !a.leads("g"); }, timeout()));
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
  EXPECT_TRUE(members(operator_).empty());
  Candidate& next = lead("a", "g");
  EXPECT_FALSE(first_election(next).old_deadline.has_value());
}

TEST_P(ZookeeperSessions, WhatAnEvictedLeaderSaidOfItselfStaysForWhoeverLeadsNext) {
  testing::ZookeeperClient operator_(store()[0].address());
  Candidate& a = lead("a", "g");
  ASSERT_EQ(evict(a, "g"), StoreResult::done);
  ASSERT_TRUE(until([&] { return !a.events.all<backend::Deposed>(1).empty(); }, timeout()));
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_EQ(members(operator_), std::vector<std::string>{"a"});
}

TEST_P(ZookeeperSessions, NodesThatNeverCameBackAreRemovedUnlessAGroupsLastTermNamesThem) {
  testing::ZookeeperClient operator_(store()[0].address());
  lead("a", "g");
  for (const char* dead : {"m/run-17", "m/run-18", "m/last"}) ASSERT_EQ(operator_.create(path(dead)), ZOK);
  ASSERT_EQ(operator_.create(path("e/other"), ZOO_PERSISTENT, "7 1f last boot-1 open"), ZOK);
  join("b");
  EXPECT_TRUE(until([&] { return members(operator_).size() == 3; }, timeout() + slack()));
  settle();
  auto left = members(operator_);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"a", "b", "last"}));
}

TEST_P(ZookeeperSessions, CandidatesOfDifferentGroupsMayBearOneNameAndAreShownByIt) {
  TempFolder state, elsewhere;
  const auto join_only = [&](const std::string& group, const TempFolder& folder) -> Candidate& {
    Candidate& one = add_with("a", {{"servers", store()[0].address() + cluster().chroot()}}, folder.path());
    one.only_group = group;
    open(one);
    EXPECT_TRUE(opened(one)) << (one.closed() ? one.closed()->text : "no answer");
    one.backend->campaign(group);
    return one;
  };
  Candidate& a = join_only("g", state);
  Candidate& b = join_only("h", state);
  EXPECT_TRUE(until([&] { return a.leads("g") && b.leads("h"); }, timeout() + slack()));
  EXPECT_EQ(nodes(a, "g"), std::vector<std::string>{"a"});
  Candidate& second = add_with("a", {{"servers", store()[0].address() + cluster().chroot()}}, elsewhere.path());
  second.only_group = "g";
  second.boot_id = "boot-9";
  open(second);
  EXPECT_FALSE(opened(second)) << "of one group there is one";
}

TEST_P(ZookeeperSessions, AFollowerWhoseNodeIsRemovedIsInTheQueueAgainAtOnce) {
  testing::ZookeeperClient operator_(store()[0].address());
  lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  ASSERT_TRUE(until([&] { return !node_of(operator_, b).empty(); }, timeout()));
  settle();
  const SteadyTime removed = now();
  ASSERT_EQ(operator_.remove(node_of(operator_, b)), ZOK);
  EXPECT_TRUE(until([&] { return !node_of(operator_, b).empty(); }, timeout() + slack()));
  EXPECT_LT(now() - removed, 700ms);
}

TEST_P(ZookeeperSessions, WhoFollowsALeaderWhoseSessionIsOpenWaitsForTAndSoDoesTheNext) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  Candidate& c = join("c");
  b.backend->campaign("g");
  settle();
  c.backend->campaign("g");
  settle();
  const SteadyTime asked = now();
  ASSERT_EQ(evict(c, "g"), StoreResult::done);
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout()));
  ASSERT_TRUE(first_election(b).old_deadline.has_value());
  EXPECT_GE(*first_election(b).old_deadline, asked + b.timeout);
  EXPECT_LE(*first_election(b).old_deadline, now() + b.timeout);
  a.backend->resign("g");
  b.backend->resign("g");
  ASSERT_TRUE(until([&] { return c.leads("g").has_value(); }, timeout()));
  ASSERT_TRUE(first_election(c).old_deadline.has_value()) << "what the first had started may still go on";
  EXPECT_GE(*first_election(c).old_deadline, asked + c.timeout);
  until([] { return false; }, c.timeout);
  c.backend->resign("g");
  Candidate& d = lead("d", "g");
  EXPECT_FALSE(first_election(d).old_deadline.has_value()) << "it has been waited for";
}

TEST_P(ZookeeperSessions, WhoFollowsALeaderWhoseSessionTheStoreHasEndedWaitsForNothing) {
  lose_sight_of_leader();
  Candidate& b = join("b");
  b.backend->campaign("g");
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * timeout() + slack()));
  EXPECT_FALSE(first_election(b).old_deadline.has_value());
  EXPECT_TRUE(first_election(b).last_alive.has_value());
}

#if BALLOT_ZOOKEEPER_SERVERS == 1
TEST_P(ZookeeperSessions, AStoreThatHasLostWhatItHadAcknowledgedIsReportedAtTheNextRenewal) {
  Candidate& a = add("a");
  a.generation = 1;
  a.backend->open({1, "a", "boot-1", "machine-1", "host-1", 1, "test", "", 10s});  // in which a server starts
  ASSERT_TRUE(opened(a));
  const auto renew_some = [&] {
    for (int i = 0; i < 3; ++i) {
      const auto renewed = await<backend::Renewed>(a, renew(a), timeout());
      ASSERT_TRUE(renewed && renewed->outcome == StoreResult::done);
      EXPECT_FALSE(renewed->gone_back) << renewed->text;
    }
  };
  renew_some();
  store()[0].freeze();
  store()[0].save();
  store()[0].thaw();
  renew_some();
  store()[0].kill();
  store()[0].restore();
  store().start();
  {
    testing::ZookeeperClient others(store()[0].address());  // or the server would refuse whoever has seen more of it
    for (int i = 0; i < 40; ++i) others.create("/after-" + std::to_string(i));
  }
  const auto reported = [&] {
    const auto all = a.events.all<backend::Renewed>(1);
    return std::any_of(all.begin(), all.end(), [](const auto& renewed) { return renewed.gone_back; });
  };
  EXPECT_TRUE(until([&] { return reported() || a.closed(); }, 10s + slack()));
  EXPECT_TRUE(reported()) << (a.closed() ? a.closed()->text : "renewed as if nothing had happened");
}
#endif

#if BALLOT_ZOOKEEPER_SERVERS > 1
/// What a follower answers says nothing of what the leader knows.
// S25 zookeeper
TEST_P(ZookeeperSessions, ATermEndsBeforeItsSessionWhenTheFollowerThatItTalksToFreezes) {
  TempFolder state;
  for (int round = 0; round < 3; ++round) {
    testing::ZookeeperServer& follower = store().follower();
    Candidate& a = add_with("a", {{"servers", follower.address() + cluster().chroot()}}, state.path());
    Candidate& b = add_with("b", {{"servers", store().leader().address() + cluster().chroot()}}, state.path());
    for (Candidate* one : {&a, &b}) {
      open(*one);
      ASSERT_TRUE(opened(*one));
      one->backend->campaign("g");
      ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
    }
    until([] { return false; }, timeout() + round * 37ms);
    ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
    a.renewing = false;
    follower.freeze();
    EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * timeout()));
    EXPECT_GE(now(), deadline(a)) << "before the term that was renewed had to end";
    EXPECT_TRUE(awaits_closed(a, slack()));
    follower.thaw();
    a.backend.reset();
    b.backend.reset();
    b.renewing = false;
    store().start();
  }
}

TEST_P(ZookeeperSessions, ARollingRestartOfTheServersLosesNeitherGroupNorRegister) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  std::uint64_t epoch = *a.leads("g"), version = 0;
  const auto leader = [&]() -> Candidate* {
    for (Candidate* one : {&a, &b})
      if (one->closed()) {
        open(*one);
        if (opened(*one)) one->backend->campaign("g");
      }
    return a.leads("g") ? &a : b.leads("g") ? &b : nullptr;
  };
  for (std::size_t i = 0; i < store().size(); ++i) {
    store()[i].kill();
    store().start();
    WriteAnswer wrote;
    const auto writes = [&] {
      Candidate* one = leader();
      if (one == nullptr) return false;
      EXPECT_GE(*one->leads("g"), std::exchange(epoch, std::max(epoch, *one->leads("g"))));
      wrote = write(*one, {"g", *one->leads("g"), "j/x", std::to_string(i), version});
      if (wrote.outcome == StoreResult::conflict) version = read(*one, {"j/x"}).front().version;
      return wrote.outcome == StoreResult::done;
    };
    ASSERT_TRUE(until(writes, 4 * timeout())) << "server " << i;
    version = wrote.version;
  }
  EXPECT_EQ(read(b, {"j/x"}).front().value, std::to_string(store().size() - 1));
}

TEST_P(ZookeeperSessions, NoNodeIsRefusedItsOwnNameWhileTheServersElectAgainAndAgain) {
  TempFolder state;
  Candidate& a = add_with("a", {{"servers", store().addresses() + cluster().chroot()}}, state.path());
  open(a);
  ASSERT_TRUE(opened(a));
  for (int round = 0; round < 3; ++round) {
    testing::ZookeeperServer& leader = store().leader();
    leader.freeze();
    EXPECT_TRUE(awaits_closed(a, 2 * timeout() + slack())) << "round " << round;
    until([] { return false; }, timeout() / 2);
    leader.thaw();
    open(a);
    ASSERT_TRUE(opens_in_the_end(a, 5 * timeout() + slack())) << "round " << round;
    store().start();
  }
}

TEST_P(ZookeeperSessions, ARestartWithoutItsStateFolderIsNotRefusedByWhatItsPredecessorSaidLast) {
  for (int round = 0; round < 4; ++round) {
    TempFolder first, second;
    const std::string node = "n" + std::to_string(round);
    testing::TcpRelay relay(store().follower().port());
    Candidate& a = add_with(node, {{"servers", relay.address() + cluster().chroot()}}, first.path());
    open(a);
    ASSERT_TRUE(opened(a));
    until([] { return false; }, timeout() / 4 + round * 31ms);
    Candidate& again = add_with(node, {{"servers", store().follower().address() + cluster().chroot()}}, second.path());
    again.pid = 3000;
    open(again);
    renew(a);  // on its way when its daemon dies
    a.renewing = false;
    until([] { return false; }, Millis(round * 40));
    relay.cut();
    EXPECT_TRUE(opens_in_the_end(again, 3 * timeout() + slack())) << "round " << round;
    a.backend.reset();
  }
}
#endif

}  // namespace ballot::conformance
