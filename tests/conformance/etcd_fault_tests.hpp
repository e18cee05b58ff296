// What the conformance suite cannot know of the plugin etcd: lost answers, servers that stop, are wiped or refuse,
// calls of which some fail, and what people do to keys by hand. Included by etcd_conformance_test.cpp.
#pragma once

#include <sys/stat.h>

#include <cstdio>

#include "conformance/backend_fixture.hpp"
#include "conformance/etcd_cluster.hpp"
#include "support/servers/http_gate.hpp"

namespace ballot::conformance {

class Etcd : public BackendConformance {
 protected:
  /// A test that has failed leaves no server frozen for the next.
  void TearDown() override {
    for (std::size_t i = 0; i < store().size(); ++i) store()[i].thaw();
    store().heal();
    store().start();
    BackendConformance::TearDown();
  }

  EtcdCandidates& cluster() { return static_cast<EtcdCandidates&>(*cluster_); }
  testing::EtcdCluster& store() { return cluster().store(); }

  /// A candidate with options of its own, from a host with a state folder of its own.
  Candidate& add_with(const std::string& node, const Options& options, const std::string& state_dir) {
    Candidate& candidate = candidates_.emplace_back(node, cluster_->signal);
    candidate.pid = 2000;
    candidate.backend = cluster().make_with(node, "test", options, state_dir, candidate.events);
    return candidate;
  }
  /// With a timeout of its own.
  Candidate& join_for(const std::string& node, Millis timeout) {
    Candidate& candidate = add(node);
    candidate.generation = 1;
    candidate.opened_at = now();
    candidate.backend->open({1, node, "boot-1", "machine-1", "host-1", candidate.pid, "test", "", timeout});
    EXPECT_TRUE(opened(candidate)) << (candidate.closed() ? candidate.closed()->text : "no answer");
    return candidate;
  }
  Candidate& lead_at(const std::string& server, const std::string& node, const TempFolder& state) {
    Candidate& candidate = add_with(node, {{"servers", server}}, state.path());
    open(candidate);
    EXPECT_TRUE(opened(candidate)) << (candidate.closed() ? candidate.closed()->text : "no answer");
    candidate.backend->campaign("g");
    EXPECT_TRUE(until([&] { return candidate.leads("g").has_value(); }, timeout() + slack()));
    return candidate;
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
  bool awaits_closed(Candidate& candidate, Millis limit) {
    return until([&] { return candidate.closed().has_value(); }, limit);
  }
  std::size_t elections_of(const Candidate& one) { return one.events.all<backend::Elected>(one.generation).size(); }
  /// What a key holds; "" where there is none.
  std::string value(const std::string& below) {
    const auto kvs = http::array_at(store()[0].ask("/v3/kv/range", "{\"key\":" + cluster().key(below) + "}"), "kvs");
    return kvs.empty() ? "" : http::from_base64(http::text_at(kvs[0], "value")).value_or("?");
  }
  void put(const std::string& below, const std::string& value) {
    store()[0].ask("/v3/kv/put", "{\"key\":" + cluster().key(below) + ",\"value\":\"" + http::to_base64(value) + "\"}");
  }
  void remove_all() {
    std::string end = cluster().root();
    end.back() = '0';
    store()[0].ask("/v3/kv/deleterange",
                   "{\"key\":" + cluster().key("") + ",\"range_end\":\"" + http::to_base64(end) + "\"}");
  }
  bool logged(const Candidate& by, const std::string& text) {
    for (const std::string& line : by.events.logged())
      if (line.find(text) != std::string::npos) return true;
    return false;
  }
};

// S7 etcd
TEST_P(Etcd, AWriteWhoseAnswerIsLostIsUnknownAndItsRepetitionIsRefused) {
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

TEST_P(Etcd, AResignationWhoseAnswerIsLostIsCarriedOutAndReported) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  drop_answers(a);
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() / 2));
  answer_again(a);
  EXPECT_TRUE(until([&] { return !a.leads("g"); }, timeout() + slack()));
  EXPECT_FALSE(a.closed());
}

