// What next() and make() cost, and how much memory a plan takes. Figures mean something in an optimised build only:
//   cmake --preset release -DBALLOT_TESTS=ON && cmake --build build/release --target next_bench
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "schedule/plan.hpp"

namespace {

using namespace ballot;
using namespace ballot::schedule;
using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration time, std::size_t count) {
  return std::chrono::duration<double, std::nano>(time).count() / static_cast<double>(count);
}

Plan make(const std::string& expression, const std::string& zone) {
  return std::get<Plan>(Plan::make({.expressions = {expression}, .timezone = zone, .group = "default", .job = "job"}));
}

/// Both ways of asking: walking the stream, and from instants all over 60 years.
void measure_next(const std::string& expression, const std::string& zone) {
  const Plan plan = make(expression, zone);
  const WallTime begin = std::chrono::sys_days(std::chrono::year(2025) / 1 / 1);
  constexpr std::size_t count = 300'000;
  std::size_t found = 0;
  auto start = Clock::now();
  WallTime at = begin;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = plan.next(at, {});
    at = slot ? slot->at : begin, found += slot.has_value();
  }
  const double walking = nanoseconds(Clock::now() - start, count);
  start = Clock::now();
  for (std::size_t i = 0; i < count; ++i)
    found += plan.next(begin + Millis((i * 2'654'435'761) % 1'892'160'000'000), {}).has_value();
  const double jumping = nanoseconds(Clock::now() - start, count);
  std::printf("next  %-22s %-18s %7.0f ns walking %7.0f ns at random (%zu found)\n", expression.c_str(), zone.c_str(),
              walking, jumping, found);
}

void measure_make(const std::string& expression, const std::string& zone) {
  constexpr std::size_t count = 100'000;
  std::vector<Plan> plans;
  plans.reserve(count);
  const std::size_t before = mallinfo2().uordblks;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) plans.push_back(make(expression, zone));
  const double cost = nanoseconds(Clock::now() - start, count);
  const double bytes = static_cast<double>(mallinfo2().uordblks - before) / count + sizeof(Plan);
  std::printf("make  %-22s %-18s %7.0f ns %12.0f bytes a plan\n", expression.c_str(), zone.c_str(), cost, bytes);
}

}  // namespace

int main() {
  for (const char* zone : {"UTC", "America/New_York"}) {
    for (const char* expression : {"* * * * *", "*/5 * * * *", "0 2 * * *", "30 4 1,15 * 5", "0 9 * * MON-FRI",
                                   "0 0 L * *", "0 0 15W * *", "0 0 LW * *", "0 0 * * 6#3", "0 0 * * 5L", "0 0 29 2 *",
                                   "0 * 29 2 *", "0 0 * 2 6#5", "0 * */28 2 1#5", "*/10 * * * * *"})
      measure_next(expression, zone);
    for (const char* expression :
         {"*/5 * * * *", "30 4 1,15 * 5", "0 9 * * MON-FRI", "H H * * *", "0 0 * 2 6#5", "@every 5m"})
      measure_make(expression, zone);
  }
}
