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

std::string Repair::text_of_lost() const {
  std::string named;
  bool unnamed = false, of_run = false;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    of_run = of_run || lost[i].empty() || lost[i] == "run";
    unnamed = unnamed || lost[i].empty();
    const auto here = lost.begin() + static_cast<std::ptrdiff_t>(i);
    if (!lost[i].empty() && std::find(lost.begin(), here, lost[i]) == here)
      named += (named.empty() ? "" : ", ") + lost[i];
  }
  if (unnamed) named += named.empty() ? "some that have no name" : ", and some that have no name";
  std::string text = "; lines of its register that could not be read: " + named;
  if (of_run) text += "; a run that was open may go on beside the next one";
  return text;
}

std::string Repair::text(const std::string& job) const {
  std::string text = "repaired: job " + job;
  if (cursor_ahead && is_claim_ahead)
    text += ": the last claim that its register named was ahead of the clock, at " + format_slot(*cursor_ahead) +
            "; it is dropped";
  else if (cursor_ahead)
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
  return lost.empty() ? text : text + text_of_lost();
}

}  // namespace ballot::core
