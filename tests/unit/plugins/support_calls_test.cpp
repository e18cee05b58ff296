// What every plugin's thread is built on: how it is woken, what waits for it, and what a call is refused with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "support/calls.hpp"
#include "support/clock.hpp"
#include "support/descriptor.hpp"
#include "support/join.hpp"
#include "support/mailbox.hpp"
#include "support/wakeup.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

TEST(Wakeup, AWakeBeforeTheWaitCounts) {
  Wakeup wakeup;
  wakeup.wake();
  EXPECT_FALSE(wakeup.wait(std::nullopt)) << "it was woken, by no descriptor";
}

TEST(Wakeup, WaitsUntilItsTimeAlsoWhereThatIsPast) {
  Wakeup wakeup;
  const SteadyTime began = boot_now();
  EXPECT_FALSE(wakeup.wait(began + 20ms));
  EXPECT_GE(boot_now(), began + 20ms);
  EXPECT_FALSE(wakeup.wait(began - 1s));
  EXPECT_FALSE(wakeup.wait(SteadyTime()));
}

TEST(Wakeup, WakesForADescriptorThatIsReadable) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor in(ends[0]), out(ends[1]);
  Wakeup wakeup;
  EXPECT_FALSE(wakeup.wait(boot_now(), {in.get()}));
  ASSERT_EQ(::write(out.get(), "x", 1), 1);
  EXPECT_TRUE(wakeup.wait(std::nullopt, {in.get()}));
}

TEST(Mailbox, KeepsTheOrderAndWakesWhoeverWaitsForAnyOfThem) {
  const auto wakeup = std::make_shared<Wakeup>();
  Mailbox<int> numbers(wakeup);
  Mailbox<std::string> texts(wakeup);
  std::thread other([&] {
    numbers.push(1);
    numbers.push(2);
  });
  wakeup->wait(std::nullopt);
  other.join();
  EXPECT_EQ(numbers.take(), (std::vector{1, 2}));
  EXPECT_TRUE(numbers.take().empty());
  texts.push("a");
  wakeup->wait(std::nullopt);
  EXPECT_EQ(texts.take(), std::vector<std::string>{"a"});
}

TEST(Calls, AreRefusedWithAnAnswerForEachPartOfThem) {
  const auto written = refusal(WriteCall{7, {{}, {}}}, StoreResult::failed, "no");
  ASSERT_TRUE(written);
  const auto& wrote = std::get<backend::Wrote>(*written);
  EXPECT_EQ(wrote.request, 7u);
  ASSERT_EQ(wrote.answers.size(), 2u);
  EXPECT_EQ(wrote.answers[1].outcome, StoreResult::failed);
  EXPECT_EQ(wrote.answers[1].text, "no");
  EXPECT_EQ(std::get<backend::Wrote>(*refusal(EvictCall{8, "g"}, StoreResult::unknown, {})).answers.size(), 1u);
  EXPECT_EQ(std::get<backend::ReadDone>(*refusal(ListCall{9, {}}, StoreResult::unknown, {})).request, 9u);
  EXPECT_EQ(std::get<backend::Observed>(*refusal(ObserveCall{10, {}}, StoreResult::unknown, {})).request, 10u);
  EXPECT_EQ(std::get<backend::Renewed>(*refusal(RenewCall{11, {}}, StoreResult::unknown, {})).request, 11u);
  for (const Call& call : {Call(CampaignCall{"g"}), Call(ResignCall{"g"}), Call(WatchCall{"j"})})
    EXPECT_FALSE(refusal(call, StoreResult::failed, "no")) << "it has no answer";
}

TEST(JoinTest, CallsBackOnceWhenTheLastOfItsPartsHasEnded) {
  int calls = 0;
  std::vector<std::function<void()>> parts;
  {
    const Join join([&] { ++calls; });
    for (int i = 0; i < 3; ++i) parts.push_back(join.part());
  }
  parts[2]();
  parts[0]();
  EXPECT_EQ(calls, 0);
  parts[1]();
  EXPECT_EQ(calls, 1);
}

TEST(JoinTest, WhatIsForgottenCallsNobody) {
  int calls = 0;
  {
    const auto part = Join([&] { ++calls; }).part();
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace ballot::support
