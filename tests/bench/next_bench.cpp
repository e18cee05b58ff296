#include <string>

#include "bench/benches.hpp"
#include "bench/machine.hpp"
#include "schedule/plan.hpp"

namespace ballot::bench {
namespace {

struct Expression {
  const char* text;
  double target;  // ns
};

constexpr Expression expressions[] = {
    {"* * * * *", 500},       {"*/5 * * * *", 500},    {"0 2 * * *", 500},   {"30 4 1,15 * 5", 500},
    {"0 9 * * MON-FRI", 500}, {"*/10 * * * * *", 500}, {"0 0 L * *", 3000},  {"0 0 15W * *", 3000},
    {"0 0 LW * *", 3000},     {"0 0 * * 6#3", 3000},   {"0 0 * * 5L", 3000}, {"0 0 * 2 6#5", 3000},
};

/// Walks the slots from 2025 on; ns each.
double nanoseconds_a_slot(const char* expression, const char* zone, int slots) {
  const auto plan = std::get<schedule::Plan>(
      schedule::Plan::make({.expressions = {expression}, .timezone = zone, .group = "default", .job = "job"}));
  const WallTime begin = std::chrono::sys_days(std::chrono::year(2025) / 1 / 1);
  WallTime at = begin;
  const double before = own_cpu_seconds();
  for (int i = 0; i < slots; ++i) {
    const auto slot = plan.next(at, {});
    at = slot ? slot->at : begin;
  }
  const double taken = own_cpu_seconds() - before;
  if (at == begin) fail(std::string(expression) + " is never due");
  return taken / slots * 1e9;
}

}  // namespace

void measure_next(const Scale& scale, Figures& figures) {
  for (const Expression& expression : expressions) {
    std::vector<double> utc, zoned;
    for (int i = 0; i < scale.pairs; ++i) {
      utc.push_back(nanoseconds_a_slot(expression.text, "UTC", scale.count(200'000, 2'000)));
      zoned.push_back(nanoseconds_a_slot(expression.text, "America/New_York", scale.count(200'000, 2'000)));
    }
    figures.add({.name = std::string("next() of ") + expression.text,
                 .unit = "ns",
                 .value = std::max(median(utc), median(zoned)),
                 .target = at_most(expression.target),
                 .note = "the slower of UTC and New York"});
  }
}

}  // namespace ballot::bench