TEST_P(Etcd, ALeaderKeepsItsTermOverABrokenConnection) {
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

TEST_P(Etcd, ALeaderStopsByItsOwnClockWhenTheServersAreFrozen) {
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

/// What keeps the session is not what shows that the term lasts, and neither does for the other.
// S26 etcd
TEST_P(Etcd, ATermEndsByItsDeadlineWhereKeepAlivesFailOrTransactionsDo) {
  for (const char* path : {"/v3/lease/keepalive", "/v3/kv/txn"}) {
    TempFolder state;
    testing::HttpGate gate(store()[0].port());
    Candidate& a = lead_at(gate.address(), "a", state);
    Candidate& b = join("b");
    b.backend->campaign("g");
    ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
    gate.shut(path);
    EXPECT_TRUE(awaits_closed(a, timeout() + slack())) << path;
    EXPECT_LE(now(), deadline(a) + std::max<Millis>(a.timeout / 10, 500ms) + 300ms) << path;
    gate.open();
    EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * timeout() + slack())) << path;
    EXPECT_GE(now(), deadline(a)) << path;
    a.backend.reset();
    b.backend->close(false);
    ASSERT_TRUE(awaits_closed(b, timeout()));
    b.backend.reset();
  }
}

TEST_P(Etcd, WhoWaitsForItsNameForLongerThanItsTimeoutTakesItWithTheLeaseThatItBegan) {
  Candidate& a = join_for("a", 2 * timeout());
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout() + slack()));
  a.backend.reset();
  TempFolder state;
  testing::HttpGate gate(store()[0].port());
  Candidate& back = add_with("a", {{"servers", gate.address()}}, state.path());
  open(back);
  ASSERT_TRUE(opened(back)) << (back.closed() ? back.closed()->text : "no answer");
  const auto asked = gate.asked();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "POST /v3/lease/grant"), 1);
}

TEST_P(Etcd, ATermIsInDoubtWhileNothingIsSeenOfWhatOthersChange) {
  TempFolder state;
  testing::HttpGate gate(store()[0].port());
  Candidate& a = lead_at(gate.address(), "a", state);
  settle();
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  gate.shut("/v3/watch");
  gate.shut("/v3/kv/range");
  settle();
  const SteadyTime blind = now();
  const auto renewed = await<backend::Renewed>(a, renew(a), timeout());
  ASSERT_TRUE(renewed.has_value());
  EXPECT_EQ(renewed->outcome, StoreResult::done);
  ASSERT_TRUE(renewed->counts_from.has_value());
  EXPECT_LT(*renewed->counts_from, blind);
  gate.open();
  EXPECT_TRUE(until([&] { return !await<backend::Renewed>(a, renew(a), timeout())->counts_from; }, timeout()));
}

TEST_P(Etcd, AChangeIsReportedThoughTheHistoryWasCompacted) {
  Candidate& a = join("a");
  watch(a, "q/");
  settle();
  const std::size_t before = changes(a, "q/"), more = changes(a, "n/");
  cluster().cut(*a.backend);
  put("r/q/x", "1");
  const http::json::value there = store()[0].ask("/v3/kv/range", "{\"key\":" + cluster().key("") + "}");
  const std::string revision(http::text_at(there, "header", "revision"));
  store()[0].ask("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
  break_connections(a);
  cluster().heal(*a.backend);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > before; }, timeout() + slack()));
  a.backend->watch("n/");  // its stream goes on from where it was, which is not there any more
  EXPECT_TRUE(until([&] { return changes(a, "n/") > more; }, timeout() + slack()));
  const std::size_t seen = changes(a, "n/");
  settle();
  put("r/n/x", "1");
  EXPECT_TRUE(until([&] { return changes(a, "n/") > seen; }, timeout() + slack()));
}

TEST_P(Etcd, AWipedStoreIsBegunAnew) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  store().kill_all();
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].wipe();
  store().start();
  ASSERT_TRUE(awaits_closed(a, 2 * timeout() + slack()));
  lead_again(a, "g");
  EXPECT_TRUE(read(a, {"j/x"}).empty());
}

