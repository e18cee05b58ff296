// MovedSlot: of a slot that the job's `shift` has put on its day, from which day, and why that one is left out.
//
// Threads: any.
//
//   text += moved_text(slot, facts);   // " By shift = "next" it is the slot of an earlier day: 2026-12-25 is in ..."
#pragma once

#include <string>

#include "library/why/why_detail.hpp"

namespace ballot::library {

/// A sentence after a space, by the job's file as it is now; "" where the slot is on a day of its own.
std::string moved_text(WallTime slot, const JobFacts& job);

}  // namespace ballot::library
