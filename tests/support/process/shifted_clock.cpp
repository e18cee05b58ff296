// Preloaded into a program: its wall clock is BALLOT_SHIFTED_CLOCK_MS milliseconds off. All its other clocks are right.
//
//   CandidateProcess a(folder, ..., {"LD_PRELOAD=" BALLOT_SHIFTED_CLOCK, "BALLOT_SHIFTED_CLOCK_MS=-3600000"});
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr long million = 1'000'000;

long shift_ms() {
  const char* const text = std::getenv("BALLOT_SHIFTED_CLOCK_MS");
  return text != nullptr ? std::atol(text) : 0;
}

timespec shifted() {
  timespec now{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  const long ms = now.tv_sec * 1000 + now.tv_nsec / million + shift_ms();
  return {ms / 1000, ms % 1000 * million};
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* to) noexcept {
  if (clock != CLOCK_REALTIME) return static_cast<int>(::syscall(SYS_clock_gettime, clock, to));
  *to = shifted();
  return 0;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* to, void*) noexcept {
  const timespec now = shifted();
  *to = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

__attribute__((visibility("default"))) time_t time(time_t* to) noexcept {
  const time_t now = shifted().tv_sec;
  if (to != nullptr) *to = now;
  return now;
}

}  // extern "C"