TEST_P(Etcd, ANamespaceThatIsRemovedByHandIsMadeAgain) {
  Candidate& a = lead("a", "g");
  remove_all();
  ASSERT_TRUE(awaits_closed(a, timeout() + slack())) << "its name is gone";
  EXPECT_EQ(a.closed()->cause, Cause::expired) << a.closed()->text;
  lead_again(a, "g");
}

TEST_P(Etcd, NothingIsLeftOfASessionThatEndsCleanlyButItsGroupsLastTerm) {
  Candidate& a = lead("a", "g");
  const std::string lease = cluster().lease_of("a");
  ASSERT_NE(value("s/a"), "");
  EXPECT_EQ(value("s/a"), lease);
  a.backend->resign("g");
  ASSERT_TRUE(until([&] { return !a.leads("g"); }, timeout()));
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
  const auto left = store()[0].ask("/v3/kv/range", "{\"key\":" + cluster().key("") + ",\"range_end\":\"" +
                                                       http::to_base64(cluster().prefix() + "0") + "\"}");
  ASSERT_EQ(http::array_at(left, "kvs").size(), 1u) << http::json::serialize(left);
  EXPECT_NE(value("t/g"), "");
  const auto lives = store()[0].ask("/v3/lease/timetolive", "{\"ID\":\"" + lease + "\"}");
  EXPECT_EQ(http::text_at(lives, "TTL"), "-1");
}

TEST_P(Etcd, ADeadDaemonIsResignedByWhoeverHasItsHandle) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const std::string handle = sessions(a)[0].handle;
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  a.backend.reset();
  const SteadyTime asked = now();
  Candidate& deputy = add("a");
  deputy.renewing = false;
  deputy.generation = 1;
  SessionRequest request{1, "a", "boot-1", "machine-1", "host-1", 1, "test", "", timeout()};
  request.handle = handle;
  deputy.backend->open(request);
  ASSERT_TRUE(opened(deputy)) << (deputy.closed() ? deputy.closed()->text : "no answer");
  deputy.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() / 2));
  EXPECT_LT(now() - asked, 800ms);
  EXPECT_FALSE(b.events.all<backend::Elected>(1).front().old_deadline.has_value()) << "it has ended cleanly";
  deputy.backend->close(false);
  EXPECT_TRUE(awaits_closed(deputy, timeout()));
  EXPECT_EQ(deputy.closed()->cause, Cause::shutdown);
}

TEST_P(Etcd, TenThousandGroupsOutliveABrokenConnectionAndAreHandedOverByACleanStop) {
  Candidate& a = join_for("a", 10s);
  Candidate& b = join_for("b", 10s);
  const SteadyTime began = now();
  for (Candidate* one : {&a, &b})
    for (std::size_t i = 0; i < many_groups; ++i) one->backend->campaign("group-" + std::to_string(i));
  EXPECT_TRUE(until([&] { return elections_of(a) + elections_of(b) >= many_groups; }, 30s));
  std::printf("%zu groups elected after %d ms\n", many_groups, static_cast<int>((now() - began).count()));
  for (Candidate* one : {&a, &b}) break_connections(*one);
  settle();
  until([] { return false; }, timeout() / 2);
  EXPECT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  for (const Candidate* one : {&a, &b}) EXPECT_FALSE(one->closed()) << one->node << ": " << one->closed()->text;
  const std::size_t of_a = elections_of(a), of_b = elections_of(b);
  EXPECT_EQ(of_a + of_b, many_groups);
  const SteadyTime stopped = now();
  a.backend->close(false);
  EXPECT_TRUE(until([&] { return elections_of(b) >= many_groups; }, 30s));
  std::printf("%zu groups taken over %d ms after a clean stop\n", of_a, static_cast<int>((now() - stopped).count()));
}

