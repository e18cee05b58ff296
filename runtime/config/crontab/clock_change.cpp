#include "config/crontab/clock_change.hpp"

#include <algorithm>

namespace ballot::config {
namespace {

using std::chrono::floor;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::chrono::hours looked_ahead{400 * 24};
constexpr std::chrono::hours longest_jump{3};

/// Whether cron lets the line go by the wall's clock.
bool is_wild(const std::string& schedule) {
  if (schedule.front() == '@') return schedule == "@hourly";
  return schedule.front() == '*' || schedule[std::min(schedule.find(' '), schedule.size() - 2) + 1] == '*';
}

std::size_t slots_in(const schedule::Plan& plan, sys_seconds from, sys_seconds until) {
  std::size_t count = 0;
  for (auto slot = plan.next_due(from - seconds(1), {}); slot && slot->at < until; slot = plan.next_due(slot->at, {}))
    ++count;
  return count;
}

/// Where the wall's clock goes on with `to` at `at`, having been there `shift` before. `labels`: of the wall's clock.
ClockChange starts_at(sys_seconds at, seconds shift, seconds to, bool wild, const schedule::Plan& plan,
                      const schedule::Plan& labels) {
  const sys_seconds landing = at + to;
  const auto times = [&](sys_seconds from, sys_seconds until) { return slots_in(labels, from, until); };
  if (shift > seconds(0))
    return {at, (wild ? 0 : times(landing - shift, landing)) + times(landing, landing + seconds(1)),
            slots_in(plan, at, at + seconds(1))};
  const std::size_t repeated = times(landing, landing - shift);
  return {at, wild ? 2 * repeated : repeated, slots_in(plan, at + shift, at - shift)};
}

}  // namespace

std::optional<ClockChange> find_clock_change(const std::string& schedule, const schedule::Plan& plan,
                                             const zones::TimeZone& zone, WallTime from) {
  const auto labels = schedule::Plan::make({.expressions = {schedule}});
  if (!std::holds_alternative<schedule::Plan>(labels)) return std::nullopt;
  const sys_seconds begin = floor<seconds>(from), end = begin + looked_ahead;
  for (auto span = zone.span(begin); span.end < end;) {
    const sys_seconds at = span.end;
    const auto next = zone.span(at);
    const seconds shift = next.offset - span.offset;
    span = next;
    if (shift == seconds(0) || std::chrono::abs(shift) > longest_jump) continue;
    const ClockChange change =
        starts_at(at, shift, next.offset, is_wild(schedule), plan, std::get<schedule::Plan>(labels));
    if (change.by_cron != change.by_job) return change;
  }
  return std::nullopt;
}

}  // namespace ballot::config
