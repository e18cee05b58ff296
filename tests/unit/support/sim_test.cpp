// What the simulation promises to those who test with it: order, and each fault as it is described.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "support/sim/sim_backend.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(SimLoop, RunsEventsByTimeThenByOrderOfAsking) {
  SimLoop loop(1);
  std::string seen;
  loop.after(20ms, 0, [&] { seen += 'c'; });
  loop.after(10ms, 0, [&] { seen += 'a'; });
  loop.after(10ms, 0, [&] { seen += 'b'; });
  loop.at(SteadyTime{} - 5ms, 0, [&] { seen += '0'; });
  EXPECT_EQ(seen, "") << "nothing runs within a call";
  loop.run_for(15ms);
  EXPECT_EQ(seen, "0ab");
  EXPECT_EQ(loop.now(), SteadyTime{} + 15ms);
  EXPECT_TRUE(loop.run_next());
  EXPECT_FALSE(loop.run_next());
  EXPECT_EQ(seen, "0abc");
}

TEST(SimLoop, ForgetsWhatIsCancelledAndWhatBelongsToADeadProcess) {
  SimLoop loop(1);
  std::string seen;
  const auto process = loop.new_owner();
  const auto timer = loop.after(1ms, 0, [&] { seen += 'x'; });
  loop.after(1ms, process, [&] { seen += 'y'; });
  loop.after(2ms, process, [&] { seen += 'y'; });
  loop.after(3ms, 0, [&] { seen += 'z'; });
  loop.cancel(timer);
  loop.cancel(timer);
  loop.drop(process);
  EXPECT_EQ(loop.waiting(), 1u);
  loop.run_for(1s);
  EXPECT_EQ(seen, "z");
}

TEST(SimLoop, RunsUntilSomethingIsSoOrTheLimitHasPassed) {
  SimLoop loop(1);
  int ticks = 0;
  const std::function<void()> tick = [&] { loop.after(1s, 0, [&] { ++ticks, tick(); }); };
  tick();
  EXPECT_TRUE(loop.run_while_not([&] { return ticks == 3; }, 10s));
  EXPECT_EQ(loop.now(), SteadyTime{} + 3s);
  EXPECT_FALSE(loop.run_while_not([&] { return ticks == 100; }, 10s));
  EXPECT_EQ(loop.now(), SteadyTime{} + 13s);
}

TEST(SimClock, ShowsTheWallClockWrongAndTheBootClockRight) {
  SimLoop loop(1);
  SimClock clock(loop, 1h);
  loop.run_for(10s);
  EXPECT_EQ(clock.now().steady, SteadyTime{} + 1h + 10s);
  EXPECT_EQ(clock.now().wall, SimClock::default_wall + 10s);
  clock.step_wall(-1h);
  EXPECT_EQ(clock.now().wall, SimClock::default_wall + 10s - 1h);
  EXPECT_EQ(clock.now().steady, SteadyTime{} + 1h + 10s);
  clock.reboot();
  loop.run_for(5s);
  EXPECT_EQ(clock.now().steady, SteadyTime{} + 5s);
}

/// One node on one store, opened and leading "g" where asked.
class SimFaults : public ::testing::Test, public Host {
 protected:
  SimFaults() { start(); }
  void post(BackendEvent event) noexcept override { told.push_back(std::move(event)); }
  void log(Level, std::string_view) noexcept override {}

  void start() {
    backend = std::make_unique<SimBackend>(store, loop, link, clock, *this);
    backend->open({++generation, "a", "boot", "machine", "host", 1, "", "", 5s});
    loop.run_for(100ms);
  }
  std::uint64_t lead() {
    backend->campaign("g");
    loop.run_for(100ms);
    return last<backend::Elected>()->epoch;
  }
  template <class What>
  const What* last() const {
    for (auto event = told.rbegin(); event != told.rend(); ++event)
      if (const What* what = std::get_if<What>(&event->what); what && event->generation == generation) return what;
    return nullptr;
  }
  StoreResult write(std::uint64_t epoch, std::uint64_t version = 0) {
    backend->write(++request, {{"g", epoch, "j/x", "v", version}});
    loop.run_for(2s);
    const auto* wrote = last<backend::Wrote>();
    EXPECT_TRUE(wrote && wrote->request == request);
    return wrote && wrote->request == request ? wrote->answers[0].outcome : StoreResult::failed;
  }
  std::size_t registers() const { return store.contents().registers.size(); }

