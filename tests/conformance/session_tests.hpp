// Conformance: opening, renewing, expiring, closing and coming back. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_conformance.hpp"

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
    EXPECT_EQ(renewed->outcome, Outcome::done) << renewed->text;
  }
  EXPECT_EQ(a.told.all<backend::Renewed>(a.generation).size(), 3u);
}

TEST_P(BackendConformance, LeadsOnWhileItRenews) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  until([] { return false; }, 2 * a.timeout);
  EXPECT_TRUE(a.leads("g").has_value());
  EXPECT_FALSE(b.leads("g").has_value());
  EXPECT_EQ(a.told.all<backend::Elected>(a.generation).size(), 1u);
}

TEST_P(BackendConformance, EndsASessionThatIsNotRenewedAndSaysSo) {
  Candidate& a = lead("a", "g");
  const SteadyTime renewed = now();
  ASSERT_TRUE(await<backend::Renewed>(a, renew(a), timeout()));
  a.renewing = false;
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, a.timeout + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::expired) << a.closed()->text;
  EXPECT_GE(now() - renewed, a.timeout) << "before its time";
  const std::size_t events = a.told.size();
  a.backend->renew(999);
  a.backend->campaign("h");
  a.backend->read(1000, {"j/x"});
  settle();
  EXPECT_EQ(a.told.size(), events) << "something came after SessionClosed";
  EXPECT_TRUE(std::holds_alternative<backend::SessionClosed>(a.told.entries().back().event.what));
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
  EXPECT_FALSE(a.told.all<backend::Elected>(a.generation).front().resumed);
}

TEST_P(BackendConformance, SaysNothingAfterItHasClosed) {
  Candidate& a = lead("a", "g");
  a.renewing = false;
  a.backend->close(false);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::shutdown);
  const std::size_t events = a.told.size();
  a.backend->campaign("g");
  a.backend->write(77, {{"g", 1, "j/x", "1", 0}});
  a.backend->list(78, "j/");
  a.backend->resign("g");
  settle();
  EXPECT_EQ(a.told.size(), events);
}

TEST_P(BackendConformance, SaysNothingAfterItsDestructor) {
  Candidate& a = lead("a", "g");
  for (RequestId request = 100; request < 150; ++request) a.backend->read(request, {"j/x"});
  a.backend->campaign("h");
  a.backend.reset();
  const std::size_t events = a.told.size();
  settle();
  EXPECT_EQ(a.told.size(), events);
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
  for (const auto& entry : a.told.entries()) {
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
  EXPECT_NE(second.closed()->text.find(std::to_string(first.pid)), std::string::npos) << second.closed()->text;
  settle();
  EXPECT_TRUE(first.leads("g").has_value());
  EXPECT_FALSE(first.closed().has_value());
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
  EXPECT_TRUE(back.told.all<backend::Elected>(1).front().resumed);
  EXPECT_EQ(write(back, {"g", epoch, "j/x", "1", 0}).outcome, Outcome::done);
}

TEST_P(BackendConformance, BeginsANewTermWhenItIsBackOnlyAfterItsDeadline) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  const SteadyTime closed = now();
  a.backend.reset();
  until([] { return false; }, timeout() + slack());
  Candidate& back = lead("a", "g");
  EXPECT_GT(back.leads("g").value_or(0), epoch);
  const auto elected = back.told.all<backend::Elected>(1).front();
  EXPECT_FALSE(elected.resumed);
  ASSERT_TRUE(elected.old_deadline.has_value());
  EXPECT_LE(*elected.old_deadline, closed + a.timeout + slack());
}

TEST_P(BackendConformance, BeginsANewTermWhenItCampaignsOnlyAfterItsDeadline) {
  BALLOT_NEEDS(Ability::resume);
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  a.backend->close(true);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  a.backend.reset();
  Candidate& back = join("a");
  until([] { return false; }, timeout() + slack());
  back.backend->campaign("g");
  ASSERT_TRUE(until([&] { return back.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_GT(*back.leads("g"), epoch);
  EXPECT_FALSE(back.told.all<backend::Elected>(1).front().resumed);
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
  const auto elected = back.told.all<backend::Elected>(1).front();
  EXPECT_FALSE(elected.resumed);
  EXPECT_FALSE(elected.old_deadline.has_value()) << "a deadline of another boot means nothing";
}

}  // namespace ballot::conformance
