// ChainedSlot: a slot that a job has because somebody triggered one that it comes `after`, or that was triggered itself
// and has others after it. All jobs of the chain have the same slot, the one of the run that was triggered, and know it
// by that run's id. A job's register has it in a line `chained`: from when its run of it is claimed, or it is decided
// that there is none, until it can mean nothing more to any job of the chain (see chained.hpp).
//
//   chained 01a1fdb9-4694-7e83-99a6-b43e7ccabcd6 2026-11-28T01:17:03.283Z next succeeded
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

/// What a release before, which does not know the lines, has to keep of them is less than a kilobyte.
inline constexpr std::size_t chained_limit = 8;

struct ChainedSlot {
  RunId trigger;                       // the run that somebody triggered, of the first job
  WallTime slot{};                     // of that run
  bool is_first = false;               // of the job that was triggered
  std::optional<Named<Status>> ended;  // how the job's run of it has; none: it goes on
  bool operator==(const ChainedSlot&) const = default;

  /// The job's run of it: whoever begins it anew takes it for the same.
  RunId run(std::string_view job) const;
};

/// Null: the job has no such slot.
const ChainedSlot* find(const RareList<ChainedSlot>& slots, const RunId& trigger);

/// What cannot be, of all of them; "" where it can.
std::string_view fault_of(const RareList<ChainedSlot>& slots);

std::string to_text(const ChainedSlot& slot);
ChainedSlot read_chained_slot(Words& words);

}  // namespace ballot::core
