// Backfill: past slots of a job that somebody has asked to run, oldest first, as ranges of slots that have not been
// begun. The job's register has it in one line, `backfill`: the claim of a slot takes the slot out of the ranges, so
// that whoever leads next goes on where the term before was.
//
// A range is two instants, and which slots lie between is up to the job's schedule. Ranges are written as seconds after
// the first instant, "0-7200,86400": a release that does not know the line keeps a kilobyte of such, together with
// others that it does not know.
//
// Pure values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::core {

struct Words;

inline constexpr Millis a_second{1000};  // slots are whole seconds
inline constexpr std::size_t most_slot_ranges = 64;
inline constexpr std::size_t longest_slot_ranges = 300;     // bytes of their text, without the first instant
inline constexpr std::size_t longest_backfill_author = 80;  // bytes
inline constexpr int most_parallel = 16;                    // open runs of a register

/// Slots of a job, from the first to the last; both are whole seconds, and in the range.
struct SlotRange {
  WallTime from{}, to{};
  bool operator==(const SlotRange&) const = default;
};
using SlotRanges = std::vector<SlotRange>;

/// Why nobody can ask for such ranges: "" where they can. Errors say how to ask for less.
std::string_view fault_of(const SlotRanges& ranges);

/// "2026-03-09T00:00:00Z 0-7200,86400". Requires: ranges without a fault.
std::string to_text(const SlotRanges& ranges);
SlotRanges read_slot_ranges(Words& words);

struct Backfill {
  RunId id;                 // of the request
  WallTime at{};            // when it was taken up,
  std::string by;           // and who had asked for it
  int parallel = 1;         // so many of its runs may go on at once
  std::uint32_t begun = 0;  // so many slots are
  SlotRanges left;          // slots that are not begun; empty: all are
  bool operator==(const Backfill&) const = default;

  /// The slot, which is the first one, is begun; ranges before it have no slot.
  void begin(WallTime slot);
};

/// The line of a register, without its key; and its reading.
std::string to_text(const Backfill& backfill);
Backfill read_backfill(Words& words);

}  // namespace ballot::core
