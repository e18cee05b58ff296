// Conformance: crashed, frozen and separated candidates, and a server that restarts, as far as the cluster can cause
// them. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, HandsOverWithinItsTimeWhenTheLeaderCrashes) {
  BALLOT_NEEDS(Ability::crash);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const SteadyTime killed = now();
  crash(a);
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, cluster_->crash_handover()));
  EXPECT_GT(*b.leads("g"), epoch);
  const auto elected = b.events.all<backend::Elected>(b.generation).front();
  if (!can(Ability::free_at_death)) return;  // the store had ended its session first
  ASSERT_TRUE(elected.old_deadline.has_value()) << "the old term ran on this boot and did not end";
  EXPECT_GE(*elected.old_deadline, a.renewed);
  EXPECT_LE(*elected.old_deadline, killed + a.timeout + slack());
}

TEST_P(BackendConformance, TellsOfADeadlineThatATermInBetweenHasNotOutlasted) {
  BALLOT_NEEDS(Ability::crash);
  BALLOT_NEEDS(Ability::free_at_death);
  Candidate& b = follow_crashed_leader("b", "g");
  const auto deadline = b.events.all<backend::Elected>(b.generation).at(0).old_deadline;
  ASSERT_TRUE(deadline.has_value());
  Candidate& c = join("c");
  c.backend->campaign("g");
  b.backend->resign("g");
  ASSERT_TRUE(until([&] { return c.leads("g").has_value(); }, timeout() + slack()));
  const auto elected = c.events.all<backend::Elected>(c.generation).front();
  ASSERT_TRUE(elected.old_deadline.has_value()) << "runs of the first term may go on until then";
  EXPECT_EQ(elected.old_deadline, deadline);
}

TEST_P(BackendConformance, TellsATermThatGoesOnAfterACrashOfTheDeadlineBeforeIt) {
  BALLOT_NEEDS(Ability::crash);
  BALLOT_NEEDS(Ability::resume);
  BALLOT_NEEDS(Ability::free_at_death);
  Candidate& b = follow_crashed_leader("b", "g");
  const auto deadline = b.events.all<backend::Elected>(b.generation).at(0).old_deadline;
  ASSERT_TRUE(deadline.has_value());
  crash(b);
  Candidate& back = lead("b", "g");
  const auto elected = back.events.all<backend::Elected>(1).front();
  ASSERT_TRUE(elected.resumed);
  ASSERT_TRUE(elected.old_deadline.has_value()) << "runs of the first term may go on until then";
  EXPECT_EQ(elected.old_deadline, deadline);
}

TEST_P(BackendConformance, GoesOnWithItsTermsAfterACrash) {
  BALLOT_NEEDS(Ability::crash);
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  crash(a);
  Candidate& back = lead("a", "g");
  EXPECT_EQ(back.leads("g"), epoch);
  EXPECT_TRUE(back.events.all<backend::Elected>(1).front().resumed);
}

