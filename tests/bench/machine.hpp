// What the benches read of the machine: clocks, and what a process has used.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

#include "ballot/time.hpp"

namespace ballot::bench {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin);

template <class Work>
double seconds_of(Work work) {
  const Clock::time_point begin = Clock::now();
  work();
  return seconds_since(begin);
}

/// Says what is wrong and ends the program: a bench that cannot measure has no figure to print.
[[noreturn]] void fail(const std::string& text);

/// What a machine that was busy with something else has spoilt: no failure, and no figure.
struct Disturbed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `take`, and again where it was Disturbed, with a line that says by what; the fifth time is given up by throwing it.
void until_undisturbed(const std::function<void()>& take);

WallTime wall_now();
void sleep_until(WallTime time);

/// The first instant after `earliest` that is a whole multiple of `period`.
WallTime next_multiple(std::chrono::seconds period, WallTime earliest);

/// Looks every 10 ms; ends the program, naming `what`, where it is not so within `limit`.
void wait_until(const char* what, std::chrono::seconds limit, const std::function<bool()>& is_so);

double resident_megabytes(pid_t process);
/// Takes a program out of the page cache, so that it is read as after a boot: how much of it is resident hangs on how
/// the cache came by it, as the kernel maps as much as it has in one piece.
void forget_cached(const std::string& program);
/// User and system time that it has used, in seconds, to the scheduler's accuracy.
double cpu_seconds(pid_t process);
/// Of this thread: what other programs do does not count.
double own_cpu_seconds();
int open_descriptors(pid_t process);

}  // namespace ballot::bench
