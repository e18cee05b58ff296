#include "schedule/schedule.hpp"

#include <algorithm>

namespace ballot::schedule {
namespace {

using std::chrono::hours;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using Place = TimeZone::Place;

constexpr seconds whole_date = hours(24);
constexpr seconds widest_shift = hours(28);  // no two offsets ever used differ by more

local_seconds label_at(sys_seconds at, seconds offset) { return local_seconds(at.time_since_epoch() + offset); }
sys_seconds instant_of(local_seconds label, seconds offset) { return sys_seconds(label.time_since_epoch() - offset); }

Slot slot_of(const Place& place) {
  if (place.kind == Place::Kind::skipped && place.shift >= whole_date) return {place.change - seconds(1), true};
  return {place.first, false};
}

}  // namespace

std::optional<Slot> Schedule::next(sys_seconds from) const {
  return calendar_.every_hour() ? next_by_elapsed_time(from) : next_by_wall_clock(from);
}

std::optional<Slot> Schedule::next_by_elapsed_time(sys_seconds from) const {
  while (true) {
    const auto [offset, end] = zone_.span(from);
    const auto label = calendar_.next(label_at(from, offset));
    if (!label) return std::nullopt;
    const sys_seconds at = instant_of(*label, offset);
    if (at < end) return Slot{at, false};
    // No label between that of `from` and this one matches. Earlier labels can only come back within the widest shift
    // of `from`; beyond it, a rare schedule need not check every change on the way.
    from = end - from < widest_shift ? end : std::max(end, at - widest_shift);
  }
}

std::optional<Slot> Schedule::next_by_wall_clock(sys_seconds from) const {
  auto label = calendar_.next(first_label(from));
  while (label) {
    const Place place = zone_.find(*label);
    if (const Slot slot = slot_of(place); slot.at >= from) return slot;
    // `from` lies in a second pass: all labels of the repeated interval were due in the first
    label = calendar_.next(*label + std::max(place.change - place.first, seconds(1)));
  }
  return std::nullopt;
}

/// The earliest label that can be due at `at` or later: the current one, or, right after a gap, the gap's first.
local_seconds Schedule::first_label(sys_seconds at) const {
  const seconds now = zone_.offset(at), before = zone_.offset(at - seconds(1));
  const bool after_gap = now > before && now - before < whole_date;
  return label_at(at, after_gap ? before : now);
}

}  // namespace ballot::schedule
