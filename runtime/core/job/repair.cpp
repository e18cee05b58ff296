#include "core/job/repair.hpp"

#include "base/wall_text.hpp"

namespace ballot::core {

void Repair::wrote(const Disposition& range) {
  if (range.reason != Reason::halted) return;
  if (!from) from = range.from;
  to = range.to;
  slots += range.slots;
}

std::string Repair::text(const std::string& job) const {
  std::string text = "repaired: job " + job;
  if (cursor_ahead)
    text += ": its cursor was ahead of the clock, at " + format_slot(*cursor_ahead) +
            "; it is now's, and the slots between are decided again when they are due";
  if (slots > 0)
    text += ": " + std::to_string(slots) + (slots == 1 ? " slot, " : " slots, from ") + format_slot(*from) +
            (slots == 1 ? "" : " to " + format_slot(*to)) + ", missed: halted";
  if (waited > 0)
    text += "; " + std::to_string(waited) + (waited == 1 ? " run that waited is" : " runs that waited are") +
            " not started, for it may have been";
  return text;
}

}  // namespace ballot::core
