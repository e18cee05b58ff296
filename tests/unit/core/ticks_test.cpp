#include "core/candidate/ticks.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A schedule of every ten seconds, led in epoch 3 from 12:00:05 on.
struct TicksOfTenSeconds : ::testing::Test {
  static schedule::Plan plan(const std::string& expression) {
    return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {expression}}));
  }
  Ticks ticks{plan("*/10 * * * * *"), "g", "n1"};
  RequestId last = 0;
  Actions out;

  static WallTime wall(Millis t) { return WallTime(std::chrono::sys_days(std::chrono::year(2025) / 3 / 9)) + 12h + t; }
  static Now at(Millis t) { return {wall(t), SteadyTime(t)}; }

  template <class Kind>
  const Kind* sent() const {
    return out.empty() ? nullptr : std::get_if<Kind>(&out.back());
  }
  const RegisterWrite& write() const { return sent<Write>()->batch.at(0); }
  std::optional<WallTime> read(Millis t, std::optional<TickRegister> found, std::uint64_t version = 5) {
    backend::ReadDone done{last, StoreResult::done, {}, ""};
    if (found) done.registers.push_back({"t/g", to_text(*found), version});
    out.clear();
    return ticks.on(at(t), done, last, out);
  }
  std::optional<WallTime> answer(Millis t, StoreResult outcome, std::uint64_t version = 6) {
    out.clear();
    return ticks.on(at(t), backend::Wrote{last, {{outcome, version, ""}}}, last, out);
  }
  void lead(WallTime cursor) {
    ticks.lead(3, last, out);
    read(5s, TickRegister{cursor, "", "n0", {}, {}});
  }
};

TEST_F(TicksOfTenSeconds, BeginWithTheFirstLeaderAndOweNothingBefore) {
  ticks.lead(3, last, out);
  ASSERT_TRUE(sent<Read>());
  EXPECT_EQ(sent<Read>()->names, std::vector<std::string>{"t/g"});
  read(5s, std::nullopt);
  ASSERT_TRUE(sent<Write>()) << "so that the next leader knows what is due";
  EXPECT_EQ(write().version, 0u);
  EXPECT_EQ(write().epoch, 3u);
  EXPECT_FALSE(answer(5s, StoreResult::done, 1));
  EXPECT_EQ(ticks.state(), Ticks::State::ready);
  EXPECT_FALSE(ticks.look(at(9s)).due);
  EXPECT_EQ(ticks.look(at(9s)).next, wall(10s));
  EXPECT_EQ(ticks.look(at(10s)).due, wall(10s));
}

TEST_F(TicksOfTenSeconds, FindTheTickThatFellIntoAnElection) {
  lead(wall(-10s));
  const Ticks::Look look = ticks.look(at(5s));
  EXPECT_EQ(look.due, wall(0s));
  EXPECT_TRUE(look.passed.empty());
}

TEST_F(TicksOfTenSeconds, OweTheNewestOfSeveralAndNameTheOthers) {
  lead(wall(-30s));
  const Ticks::Look look = ticks.look(at(5s));
  EXPECT_EQ(look.due, wall(0s));
  EXPECT_EQ(look.passed, (std::vector<WallTime>{wall(-20s), wall(-10s)}));
  EXPECT_FALSE(look.passed_more);
}

TEST_F(TicksOfTenSeconds, OweNothingThatIsOlderThanFiveMinutes) {
  lead(wall(-24h));
  const Ticks::Look look = ticks.look(at(5s));
  EXPECT_EQ(look.due, wall(0s));
  EXPECT_EQ(look.passed.size(), 29u);
  EXPECT_TRUE(look.passed_more);
}

TEST_F(TicksOfTenSeconds, AreClaimedOverTheVersionReadAndConfirmedByTheStoreAlone) {
  lead(wall(-10s));
  ticks.claim(wall(0s), "run-1", last, out);
  EXPECT_EQ(write().version, 5u);
  EXPECT_EQ(ticks.state(), Ticks::State::writing);
  EXPECT_EQ(answer(5100ms, StoreResult::done), wall(0s));
  EXPECT_FALSE(ticks.look(at(6s)).due) << "it is settled";
}

TEST_F(TicksOfTenSeconds, AreNotClaimedWhereAnotherTermHasThem) {
  lead(wall(-10s));
  ticks.claim(wall(0s), "run-1", last, out);
  EXPECT_FALSE(answer(5100ms, StoreResult::conflict));
  ASSERT_TRUE(sent<Read>());
  EXPECT_FALSE(read(5200ms, TickRegister{wall(0s), "run-2", "n2", {}, {}}, 6));
  EXPECT_EQ(ticks.state(), Ticks::State::ready);
  EXPECT_FALSE(ticks.look(at(6s)).due);
}

