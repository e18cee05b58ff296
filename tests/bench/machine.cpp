#include "bench/machine.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/unique_fd.hpp"

namespace ballot::bench {

namespace {

std::filesystem::path proc(pid_t process) { return "/proc/" + std::to_string(process); }

}  // namespace

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void fail(const std::string& text) {
  throw std::runtime_error(text);  // not exit(): a daemon that goes on would disturb whatever is measured next
}

void until_undisturbed(const std::function<void()>& take) {
  for (int left = 4;; --left) {
    try {
      return take();
    } catch (const Disturbed& disturbed) {
      if (left == 0) throw;
      std::fprintf(stderr, "  taken again: %s\n", disturbed.what());
    }
  }
}

WallTime wall_now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

void sleep_until(WallTime time) {
  const auto millis = time.time_since_epoch().count();
  const timespec at{millis / 1000, millis % 1000 * 1'000'000};
  while (::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, nullptr) != 0) continue;
}

WallTime next_multiple(std::chrono::seconds period, WallTime earliest) {
  const Millis since = earliest.time_since_epoch();
  return WallTime((since / Millis(period) + 1) * Millis(period));
}

void wait_until(const char* what, std::chrono::seconds limit, const std::function<bool()>& is_so) {
  const Clock::time_point until = Clock::now() + limit;
  while (!is_so()) {
    if (Clock::now() >= until) fail(std::string("waited in vain until ") + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

double resident_megabytes(pid_t process) {
  long size = 0, resident = 0;
  std::ifstream(proc(process) / "statm") >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / 1e6;
}

void forget_cached(const std::string& program) {
  const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  if (::fsync(file.get()) != 0 || ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) != 0)
    fail(program + " stays in the page cache");
}

double cpu_seconds(pid_t process) {
  double nanoseconds = 0;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(proc(process) / "task", gone)) {
    double used = 0;
    std::ifstream(thread.path() / "schedstat") >> used;
    nanoseconds += used;
  }
  return nanoseconds / 1e9;
}

double own_cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

int open_descriptors(pid_t process) {
  std::error_code gone;
  const auto all = std::filesystem::directory_iterator(proc(process) / "fd", gone);
  return static_cast<int>(std::distance(begin(all), end(all)));
}

}  // namespace ballot::bench
