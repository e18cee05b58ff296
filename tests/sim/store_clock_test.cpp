// A store with a clock: nodes whose clocks are wrong.
#include <gtest/gtest.h>

#include "peers.hpp"

namespace ballot {
namespace {

class StoreWithAClock : public Peers {
 protected:
  StoreWithAClock()
      : Peers([] {
          SimStore::Settings settings;
          settings.has_clock = true;
          return settings;
        }()) {}
};

TEST_F(StoreWithAClock, ANodeWhoseClockIsMoreThan10sOffHandsOverAndStaysOut) {
  start({minutely()});
  world.run_for(10s);
  a.step_clock(11s);
  world.run_for(5s);
  EXPECT_NE(leader(), "a");
  EXPECT_EQ(count(a, "clock skew: this clock is 10"), 1u);
  b.crash(), c.crash();
  world.run_for(5min);
  EXPECT_EQ(leader(), "") << "it does not campaign";
  a.step_clock(-11s);
  EXPECT_TRUE(leads(a, 10s));
  world.run_for(2min);
  EXPECT_EQ(world.unaccounted(*a.jobs[0], from, world.wall() - 1min), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(StoreWithAClock, MoreThan1sIsAnAlarmAndNoMore) {
  start({minutely()});
  a.step_clock(-3s);
  world.run_for(5min);
  EXPECT_EQ(leader(), "a");
  EXPECT_EQ(count(a, "clock skew: this clock is 2"), 1u);
  EXPECT_LT(a.core().clock_skew(), -2900ms);
  a.step_clock(3s);
  world.run_for(10s);
  EXPECT_EQ(a.core().clock_skew(), 0ms);
  EXPECT_EQ(count(a, "no clock skew any more"), 1u);
}

TEST_F(StoreWithAClock, AClockThatIsWrongFromTheBeginningIsSeenBeforeAnythingIsLaunched) {
  a.step_clock(1h);
  start({minutely()});
  world.run_for(10min);
  EXPECT_NE(leader(), "a");
  EXPECT_EQ(a.rows().size(), 0u);
  EXPECT_EQ(world.unaccounted(*b.jobs[0], from, world.wall() - 1min), "");
}

TEST_F(StoreWithAClock, ASlowAnswerIsNoClockError) {
  start({minutely()});
  a.link.slow_answers = 700ms;
  a.link.delay_min = a.link.delay_max = 600ms;
  a.link.request_timeout = 3s;
  world.run_for(1min);
  EXPECT_EQ(count(a, "clock skew"), 0u);
}

}  // namespace
}  // namespace ballot
