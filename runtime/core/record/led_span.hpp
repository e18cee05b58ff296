// When terms before one's own have led, as far as the next one can know.
//
//   the term before              | led
//   recorded its end             | up to then
//   did not: it lost its session | as long as its lease: from its last renewal that the store shows, or from
//                                | its election where that is later
//   did not record its beginning | for a lease from its last renewal that the store shows; else nothing is known of it
//
// Pure. Knows nothing of slots; used by GroupMachine, for Coverage.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/record/register.hpp"

namespace ballot::core {

/// `before`: the group's register as the term of `epoch` finds it; `last_alive`: as in backend::Elected; `lease`: a
/// session's, which is taken to have been the same. Spans may reach into the term of `epoch`.
std::vector<LedSpan> led_before(const GroupRegister& before, std::uint64_t epoch, std::optional<WallTime> last_alive,
                                Millis lease);

}  // namespace ballot::core
