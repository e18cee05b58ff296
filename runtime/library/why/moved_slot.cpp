#include "library/why/moved_slot.hpp"

#include <variant>

namespace ballot::library {
namespace {

constexpr std::chrono::hours a_day{24}, clock_change{3};

bool has_slot_at(const schedule::Plan& plan, WallTime slot) {
  const auto next = plan.next(slot - Millis(1), {});
  return next && next->at == slot;
}

}  // namespace

/// Days that are left out lie between the day of the schedule and the slot's: the nearest that the schedule names.
std::string moved_text(WallTime slot, const JobFacts& job) {
  const auto& days = job.plan.days();
  if (days.is_default() || days->shift == DayShift::none || !job.plan.everies().empty()) return {};
  const auto made = schedule::Plan::make({job.expressions, job.timezone, {}, {}, job.group, job.name});
  const auto* const as_written = std::get_if<schedule::Plan>(&made);
  if (as_written == nullptr || has_slot_at(*as_written, slot)) return {};
  const bool is_next = days->shift == DayShift::next;
  for (int away = 1; away <= schedule::farthest_shift.count(); ++away) {
    const WallTime on = is_next ? slot - away * a_day : slot + away * a_day;
    if (job.plan.why_left_out(on).empty()) return {};
    for (auto from = as_written->next(on - clock_change, {}); from && from->at <= on + clock_change;
         from = as_written->next(from->at, {}))
      if (const std::string why = job.plan.why_left_out(from->at); !why.empty())
        return std::string(" By shift = \"") +
               (is_next ? "next\" it is the slot of an earlier day: " : "previous\" it is the slot of a later day: ") +
               why + ".";
  }
  return {};
}

}  // namespace ballot::library
