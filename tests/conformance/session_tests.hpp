// Conformance: opening, renewing, expiring, closing and coming back. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, OpensWithATimeoutAndAnId) {
  Candidate& a = join("a");
  ASSERT_EQ(sessions(a).size(), 1u);
  EXPECT_GE(sessions(a)[0].timeout, 1s);
  EXPECT_FALSE(sessions(a)[0].id.empty());
}

TEST_P(BackendConformance, AnswersEachRenewalOnce) {
  Candidate& a = join("a");
  a.renewing = false;
  for (int i = 0; i < 3; ++i) {
    const auto renewed = await<backend::Renewed>(a, renew(a), timeout());
    ASSERT_TRUE(renewed.has_value());
    EXPECT_EQ(renewed->outcome, StoreResult::done) << renewed->text;
  }
  EXPECT_EQ(a.events.all<backend::Renewed>(a.generation).size(), 3u);
}

TEST_P(BackendConformance, LeadsOnWhileItRenews) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  until([] { return false; }, 2 * a.timeout);
  EXPECT_TRUE(a.leads("g").has_value());
  EXPECT_FALSE(b.leads("g").has_value());
  EXPECT_EQ(a.events.all<backend::Elected>(a.generation).size(), 1u);
}

TEST_P(BackendConformance, EndsASessionThatIsNotRenewedAndSaysSo) {
  Candidate& a = lead("a", "g");
  const SteadyTime renewed = now();
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.renewing = false;
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, a.timeout + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::expired) << a.closed()->text;
  EXPECT_GE(now() - renewed, a.timeout) << "before its time";
  const std::size_t events = a.events.size();
  a.backend->renew(999);
  a.backend->campaign("h");
  a.backend->read(1000, {"j/x"});
  settle();
  EXPECT_EQ(a.events.size(), events) << "something came after SessionClosed";
  EXPECT_TRUE(std::holds_alternative<backend::SessionClosed>(a.events.entries().back().event.what));
}

TEST_P(BackendConformance, AnotherLeadsAfterAnExpiredSession) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  a.renewing = false;
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, a.timeout + slack()));
  EXPECT_GT(b.leads("g").value_or(0), epoch);
}

TEST_P(BackendConformance, BeginsANewTermAfterAnExpiredSession) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.renewing = false;
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, a.timeout + slack()));
  a.renewing = true;
  open(a);
  ASSERT_TRUE(opened(a));
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*a.leads("g"), epoch);
  EXPECT_FALSE(a.events.all<backend::Elected>(a.generation).front().resumed);
}

TEST_P(BackendConformance, SaysNothingAfterItHasClosed) {
  Candidate& a = lead("a", "g");
  a.renewing = false;
  a.backend->close(false);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
  const std::size_t events = a.events.size();
  a.backend->campaign("g");
  a.backend->write(77, {{"g", 1, "j/x", "1", 0}});
  a.backend->list(78, "j/");
  a.backend->resign("g");
  settle();
  EXPECT_EQ(a.events.size(), events);
}

TEST_P(BackendConformance, SaysNothingAfterItsDestructor) {
  Candidate& a = lead("a", "g");
  for (RequestId request = 100; request < 150; ++request) a.backend->read(request, {"j/x"});
  a.backend->campaign("h");
  a.backend.reset();
  const std::size_t events = a.events.size();
  settle();
  EXPECT_EQ(a.events.size(), events);
}

TEST_P(BackendConformance, MarksEachEventWithTheGenerationOfItsSession) {
  Candidate& a = lead("a", "g");
  a.backend->close(false);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.generation = 41;
  open(a);
  ASSERT_TRUE(opened(a));
  a.backend->campaign("g");
  ASSERT_TRUE(until([&] { return a.leads("g").has_value(); }, timeout() + slack()));
  bool second = false;
  for (const auto& entry : a.events.entries()) {
    second = second || entry.event.generation == 42;
    EXPECT_EQ(entry.event.generation, second ? 42u : 1u);
  }
}