  SimLoop loop{7};
  SimStore store{loop};
  SimLink link;
  SimClock clock{loop};
  std::vector<BackendEvent> told;
  std::uint64_t generation = 0;
  RequestId request = 0;
  std::unique_ptr<SimBackend> backend;
};

TEST_F(SimFaults, ALostRequestIsUnknownAndDoesNotHappen) {
  const auto epoch = lead();
  link.lose_request = 1000;
  EXPECT_EQ(write(epoch), StoreResult::unknown);
  EXPECT_EQ(registers(), 0u);
}

TEST_F(SimFaults, ALostAnswerIsUnknownAndHappens) {
  const auto epoch = lead();
  link.lose_answer = 1000;
  EXPECT_EQ(write(epoch), StoreResult::unknown);
  EXPECT_EQ(registers(), 1u);
}

TEST_F(SimFaults, ALateRequestIsUnknownAndHappensLater) {
  const auto epoch = lead();
  link.late_request = 1000;
  link.late_max = 3s;
  backend->write(++request, {{"g", epoch, "j/x", "v", 0}});
  loop.run_for(link.request_timeout - 1ms);
  EXPECT_EQ(registers(), 0u);
  EXPECT_EQ(last<backend::Wrote>(), nullptr);
  loop.run_for(3s);
  EXPECT_EQ(registers(), 1u);
  EXPECT_EQ(last<backend::Wrote>()->answers[0].outcome, StoreResult::unknown);
}

TEST_F(SimFaults, ALateRequestOfATermThatIsOverDoesNotLand) {
  const auto epoch = lead();
  link.late_request = 1000;
  backend->write(++request, {{"g", epoch, "j/x", "v", 0}});
  backend->resign("g");
  loop.run_for(1min);
  EXPECT_EQ(registers(), 0u);
}

TEST_F(SimFaults, WhatIsNeverAnsweredIsNotEvenUnknown) {
  const auto epoch = lead();
  link.lose_answer = link.never_answer = 1000;
  backend->write(++request, {{"g", epoch, "j/x", "v", 0}});
  loop.run_for(2s);
  EXPECT_EQ(last<backend::Wrote>(), nullptr);
  EXPECT_EQ(registers(), 1u);
}

TEST_F(SimFaults, AFullStoreFailsWritesThatDoNotHappen) {
  const auto epoch = lead();
  link.refuse_write = 1000;
  EXPECT_EQ(write(epoch), StoreResult::failed);
  EXPECT_EQ(registers(), 0u);
}

TEST_F(SimFaults, LostRenewalsEndTheSessionInTheStoreAtItsTime) {
  lead();
  link.lose_renewal = 1000;
  for (int i = 0; i < 5; ++i) {
    backend->renew(++request);
    loop.run_for(900ms);
    EXPECT_EQ(last<backend::Renewed>()->outcome, StoreResult::unknown);
  }
  EXPECT_TRUE(store.leader("g").has_value());
  backend->renew(++request);
  loop.run_for(900ms);
  EXPECT_FALSE(store.leader("g").has_value());
  EXPECT_EQ(last<backend::SessionClosed>()->cause, Cause::expired);
}

TEST_F(SimFaults, TheStoreMayEndASessionEarly) {
  backend->close(false);
  loop.run_for(100ms);
  link.expiry_shift = -2s;
  start();
  EXPECT_EQ(last<backend::SessionOpened>()->timeout, 5s) << "it promises what it does not keep";
  loop.run_for(2800ms);
  EXPECT_EQ(last<backend::SessionClosed>(), nullptr);
  loop.run_for(200ms);
  EXPECT_EQ(last<backend::SessionClosed>()->cause, Cause::expired);
}

TEST_F(SimFaults, ADeafNodeIsHeardAndHearsLater) {
  const auto epoch = lead();
  link.answers_cut = true;
  backend->resign("g");
  EXPECT_EQ(write(epoch), StoreResult::unknown);
  EXPECT_EQ(last<backend::Deposed>(), nullptr);
  link.answers_cut = false;
  loop.run_for(100ms);
  EXPECT_NE(last<backend::Deposed>(), nullptr);
}

TEST_F(SimFaults, AFrozenNodeIsToldEverythingWhenItWakes) {
  const auto epoch = lead();
  link.frozen = true;
  backend->write(++request, {{"g", epoch, "j/x", "v", 0}});
  loop.run_for(10s);
  EXPECT_EQ(last<backend::Wrote>(), nullptr);
  EXPECT_FALSE(store.leader("g").has_value());
  link.frozen = false;
  loop.run_for(100ms);
  EXPECT_EQ(last<backend::Wrote>()->answers[0].outcome, StoreResult::done);
  EXPECT_EQ(last<backend::SessionClosed>()->cause, Cause::expired);
}

