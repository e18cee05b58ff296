// SlotEnd: how scheduled slots of a job have ended, for the jobs `after` it: a run of one slot, or a range of slots
// that were skipped or missed. The job's register has them, in lines `ended`, until no job `after` it can need them any
// more: whoever leads next decides by them as the term before would have.
//
// At most 8: a release that does not know the lines keeps a kilobyte of such.
//
// Pure values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "base/rare_list.hpp"

namespace ballot::core {

struct Words;

inline constexpr std::size_t slot_end_limit = 8;

struct SlotEnd {
  WallTime from{}, to{};  // the range; of a run both are its slot
  Named<Status> status = Status::missed;
  WallTime ended_at{};       // or when the range was settled
  std::optional<RunId> run;  // none: of a range
  bool operator==(const SlotEnd&) const = default;
};

/// Adds it in the order of slots.
void add(RareList<SlotEnd>& ends, SlotEnd end);

/// The last one that begins at or before `slot`; null: there is none.
const SlotEnd* last_until(const RareList<SlotEnd>& ends, WallTime slot);

/// The slots after `second` are decided anew, but for those that were claimed: what became of the others is not kept.
void bring_back(RareList<SlotEnd>& ends, WallTime second);

/// What cannot be, of all of them; "" where it can.
std::string_view fault_of(const RareList<SlotEnd>& ends);

std::string to_text(const SlotEnd& end);
SlotEnd read_slot_end(Words& words);

}  // namespace ballot::core
