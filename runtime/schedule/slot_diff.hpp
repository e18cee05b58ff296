// SlotDiff: how the slots of one plan differ from those of another, in a span of time. Pure.
//
//   const SlotDiff diff = compare_slots(&before, &after, now, now + 7 * 24h);   // null: the job has no slots
//   diff.appear, diff.vanish ...
//
// Where as many slots vanish as appear between two that both have, or the span's ends, they have moved, each to the one
// of the same place.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ballot/time.hpp"
#include "schedule/plan.hpp"

namespace ballot::schedule {

struct SlotDiff {
  std::int64_t appear = 0, vanish = 0, move = 0;
  std::optional<WallTime> first_appears, first_vanishes;
  std::optional<std::pair<WallTime, WallTime>> first_move;  // from, to

  bool is_empty() const { return appear == 0 && vanish == 0 && move == 0; }
};

/// Strictly after `from` and up to `until`, which are the same anchors for `@every` in both. Dates that do not exist
/// are no slots.
SlotDiff compare_slots(const Plan* before, const Plan* after, WallTime from, WallTime until);

}  // namespace ballot::schedule