TEST_P(Etcd, AnObserverIsToldWhatTheServersSayOfThemselves) {
  Candidate& observer = add_observer("o");
  const auto state = [&] {
    const RequestId request = ++observer.last_request;
    observer.backend->observe(request, "");
    const auto answer = await<backend::Observed>(observer, request, 10s);
    return answer ? answer->store : StoreState{};
  };
  const std::string servers = std::to_string(store().size());
  StoreState found = state();
  ASSERT_EQ(found.facts.size(), 1 + store().size());
  EXPECT_EQ(found.facts[0].second, servers + " of " + servers + " answer; the cluster has " + servers + " members");
  EXPECT_NE(found.facts[1].second.find(", etcd 3."), std::string::npos) << found.facts[1].second;
  EXPECT_TRUE(found.warnings.empty()) << found.warnings[0];
#if BALLOT_ETCD_SERVERS > 1
  store().follower().kill();
  found = state();
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("does not answer"), std::string::npos) << found.warnings[0];
#endif
}

#if BALLOT_ETCD_SERVERS == 1
TEST_P(Etcd, AStoreThatHasLostWhatItHadAcknowledgedIsReportedAtTheNextRenewal) {
  Candidate& a = join_for("a", 10s);  // in which a server starts
  const auto renew_some = [&] {
    for (int i = 0; i < 3; ++i) {
      const auto renewed = await<backend::Renewed>(a, renew(a), timeout());
      ASSERT_TRUE(renewed && renewed->outcome == StoreResult::done);
      EXPECT_FALSE(renewed->gone_back) << renewed->text;
    }
  };
  renew_some();
  store()[0].kill();
  store()[0].save();
  store().start();
  renew_some();
  store()[0].kill();
  store()[0].restore();
  store().start();
  const auto reported = [&] {
    const auto all = a.events.all<backend::Renewed>(1);
    return std::any_of(all.begin(), all.end(), [](const auto& renewed) { return renewed.gone_back; });
  };
  EXPECT_TRUE(until([&] { return reported() || a.closed(); }, 10s + slack()));
  EXPECT_TRUE(reported()) << (a.closed() ? a.closed()->text : "renewed as if nothing had happened");
}
#endif

#if BALLOT_ETCD_SERVERS > 1
/// A leader of the servers that is cut off from the others goes on answering keep-alives for a while.
// S25 etcd
TEST_P(Etcd, ATermEndsBeforeItsSessionWhereTheServersLeaderIsCutOffFromTheOthers) {
  for (int round = 0; round < 3; ++round) {
    TempFolder state, other;
    testing::EtcdServer& server = store().leader();
    Candidate& a = lead_at(server.address(), "a", state);
    Candidate& b = add_with("b", {{"servers", store().follower().address()}}, other.path());
    open(b);
    ASSERT_TRUE(opened(b));
    b.backend->campaign("g");
    until([] { return false; }, timeout() / 2 + round * 37ms);
    store().cut_off(store().index_of(server));
    EXPECT_TRUE(until([&] { return b.leads("g").has_value() || b.closed(); }, 4 * timeout() + slack()));
    if (b.closed()) lead_again(b, "g");
    EXPECT_GE(now(), deadline(a)) << "before the term that was renewed had to end";
    EXPECT_TRUE(awaits_closed(a, slack()));
    store().heal();
    a.backend.reset();
    b.backend.reset();
    store().start();
  }
}

TEST_P(Etcd, AWatchAtAServerWithoutAQuorumEnds) {
  TempFolder state;
  testing::EtcdServer& follower = store().follower();
  Candidate& a = add_with("a", {{"servers", follower.address()}}, state.path());
  a.generation = 1;
  a.backend->open({1, "a", "boot-1", "machine-1", "host-1", 1, "test", "", 20s});
  ASSERT_TRUE(opened(a));
  watch(a, "q/");
  for (std::size_t i = 0; i < store().size(); ++i)
    if (store()[i].pid() != follower.pid()) store()[i].freeze();
  EXPECT_TRUE(until([&] { return logged(a, "changes are read anew"); }, 10s));
  for (std::size_t i = 0; i < store().size(); ++i) store()[i].thaw();
  store().start();
  const std::size_t seen = changes(a, "q/");
  put("r/q/x", "1");
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen; }, 10s));
}

TEST_P(Etcd, ARollingRestartOfTheServersLosesNeitherGroupNorRegister) {
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
#endif

}  // namespace ballot::conformance
