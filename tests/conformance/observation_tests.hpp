// Conformance: elections as they are seen, and ended, by anybody. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, ObservesTheLeaderFirstAndEveryCandidateWithWhatItSaidOfItself) {
  Candidate& b = join("b");
  Candidate& a = lead("a", "g");
  b.backend->campaign("g");
  settle();
  const auto seen = observe(b, "g");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].group, "g");
  EXPECT_EQ(seen[0].epoch, *a.leads("g"));
  ASSERT_EQ(seen[0].candidates.size(), 2u);
  const auto& leader = seen[0].candidates[0];
  EXPECT_TRUE(leader.leads);
  EXPECT_EQ(leader.id, sessions(a)[0].id);
  EXPECT_EQ(leader.node, "a");
  EXPECT_EQ(leader.machine_id, "machine-1");
  EXPECT_EQ(leader.boot_id, "boot-1");
  EXPECT_EQ(leader.host, "host-1");
  EXPECT_EQ(leader.version, "test");
  EXPECT_EQ(leader.control, "/run/a/control");
  EXPECT_EQ(leader.pid, a.pid);
  EXPECT_EQ(leader.timeout, a.timeout);
  EXPECT_GT(leader.since, WallTime{});
  const auto& other = seen[0].candidates[1];
  EXPECT_FALSE(other.leads);
  EXPECT_EQ(other.node, "b");
  EXPECT_EQ(other.id, sessions(b)[0].id);
}

TEST_P(BackendConformance, LeavesOutAGroupThatNeverWasAndKeepsTheEpochOfOneThatWas) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  EXPECT_TRUE(observe(a, "never").empty());
  a.backend->resign("g");
  ASSERT_TRUE(until([&] { return !a.leads("g"); }, timeout()));
  const auto seen = observe(a, "g");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].epoch, epoch);
  EXPECT_TRUE(seen[0].candidates.empty());
}

TEST_P(BackendConformance, ObservesAllGroups) {
  Candidate& a = lead("a", "g");
  Candidate& b = lead("b", "h");
  b.backend->campaign("g");
  settle();
  const auto seen = observe(a, "");
  ASSERT_EQ(seen.size(), 2u);
  for (const Election& election : seen) {
    const bool g = election.group == "g";
    EXPECT_EQ(election.candidates.size(), g ? 2u : 1u) << election.group;
    EXPECT_EQ(election.candidates.at(0).node, g ? "a" : "b");
    EXPECT_TRUE(election.candidates.at(0).leads);
    EXPECT_EQ(election.epoch, g ? *a.leads("g") : *b.leads("h"));
  }
}