TEST_F(TicksOfTenSeconds, RepeatTheIdenticalClaimWhereItsOutcomeIsUnknownAndFindItDone) {
  lead(wall(-10s));
  ticks.claim(wall(0s), "run-1", last, out);
  const std::string text = write().value;
  EXPECT_FALSE(answer(5100ms, StoreResult::unknown));
  ASSERT_TRUE(ticks.wake());
  ticks.on_time(at(5300ms), last, out);
  ASSERT_TRUE(sent<Write>());
  EXPECT_EQ(write().value, text);
  EXPECT_EQ(write().version, 5u);
  EXPECT_FALSE(answer(5400ms, StoreResult::conflict));
  ASSERT_TRUE(sent<Read>());
  EXPECT_EQ(read(5500ms, *parse_tick_register(text), 6), wall(0s)) << "the first one had landed";
}

TEST_F(TicksOfTenSeconds, AreNotTakenForClaimedWhereAnUnknownClaimDidNotLand) {
  lead(wall(-10s));
  ticks.claim(wall(0s), "run-1", last, out);
  answer(5100ms, StoreResult::unknown);
  ticks.on_time(at(5300ms), last, out);
  answer(5400ms, StoreResult::not_leader);
  ASSERT_TRUE(sent<Read>());
  EXPECT_FALSE(read(5500ms, TickRegister{wall(-10s), "", "n0", {}, {}}, 5));
  EXPECT_EQ(ticks.look(at(6s)).due, wall(0s)) << "whoever leads next finds it";
}

TEST_F(TicksOfTenSeconds, AreSkippedWithoutAChild) {
  lead(wall(-10s));
  ticks.skip(wall(0s), last, out);
  EXPECT_FALSE(answer(5100ms, StoreResult::done)) << "no claim is confirmed";
  EXPECT_FALSE(ticks.look(at(6s)).due);
}

TEST_F(TicksOfTenSeconds, HearNothingOnceTheTermIsOver) {
  lead(wall(-10s));
  ticks.claim(wall(0s), "run-1", last, out);
  ticks.drop();
  EXPECT_FALSE(answer(5100ms, StoreResult::done));
  EXPECT_EQ(ticks.state(), Ticks::State::idle);
}

TEST_F(TicksOfTenSeconds, AreNotTouchedWhereTheirRegisterIsOfANewerFormat) {
  ticks.lead(3, last, out);
  backend::ReadDone done{last, StoreResult::done, {{"t/g", "ballot 2\n", 5}}, ""};
  out.clear();
  EXPECT_FALSE(ticks.on(at(5s), done, last, out));
  EXPECT_TRUE(out.empty());
  EXPECT_NE(ticks.trouble(), "");
}

TEST_F(TicksOfTenSeconds, KeepThePhaseOfEveryOverLeaders) {
  Ticks every(plan("@every 7s"), "g", "n1");
  every.lead(4, last, out);
  backend::ReadDone done{
      last, StoreResult::done, {{"t/g", to_text({wall(7s), "", "n0", {{"@every 7s", wall(0s)}}, {}}), 5}}, ""};
  out.clear();
  every.on(at(13s), done, last, out);
  EXPECT_FALSE(every.look(at(13s)).due);
  EXPECT_EQ(every.look(at(13s)).next, wall(14s));
}

TEST_F(TicksOfTenSeconds, RememberWhereAnEveryThatIsNewCountsFrom) {
  Ticks every(plan("@every 7s"), "g", "n1");
  every.lead(4, last, out);
  backend::ReadDone done{last, StoreResult::done, {{"t/g", to_text({wall(7s), "run-1", "n0", {}, {}}), 5}}, ""};
  out.clear();
  every.on(at(13s), done, last, out);
  ASSERT_TRUE(sent<Write>());
  const auto written = parse_tick_register(write().value);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->anchors, (std::vector<Anchor>{{"@every 7s", wall(13s)}}));
  EXPECT_FALSE(every.on(at(13s), backend::Wrote{last, {{StoreResult::done, 6, ""}}}, last, out)) << "no claim";
}

TEST(TickRegister, ReadsWhatItWritesAndKeepsWhatItDoesNotKnow) {
  const TickRegister full{WallTime(1234567ms), "01a1", "n1", {{"@every 1m", WallTime(99ms)}}, {"colour green"}};
  const auto read = parse_tick_register(to_text(full));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, full);
}

}  // namespace
}  // namespace ballot::core
