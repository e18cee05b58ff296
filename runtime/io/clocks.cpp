#include "io/clocks.hpp"

#include <time.h>
#include <unistd.h>

#include <climits>
#include <fstream>

namespace ballot::io {
namespace {

Millis read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + Millis(time.tv_nsec / 1'000'000);
}

std::string first_word(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace

Now read_clocks() { return {WallTime(read_clock(CLOCK_REALTIME)), SteadyTime(read_clock(CLOCK_BOOTTIME))}; }

WallTime boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string key; file >> key; file.ignore(LONG_MAX, '\n')) {
    if (std::int64_t seconds = 0; key == "btime" && file >> seconds) return WallTime(std::chrono::seconds(seconds));
  }
  const Now now = read_clocks();
  return std::chrono::floor<std::chrono::seconds>(now.wall - now.steady.time_since_epoch());
}

std::string boot_id() { return first_word("/proc/sys/kernel/random/boot_id"); }
std::string machine_id() { return first_word("/etc/machine-id"); }

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return {};
  return name;
}

}  // namespace ballot::io
