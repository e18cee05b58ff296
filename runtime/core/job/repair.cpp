#include "core/job/repair.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {

void Repair::wrote(const Disposition& range) {
  if (range.reason != Reason::halted) return;
  if (!from) from = range.from;
  to = range.to;
  slots += range.slots;
}

void Repair::complete(JobRegister& next, WallTime now) const {
  const WallTime second = std::chrono::floor<std::chrono::seconds>(now);
  next.go_on_from(second);
  next.interventions.edit().repaired_at = now;
  next.interventions.edit().repaired_by = by;
}

/// No store, however old, has seen as many claims of one job as milliseconds have passed since 1970. A fence that is
/// near the largest was written by hand: nobody could read the ones after it, so the fences begin anew by the clock.
void raise_fence(JobRegister& next, std::uint64_t seen, std::uint64_t of_group, WallTime now) {
  const auto above = static_cast<std::uint64_t>(now.time_since_epoch().count());
  const std::uint64_t fence = std::max({next.fence + 1, seen + 1, above, of_group});
  next.fence = fence <= largest_counter / 2 ? fence : above;
  auto& repair = next.interventions.edit().repair;
  repair = std::min(std::max({next.fence, repair + 1, of_group}), largest_counter);
}

std::string Repair::text(const std::string& job) const {
  std::string text = "repaired: job " + job;
  if (cursor_ahead)
    text += ": its cursor was ahead of the clock, at " + format_slot(*cursor_ahead) +
            "; it is now's, and the slots between are decided again when they are due";
  if (kept > 0)
    text += std::string(", but for ") + (kept == 1 ? "one" : std::to_string(kept)) + " that " +
            (kept == 1 ? "was" : "were") + " settled already, " + (kept == 1 ? "" : "from ") + format_slot(kept_from) +
            (kept == 1 ? "" : " to " + format_slot(kept_to)) + ": " + (kept == 1 ? "it is" : "they are") + " done";
  if (slots > 0)
    text += ": " + std::to_string(slots) + (slots == 1 ? " slot, " : " slots, from ") + format_slot(*from) +
            (slots == 1 ? "" : " to " + format_slot(*to)) + ", missed: halted";
  if (waited > 0)
    text += "; " + std::to_string(waited) + (waited == 1 ? " run that waited is" : " runs that waited are") +
            " not started, for it may have been";
  return text;
}

}  // namespace ballot::core
