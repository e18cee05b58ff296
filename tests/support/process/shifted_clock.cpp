// Preloaded into a program: its wall clock is BALLOT_SHIFTED_CLOCK_MS milliseconds off, or as many as the file
// BALLOT_SHIFTED_CLOCK_FILE says at that moment (ShiftedClock). All its other clocks are right.
//
//   CandidateProcess a(folder, ..., {"LD_PRELOAD=" BALLOT_SHIFTED_CLOCK, "BALLOT_SHIFTED_CLOCK_MS=-3600000"});
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr long million = 1'000'000;

/// Null: no file is named, or it cannot be mapped.
const volatile std::int64_t* shared_shift() {
  static const volatile std::int64_t* const shared = []() -> const std::int64_t* {
    const char* const file = std::getenv("BALLOT_SHIFTED_CLOCK_FILE");
    const int fd = file == nullptr ? -1 : ::open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* const at = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    return at == MAP_FAILED ? nullptr : static_cast<const std::int64_t*>(at);
  }();
  return shared;
}

long shift_ms() {
  if (const volatile std::int64_t* const shared = shared_shift()) return static_cast<long>(*shared);
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

/// Whoever waits until a time of this clock: the kernel's has another one.
__attribute__((visibility("default"))) int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                                  const timespec* until) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static const auto wait = [] {
    void* const newest = ::dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");  // of two, on x86
    return reinterpret_cast<Wait>(newest != nullptr ? newest : ::dlsym(RTLD_NEXT, "pthread_cond_timedwait"));
  }();
  const long ms = until->tv_sec * 1000 + until->tv_nsec / million - shift_ms();
  const timespec right{ms / 1000, ms % 1000 * million + until->tv_nsec % million};
  return wait(condition, mutex, &right);
}

}  // extern "C"
