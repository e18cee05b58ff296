#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "io/clocks.hpp"
#include "io/wall_timer.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {
namespace {

using testing::run_for;
using testing::run_until;

struct Timer : ::testing::Test {
  boost::asio::io_context loop;
  std::optional<Woken> woken;
  int times = 0;
  std::function<void(Woken)> note = [this](Woken w) { woken = w, ++times; };
};

TEST_F(Timer, ExpiresAtTheInstantAndNotBefore) {
  WallTimer timer(loop, note);
  const WallTime at = read_clocks().wall + Millis(30);
  timer.arm(at);
  ASSERT_TRUE(run_until(loop, [&] { return times == 1; }));
  EXPECT_EQ(woken, Woken::expired);
  EXPECT_GE(read_clocks().wall, at);
}

TEST_F(Timer, ExpiresAtOnceForAnInstantInThePast) {
  WallTimer timer(loop, note);
  timer.arm(WallTime(Millis(-5)));
  EXPECT_TRUE(run_until(loop, [&] { return times == 1; }));
}

TEST_F(Timer, ExpiresOnlyOnce) {
  WallTimer timer(loop, note);
  timer.arm(read_clocks().wall);
  ASSERT_TRUE(run_until(loop, [&] { return times == 1; }));
  run_for(loop, Millis(30));
  EXPECT_EQ(times, 1);
}

TEST_F(Timer, IsReplacedByArmingAgain) {
  WallTimer timer(loop, note);
  timer.arm(read_clocks().wall);
  timer.arm(WallTime::max());
  run_for(loop, Millis(30));
  EXPECT_EQ(times, 0);
  timer.arm(read_clocks().wall);
  EXPECT_TRUE(run_until(loop, [&] { return times == 1; }));
}

TEST_F(Timer, IsSilentOnceDisarmedEvenIfTheInstantHasCome) {
  WallTimer timer(loop, note);
  timer.arm(read_clocks().wall - Millis(1));
  timer.disarm();
  run_for(loop, Millis(30));
  EXPECT_EQ(times, 0);
}

TEST_F(Timer, IsSilentOnceDestroyed) {
  auto timer = std::make_unique<WallTimer>(loop, note);
  timer->arm(read_clocks().wall - Millis(1));
  timer.reset();
  run_for(loop, Millis(30));
  EXPECT_EQ(times, 0);
}

TEST_F(Timer, MayBeDestroyedByItsOwnCallback) {
  std::unique_ptr<WallTimer> timer;
  timer = std::make_unique<WallTimer>(loop, [&](Woken) { timer.reset(), ++times; });
  timer->arm(read_clocks().wall);
  EXPECT_TRUE(run_until(loop, [&] { return times == 1; }));
}

TEST_F(Timer, MayBeArmedByItsOwnCallback) {
  std::unique_ptr<BootTimer> timer;
  timer = std::make_unique<BootTimer>(loop, [&] {
    if (++times < 3) timer->arm(read_clocks().steady + Millis(1));
  });
  timer->arm(read_clocks().steady);
  EXPECT_TRUE(run_until(loop, [&] { return times == 3; }));
}

TEST_F(Timer, OfTheBootClockExpiresAtTheInstantAndNotBefore) {
  BootTimer timer(loop, [&] { ++times; });
  const SteadyTime at = read_clocks().steady + Millis(30);
  timer.arm(at);
  ASSERT_TRUE(run_until(loop, [&] { return times == 1; }));
  EXPECT_GE(read_clocks().steady, at);
}

/// What the kernel does to a timer when somebody sets the wall clock.
ssize_t read_after_a_step(int fd, void* to, size_t size) {
  if (::read(fd, to, size) < 0) return -1;
  errno = ECANCELED;
  return -1;
}

TEST_F(Timer, TellsAStepOfTheClockSeenByReading) {
  WallTimer timer(loop, note, {.read = read_after_a_step});
  timer.arm(read_clocks().wall);
  ASSERT_TRUE(run_until(loop, [&] { return times == 1; }));
  EXPECT_EQ(woken, Woken::clock_stepped);
  run_for(loop, Millis(30));
  EXPECT_EQ(times, 1);
}

int settime_after_a_step(int fd, int flags, const itimerspec* to, itimerspec* from) noexcept {
  if (::timerfd_settime(fd, flags, to, from) != 0 || flags == 0) return 0;
  errno = ECANCELED;
  return -1;
}

TEST_F(Timer, TellsAStepOfTheClockSeenByArming) {
  WallTimer timer(loop, note, {.settime = settime_after_a_step});
  timer.arm(WallTime::max());
  EXPECT_EQ(times, 0) << "no callback from within arm()";
  ASSERT_TRUE(run_until(loop, [&] { return times == 1; }));
  EXPECT_EQ(woken, Woken::clock_stepped);
}

TEST_F(Timer, IsSilentOnceDisarmedAlsoAboutAStep) {
  WallTimer timer(loop, note, {.settime = settime_after_a_step});
  timer.arm(WallTime::max());
  timer.disarm();
  run_for(loop, Millis(10));
  EXPECT_EQ(times, 0);
}

int flags_of_arming = 0;
int settime_noting_flags(int fd, int flags, const itimerspec* to, itimerspec* from) noexcept {
  if (flags != 0) flags_of_arming = flags;
  return ::timerfd_settime(fd, flags, to, from);
}

TEST_F(Timer, OfTheWallClockAsksTheKernelToBeWokenByAStep) {
  WallTimer timer(loop, note, {.settime = settime_noting_flags});
  timer.arm(WallTime::max());
  EXPECT_EQ(flags_of_arming, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET);
}

}  // namespace
}  // namespace ballot::io
