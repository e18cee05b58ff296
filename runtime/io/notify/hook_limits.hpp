// What holds for everything that is told by a program.
#pragma once

#include "ballot/time.hpp"

namespace ballot::io {

inline constexpr Millis hook_grace{5'000};      // from the TERM of a hook that takes too long to its KILL
inline constexpr Millis ping_limit{40'000};     // three tries, and the pauses between them
inline constexpr Millis stop_patience{10'000};  // for what is to be told when the daemon stops

}  // namespace ballot::io
