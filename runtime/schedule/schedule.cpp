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

using Label = Chosen<local_seconds>;

Slot slot_of(const Place& place, const Label& label) {
  const bool no_such_date = place.kind == Place::Kind::skipped && place.shift >= whole_date;
  const WallTime at = no_such_date ? place.change - seconds(1) : place.first;
  if (label.left_out) return {at, Slot::Kind::left_out};
  return {at, no_such_date ? Slot::Kind::dst_gap : Slot::Kind::due};
}

}  // namespace

/// The labels of the calendar's days, or those that a rule makes of them.
struct Schedule::Labels {
  const Calendar& calendar;
  const DayRule* days;  // null: none
  bool due_only;

  std::optional<Label> next(local_seconds from) const {
    if (days != nullptr) return days->next(calendar, from, due_only);
    const auto label = calendar.next(from);
    return label ? std::optional(Label{*label, false}) : std::nullopt;
  }
};

std::optional<Slot> Schedule::next(sys_seconds from, const DayRule* days, bool due_only) const {
  const Labels labels{calendar_, days, due_only};
  return calendar_.every_hour() ? next_by_elapsed_time(from, labels) : next_by_wall_clock(from, labels);
}

std::optional<Slot> Schedule::next_by_elapsed_time(sys_seconds from, const Labels& labels) const {
  while (true) {
    const auto [offset, end] = zone_.span(from);
    const auto label = labels.next(label_at(from, offset));
    if (!label) return std::nullopt;
    const sys_seconds at = instant_of(label->at, offset);
    if (at < end) return Slot{at, label->left_out ? Slot::Kind::left_out : Slot::Kind::due};
    // No label between that of `from` and this one matches. Earlier labels can only come back within the widest shift
    // of `from`; beyond it, a rare schedule need not check every change on the way.
    from = end - from < widest_shift ? end : std::max(end, at - widest_shift);
  }
}

std::optional<Slot> Schedule::next_by_wall_clock(sys_seconds from, const Labels& labels) const {
  auto label = labels.next(first_label(from));
  while (label) {
    const Place place = zone_.find(label->at);
    if (const Slot slot = slot_of(place, *label); slot.at >= from)
      return labels.days == nullptr || slot.is_due() ? slot : of_all_labels(slot, label->at, labels);
    // `from` lies in a second pass: all labels of the repeated interval were due in the first
    label = labels.next(label->at + std::max(place.change - place.first, seconds(1)));
  }
  return std::nullopt;
}

/// One label that is due makes its instant due. Those of one date are alike to a rule.
Slot Schedule::of_all_labels(Slot slot, local_seconds label, const Labels& labels) const {
  while (!slot.is_due()) {
    const auto other = labels.next(std::chrono::floor<std::chrono::days>(label) + std::chrono::days(1));
    if (!other) break;
    const Slot another = slot_of(zone_.find(other->at), *other);
    if (another.at != slot.at) break;
    slot.kind = std::min(slot.kind, another.kind);
    label = other->at;
  }
  return slot;
}

/// The earliest label that can be due at `at` or later: the current one, or, right after a gap, the gap's first.
local_seconds Schedule::first_label(sys_seconds at) const {
  const seconds now = zone_.offset(at), before = zone_.offset(at - seconds(1));
  const bool after_gap = now > before && now - before < whole_date;
  return label_at(at, after_gap ? before : now);
}

}  // namespace ballot::schedule