TEST_P(BackendConformance, RefusesASecondDaemonOfOneNodeNameAndNamesTheFirst) {
  Candidate& first = lead("a", "g");
  Candidate& second = add("a");
  open(second);
  EXPECT_FALSE(opened(second));
  ASSERT_TRUE(second.closed().has_value());
  EXPECT_EQ(second.closed()->cause, Cause::superseded) << second.closed()->text;
  for (const std::string& part : {std::to_string(first.pid), std::string("host-1")})
    EXPECT_NE(second.closed()->text.find(part), std::string::npos) << second.closed()->text;
  settle();
  EXPECT_TRUE(first.leads("g").has_value());
  EXPECT_FALSE(first.closed().has_value());
}

TEST_P(BackendConformance, ADeadDaemonDoesNotKeepItsNameFromTheNextOne) {
  BALLOT_NEEDS(Ability::crash);
  for (const char* boot_id : {"boot-1", "boot-2"}) {
    Candidate& dead = lead("a", "g");
    ASSERT_TRUE(await<backend::Renewed>(dead, renew(dead), timeout()));
    crash(dead);
    Candidate& next = add("a");
    next.boot_id = boot_id;
    open(next);
    ASSERT_TRUE(until([&] { return !sessions(next).empty() || next.closed(); }, 3 * timeout() + slack()));
    EXPECT_FALSE(next.closed()) << next.closed()->text;
    next.backend->close(false);
    ASSERT_TRUE(until([&] { return next.closed().has_value(); }, timeout() + slack()));
  }
}

TEST_P(BackendConformance, LetsCandidatesOfDifferentGroupsBearOneNameAndShowsThemByIt) {
  const auto open_only = [&](const std::string& group) -> Candidate& {
    Candidate& one = add("a");
    one.only_group = group;
    open(one);
    return one;
  };
  Candidate& first = open_only("g");
  ASSERT_TRUE(opened(first));
  Candidate& second = open_only("h");
  ASSERT_TRUE(opened(second)) << (second.closed() ? second.closed()->text : "no answer");
  first.backend->campaign("g");
  second.backend->campaign("h");
  EXPECT_TRUE(until([&] { return first.leads("g") && second.leads("h"); }, timeout() + slack()));
  for (const char* group : {"g", "h"}) EXPECT_EQ(nodes(first, group), std::vector<std::string>{"a"});
  Candidate& third = open_only("g");
  EXPECT_FALSE(opened(third)) << "of one group there is one";
  ASSERT_TRUE(third.closed().has_value());
  EXPECT_EQ(third.closed()->cause, Cause::superseded) << third.closed()->text;
  EXPECT_NE(third.closed()->text.find("node a is"), std::string::npos) << third.closed()->text;
  EXPECT_NE(third.closed()->text.find(std::to_string(first.pid)), std::string::npos) << third.closed()->text;
}

TEST_P(BackendConformance, FreesANodeNameWhenItsSessionIsClosed) {
  Candidate& first = join("a");
  first.backend->close(false);
  ASSERT_TRUE(until([&] { return first.closed().has_value(); }, timeout() + slack()));
  Candidate& second = add("a");
  open(second);
  EXPECT_TRUE(opened(second));
}