TEST_F(SimFaults, AStoreThatIsDownAnswersNobodyAndItsTimersBeginAnew) {
  const auto epoch = lead();
  store.stop();
  for (int i = 0; i < 10; ++i) {
    backend->renew(++request);
    loop.run_for(2s);
  }
  EXPECT_EQ(last<backend::Renewed>()->outcome, StoreResult::unknown);
  EXPECT_EQ(write(epoch), StoreResult::unknown);
  store.start();
  backend->renew(++request);
  loop.run_for(100ms);
  EXPECT_EQ(last<backend::Renewed>()->outcome, StoreResult::done);
  EXPECT_EQ(write(epoch), StoreResult::done);
}

TEST_F(SimFaults, ARestoredStoreHasForgottenWhatCameAfter) {
  const auto epoch = lead();
  ASSERT_EQ(write(epoch), StoreResult::done);
  const auto old = store.contents();
  ASSERT_EQ(write(epoch, last<backend::Wrote>()->answers[0].version), StoreResult::done);
  store.restore(old);
  loop.run_for(100ms);
  EXPECT_EQ(last<backend::SessionClosed>()->cause, Cause::expired);
  EXPECT_EQ(store.contents().revision, old.revision);
  start();
  EXPECT_EQ(last<backend::SessionOpened>()->revision, old.revision);
  EXPECT_EQ(lead(), epoch + 1);
}

TEST_F(SimFaults, ALostCreateIsUnknownAndDoesNotHappen) {
  link.lose_request = 1000;
  backend->create(++request, {{"q/x", "v"}});
  loop.run_for(2s);
  EXPECT_EQ(last<backend::Wrote>()->answers[0].outcome, StoreResult::unknown);
  EXPECT_TRUE(store.contents().records.empty());
}

TEST_F(SimFaults, ALateCreateLandsAfterItsSession) {
  link.late_request = 1000;
  link.late_max = 20s;
  backend->create(++request, {{"q/x", "v"}});
  backend->crash();
  loop.run_for(1min);
  EXPECT_EQ(store.contents().records.size(), 1u) << "records are not fenced";
}

TEST_F(SimFaults, EveryWatchIsToldWhenCallsAreAnsweredAgain) {
  backend->watch("q/");
  backend->watch("g/");
  loop.run_for(100ms);
  const auto changes = [&] {
    return std::count_if(told.begin(), told.end(),
                         [](const auto& event) { return std::holds_alternative<backend::Changed>(event.what); });
  };
  EXPECT_EQ(changes(), 2) << "once at first";
  link.lose_answer = 1000;
  backend->renew(++request);
  loop.run_for(1s);
  EXPECT_EQ(changes(), 2);
  link.lose_answer = 0;
  backend->renew(++request);
  loop.run_for(1s);
  EXPECT_EQ(changes(), 4);
  backend->renew(++request);
  loop.run_for(1s);
  EXPECT_EQ(changes(), 4);
}

TEST_F(SimFaults, AChangeIsToldLateAndNeverNot) {
  backend->watch("q/");
  loop.run_for(100ms);
  told.clear();
  link.answers_cut = true;
  backend->create(++request, {{"q/x", "v"}});
  loop.run_for(300ms);
  EXPECT_EQ(last<backend::Changed>(), nullptr);
  link.answers_cut = false;
  loop.run_for(300ms);
  EXPECT_NE(last<backend::Changed>(), nullptr);
}

TEST_F(SimFaults, AnEvictionMayBeUnknownAndHappen) {
  const auto epoch = lead();
  link.lose_answer = 1000;
  backend->evict(++request, "g");
  loop.run_for(2s);
  EXPECT_EQ(last<backend::Wrote>()->answers[0].outcome, StoreResult::unknown);
  EXPECT_EQ(last<backend::Deposed>()->cause, Cause::evicted);
  EXPECT_EQ(store.leader("g")->epoch, epoch + 1);
}

TEST_F(SimFaults, ADeposedLeaderIsElectedAgainUnderALargerEpoch) {
  const auto epoch = lead();
  store.depose("g", Cause::evicted);
  loop.run_for(100ms);
  EXPECT_EQ(last<backend::Deposed>()->cause, Cause::evicted);
  EXPECT_EQ(last<backend::Elected>()->epoch, epoch + 1);
}

}  // namespace
}  // namespace ballot