TEST_P(BackendConformance, DoesNotShowWhoHasLeft) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  Candidate& c = join("c");
  b.backend->campaign("g");
  c.backend->campaign("g");
  settle();
  EXPECT_EQ(nodes(a, "g").size(), 3u);
  b.backend->resign("g");
  settle();
  EXPECT_EQ(nodes(a, "g").size(), 2u);
  c.backend->close(false);
  EXPECT_TRUE(until([&] { return c.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(nodes(a, "g"), std::vector<std::string>{"a"});
}

TEST_P(BackendConformance, DoesNotShowACrashedCandidateForLong) {
  BALLOT_NEEDS(Ability::crash);
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  crash(b);
  const SteadyTime end = now() + timeout() + slack();
  while (nodes(a, "g").size() > 1 && now() < end) until([] { return false; }, timeout() / 8);
  EXPECT_EQ(nodes(a, "g"), std::vector<std::string>{"a"});
}

TEST_P(BackendConformance, AnObserverSeesEverythingAndDisturbsNobody) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_EQ(write(a, {"g", epoch, "j/x", "1", 0}).outcome, StoreResult::done);
  Candidate& observer = add_observer("a");  // of the daemon's own node
  EXPECT_EQ(nodes(observer, "g"), std::vector<std::string>{"a"});
  EXPECT_EQ(list(observer, "j/").size(), 1u);
  EXPECT_EQ(create(observer, {"q/x", "asked"}), StoreResult::done);
  EXPECT_EQ(read(a, {"q/x"}).size(), 1u);
  observer.backend->campaign("g");
  observer.backend->campaign("h");
  EXPECT_EQ(write(observer, {"g", epoch, "j/x", "2", 0}).outcome, StoreResult::not_leader);
  until([] { return false; }, 2 * timeout());
  EXPECT_FALSE(observer.closed()) << "it need not be renewed";
  EXPECT_EQ(remove(observer, "q/x"), StoreResult::done);
  EXPECT_TRUE(observer.events.all<backend::Elected>(1).empty());
  EXPECT_EQ(nodes(a, ""), std::vector<std::string>{"a"});
  EXPECT_EQ(a.leads("g"), epoch);
  observer.backend->close(false);
  EXPECT_TRUE(until([&] { return observer.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(a.leads("g"), epoch);
}

TEST_P(BackendConformance, AnObserverOfANamespaceThatNobodyUsedFindsNothing) {
  Candidate& observer = add_observer("a");
  EXPECT_TRUE(observe(observer, "").empty());
  EXPECT_TRUE(observe(observer, "g").empty());
  EXPECT_TRUE(list(observer, "").empty());
  EXPECT_EQ(remove(observer, "q/x"), StoreResult::done);
  EXPECT_EQ(evict(observer, "g"), StoreResult::conflict);
  const auto renewed = await<backend::Renewed>(observer, renew(observer), timeout());
  EXPECT_TRUE(renewed && renewed->outcome == StoreResult::done);
  watch(observer, "q/");
  const std::size_t seen = changes(observer, "q/");
  Candidate& a = lead("a", "g");
  ASSERT_EQ(create(a, {"q/x", "1"}), StoreResult::done);
  EXPECT_TRUE(until([&] { return changes(observer, "q/") > seen; }, timeout()));
  EXPECT_EQ(list(observer, "q/").size(), 1u);
  EXPECT_EQ(nodes(observer, ""), std::vector<std::string>{"a"});
}

TEST_P(BackendConformance, AnEvictedLeaderIsDeposedAndWritesNoMore) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& observer = add_observer("o");
  ASSERT_EQ(evict(observer, "g"), StoreResult::done);
  if (fenced(a)) {
    EXPECT_EQ(write(a, {"g", epoch, "j/x", "late", 0}).outcome, StoreResult::not_leader);
  }
  ASSERT_TRUE(until([&] { return !a.events.all<backend::Deposed>(1).empty(); }, timeout()));
  const auto deposed = a.events.all<backend::Deposed>(1).front();
  EXPECT_EQ(deposed.epoch, epoch);
  EXPECT_EQ(deposed.cause, Cause::evicted);
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack())) << "it still takes part";
  EXPECT_GT(*a.leads("g"), epoch);
  if (fenced(a)) {
    EXPECT_EQ(write(a, {"g", epoch, "j/x", "late", 0}).outcome, StoreResult::not_leader);
  }
  EXPECT_EQ(write(a, {"g", *a.leads("g"), "j/x", "new", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, AnEvictedLeaderIsFollowedByAnotherCandidate) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  ASSERT_EQ(evict(a, "g"), StoreResult::done) << "also by itself";
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout()));
  EXPECT_GT(*b.leads("g"), epoch);
  EXPECT_TRUE(b.events.all<backend::Elected>(1).front().old_deadline.has_value()) << "its runs may go on until then";
  settle();
  EXPECT_FALSE(a.leads("g").has_value());
  EXPECT_EQ(nodes(a, "g"), (std::vector<std::string>{"b", "a"}));
  b.backend->resign("g");
  EXPECT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
}

TEST_P(BackendConformance, AnEvictedLeaderThatResignsIsOut) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(evict(a, "g"), StoreResult::done);
  ASSERT_TRUE(until([&] { return !a.events.all<backend::Deposed>(1).empty(); }, timeout()));
  a.backend->resign("g");
  settle();
  EXPECT_FALSE(a.leads("g").has_value());
  EXPECT_TRUE(nodes(a, "g").empty());
}

TEST_P(BackendConformance, ThereIsNothingToEvictWhereNobodyLeads) {
  Candidate& a = lead("a", "g");
  EXPECT_EQ(evict(a, "never"), StoreResult::conflict);
  a.backend->resign("g");
  ASSERT_TRUE(until([&] { return !a.leads("g"); }, timeout()));
  EXPECT_EQ(evict(a, "g"), StoreResult::conflict);
  EXPECT_EQ(a.events.all<backend::Deposed>(1).size(), 1u);
}

}  // namespace ballot::conformance