TEST_P(BackendConformance, GoesOnWithItsTermsAfterAKeptClose) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
  a.backend.reset();
  Candidate& back = lead("a", "g");
  EXPECT_EQ(back.leads("g"), epoch);
  EXPECT_TRUE(back.events.all<backend::Elected>(1).front().resumed);
  EXPECT_EQ(write(back, {"g", epoch, "j/x", "1", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, OfACandidateOfOneGroupGoesOnWithItsOwnTermAlone) {
  BALLOT_NEEDS(Ability::resume);
  for (const char* group : {"g", "h"}) {
    Candidate& one = add("a");
    one.only_group = group;
    open(one);
    ASSERT_TRUE(opened(one));
    one.backend->campaign(group);
    ASSERT_TRUE(until([&] { return one.leads(group).has_value(); }, timeout() + slack()));
  }
  Candidate &g = candidates_.front(), &h = candidates_.back();
  const std::uint64_t epoch = *g.leads("g");
  g.backend->close(true);
  ASSERT_TRUE(until([&] { return g.closed().has_value(); }, timeout() + slack()));
  g.backend.reset();
  Candidate& back = add("a");
  back.only_group = "g";
  open(back);
  ASSERT_TRUE(opened(back));
  back.backend->campaign("g");
  ASSERT_TRUE(until([&] { return back.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_EQ(back.leads("g"), epoch);
  EXPECT_TRUE(h.leads("h").has_value());
  EXPECT_FALSE(h.closed().has_value());
}

/// Somebody else leaves on behalf of the session before.
TEST_P(BackendConformance, GoesOnWithNothingWhereItIsToBeginAnew) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  Candidate& back = add("a");
  back.anew = true;
  open(back);
  ASSERT_TRUE(opened(back)) << "it waits for nobody: " << (back.closed() ? back.closed()->text : "no answer");
  back.backend->campaign("g");
  ASSERT_TRUE(until([&] { return back.leads("g").has_value(); }, 2 * timeout() + slack()));
  EXPECT_GT(*back.leads("g"), epoch);
  EXPECT_FALSE(back.events.all<backend::Elected>(1).front().resumed);
  if (fenced(back)) {
    EXPECT_EQ(write(back, {"g", epoch, "j/x", "1", 0}).outcome, StoreResult::not_leader) << "the term before is over";
  }
  EXPECT_EQ(write(back, {"g", *back.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
}

TEST_P(BackendConformance, BeginsANewTermWhenItIsBackOnlyAfterItsDeadline) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  const SteadyTime closed = now();
  a.backend.reset();
  until([] { return false; }, 2 * timeout());
  Candidate& back = lead("a", "g");
  EXPECT_GT(back.leads("g").value_or(0), epoch);
  const auto elected = back.events.all<backend::Elected>(1).front();
  EXPECT_FALSE(elected.resumed);
  EXPECT_LE(elected.old_deadline.value_or(closed), closed + a.timeout + slack());
}

TEST_P(BackendConformance, BeginsANewTermWhenItCampaignsOnlyAfterItsDeadline) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  Candidate& back = join("a");
  until([] { return false; }, 2 * timeout());
  back.backend->campaign("g");
  ASSERT_TRUE(until([&] { return back.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*back.leads("g"), epoch);
  EXPECT_FALSE(back.events.all<backend::Elected>(1).front().resumed);
}

TEST_P(BackendConformance, BeginsANewTermWhenItsMachineHasRebooted) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  Candidate& back = add("a");
  back.boot_id = "boot-2";
  open(back);
  ASSERT_TRUE(opened(back));
  back.backend->campaign("g");
  ASSERT_TRUE(until([&] { return back.leads("g").has_value(); }, 2 * timeout() + slack()));
  EXPECT_GT(*back.leads("g"), epoch);
  const auto elected = back.events.all<backend::Elected>(1).front();
  EXPECT_FALSE(elected.resumed);
  EXPECT_FALSE(elected.old_deadline.has_value()) << "a deadline of another boot means nothing";
}

TEST_P(BackendConformance, TheStoresClockIsReadAnewWithEachRenewalWhereItHasOne) {
  constexpr Millis tolerance{1000};  // servers and tests have one clock
  Candidate& a = join("a");
  for (int i = 0; i < 3; ++i) {
    until([] { return false; }, timeout() / 4);
    const WallTime before = cluster_->wall();
    const auto renewed = await<backend::Renewed>(a, renew(a), timeout());
    ASSERT_TRUE(renewed);
    ASSERT_EQ(renewed->outcome, StoreResult::done) << renewed->text;
    EXPECT_TRUE(renewed->store_clock || !cluster_->has_clock());
    if (!renewed->store_clock) continue;
    EXPECT_GE(*renewed->store_clock, before - tolerance);
    EXPECT_LE(*renewed->store_clock, cluster_->wall() + tolerance);
  }
}

}  // namespace ballot::conformance
