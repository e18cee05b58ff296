#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// What calendars make of a schedule that they leave no slot, or few.
struct Search {
  const char* name;
  std::vector<std::string> schedule;  // its last line is the rule
};

const Search searches[] = {
    {"next_due() of Sundays without Sundays", {"0 6 * * 0", "@days except a=sun"}},
    {"next_due() of each day, 29 February a Monday",
     {"0 6 * * *", "@days only a=02-29 except b=sun,tue,wed,thu,fri,sat"}},
    {"next_due() of @every 7d from a Sunday, without Sundays", {"@every 7d", "@days except a=sun"}},
};

/// Reads and compiles the schedule, and looks for its next slot; microseconds each.
std::pair<double, double> microseconds_of(const Search& search, int times) {
  const std::vector<WallTime> anchors(search.schedule.front().starts_with("@every") ? 1 : 0,
                                      std::chrono::sys_days(std::chrono::year(2026) / 1 / 4));
  const WallTime from = std::chrono::sys_days(std::chrono::year(2026) / 1 / 5);
  const double before = own_cpu_seconds();
  std::optional<schedule::Plan> plan;
  for (int i = 0; i < times; ++i) plan = schedule::Plan::of_stored({.expressions = search.schedule});
  const double compiled = own_cpu_seconds();
  for (int i = 0; i < times; ++i) (void)plan->next_due(from, anchors);
  return {(compiled - before) / times * 1e6, (own_cpu_seconds() - compiled) / times * 1e6};
}

void measure_searches(const Scale& scale, Figures& figures) {
  for (const Search& search : searches) {
    const auto [compiled, found] = microseconds_of(search, scale.count(200, 2));
    figures.add({.name = search.name, .unit = "us", .value = found, .target = at_most(3000)});
    figures.add({.name = std::string("compiling it: ") + search.name,
                 .unit = "us",
                 .value = compiled,
                 .target = at_most(10'000)});
  }
  const std::string no_day = "only y=01-01..12-31 except w=mon,tue,wed,thu,fri,sat,sun";
  const auto rule = schedule::DayRule::parse(no_day);
  const double before = own_cpu_seconds();
  bool is_never = true;
  const int times = scale.count(200, 2);
  for (int i = 0; i < times; ++i) is_never = is_never && rule->never();
  if (!is_never) fail(no_day + " allows a day");
  figures.add({.name = "never() of a rule of days that allows none",
               .unit = "us",
               .value = (own_cpu_seconds() - before) / times * 1e6,
               .target = at_most(1000)});
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
  measure_searches(scale, figures);
}

}  // namespace ballot::bench