TEST_P(BackendConformance, KeepsWhatWasAcknowledgedBeforeACrash) {
  BALLOT_NEEDS(Ability::crash);
  Candidate& a = lead("a", "g");
  const WriteAnswer wrote = write(a, {"g", *a.leads("g"), "j/x", "kept", 0});
  ASSERT_EQ(wrote.outcome, StoreResult::done);
  crash(a);
  const auto found = read(join("b"), {"j/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, "kept");
  EXPECT_EQ(found[0].version, wrote.version);
}

TEST_P(BackendConformance, ALeaderThatWasFrozenBeyondItsTimeoutIsNotLeadingWhenItWakes) {
  BALLOT_NEEDS(Ability::freeze);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  a.renewing = false;
  cluster_->freeze(*a.backend);
  until([] { return false; }, 2 * a.timeout);
  cluster_->thaw(*a.backend);
  EXPECT_TRUE(until([&] { return a.closed().has_value(); }, slack()));
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*b.leads("g"), epoch);
  EXPECT_EQ(write(b, {"g", *b.leads("g"), "j/x", "new", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, AnotherLeadsPastTheDeadlineOfAFrozenLeaderThatStaysFrozen) {
  BALLOT_NEEDS(Ability::freeze);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  const SteadyTime renewed = a.renewed;
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  a.renewing = false;
  cluster_->freeze(*a.backend);
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * a.timeout + slack())) << "the frozen one keeps it";
  EXPECT_GE(now() - renewed, a.timeout - std::max<Millis>(a.timeout / 10, 500ms)) << "before its time";
  EXPECT_GT(*b.leads("g"), epoch);
  EXPECT_EQ(write(b, {"g", *b.leads("g"), "j/x", "new", 0}).outcome, StoreResult::done);
  cluster_->thaw(*a.backend);
  EXPECT_TRUE(until([&] { return a.closed().has_value(); }, slack())) << "its session does not go on";
  EXPECT_FALSE(a.leads("g").has_value());
  open(a);
  ASSERT_TRUE(opened(a)) << a.closed()->text;
  a.renewing = true;
  a.backend->campaign("g");
  settle();
  EXPECT_FALSE(a.leads("g").has_value()) << "its old term is over";
  b.backend->resign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*a.leads("g"), epoch + 1);
}

TEST_P(BackendConformance, ARenewalPastTheDeadlineIsNotConfirmed) {
  BALLOT_NEEDS(Ability::freeze);
  Candidate& a = lead("a", "g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.renewing = false;
  const std::size_t before = a.events.all<backend::Renewed>(a.generation).size();
  cluster_->freeze(*a.backend);
  until([] { return false; }, 2 * a.timeout);
  renew(a);  // waits in its queue until it goes on
  cluster_->thaw(*a.backend);
  EXPECT_TRUE(until([&] { return a.closed().has_value(); }, slack()));
  EXPECT_EQ(a.events.all<backend::Renewed>(a.generation).size(), before);
}

TEST_P(BackendConformance, ALeaderThatIsCutOffIsFollowedAndItsWritesDoNotLand) {
  BALLOT_NEEDS(Ability::cut);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  cluster_->cut(*a.backend);
  a.backend->write(500, {{"g", epoch, "j/x", "old", 0}});
  ASSERT_TRUE(until([&] { return b.leads("g").has_value(); }, 2 * a.timeout + slack()));
  const WriteAnswer wrote = write(b, {"g", *b.leads("g"), "j/x", "new", 0});
  ASSERT_EQ(wrote.outcome, StoreResult::done);
  cluster_->heal(*a.backend);
  EXPECT_TRUE(until([&] { return a.closed().has_value(); }, a.timeout + slack())) << "its session is gone";
  const auto found = read(b, {"j/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, "new");
}

TEST_P(BackendConformance, ComesBackAfterItWasCutOff) {
  BALLOT_NEEDS(Ability::cut);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  cluster_->cut(*a.backend);
  until([] { return false; }, 2 * a.timeout);
  cluster_->heal(*a.backend);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, a.timeout + slack()));
  open(a);
  ASSERT_TRUE(opened(a));
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*a.leads("g"), epoch);
}

TEST_P(BackendConformance, SaysSoWhenTheStoreEndsASession) {
  BALLOT_NEEDS(Ability::expire);
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  cluster_->expire(*a.backend);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::expired) << a.closed()->text;
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
}

TEST_P(BackendConformance, TellsOfAnOutageUnderHoldWhileItLasts) {
  BALLOT_NEEDS(Ability::hold);
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  const auto outages = [](const Candidate& one) { return one.events.all<backend::Outage>(one.generation); };
  until([] { return false; }, a.timeout);
  EXPECT_TRUE(outages(a).empty()) << "there was none";
  cluster_->lose_quorum();
  const SteadyTime lost = now();
  while (now() < lost + 2 * a.timeout) {
    const std::size_t seen = outages(a).size();
    ASSERT_TRUE(until([&] { return outages(a).size() > seen; }, a.timeout / 6 + slack()));
    EXPECT_LE(outages(a).back().asked, now());
  }
  EXPECT_FALSE(outages(b).empty()) << "everyone with a session is notified";
  EXPECT_TRUE(a.leads("g")) << (a.closed() ? a.closed()->text : "");
  cluster_->restart();
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout() + slack()));
  settle();
  const std::size_t seen = outages(a).size();
  until([] { return false; }, a.timeout);
  EXPECT_EQ(outages(a).size(), seen) << "it is over";
  EXPECT_TRUE(a.leads("g"));
}

TEST_P(BackendConformance, WhatCannotDetectAnOutageRefusesToHold) {
  if (can(Ability::hold)) GTEST_SKIP() << GetParam().name << " detects outages";
  const auto refusal = cluster_->refusal_to_hold();
  if (!refusal) GTEST_SKIP() << GetParam().name << " is no plugin";
  EXPECT_NE(refusal->find("on_outage = \"hold\""), std::string::npos) << *refusal;
}

TEST_P(BackendConformance, KeepsRegistersAndEpochsOverARestartOfTheServer) {
  BALLOT_NEEDS(Ability::restart);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_EQ(write(a, {"g", epoch, "j/x", "kept", 0}).outcome, StoreResult::done);
  cluster_->restart();
  until([&] { return a.closed().has_value(); }, 2 * timeout());
  if (a.closed()) {
    open(a);
    ASSERT_TRUE(opened(a)) << a.closed()->text;
    a.backend->campaign("g");
  }
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GE(*a.leads("g"), epoch);
  const auto found = read(a, {"j/x"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, "kept");
}

}  // namespace ballot::conformance
