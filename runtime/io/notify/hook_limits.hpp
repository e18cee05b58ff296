// Limits of the programs that notify: hooks, sendmail, pings.
#pragma once

#include "ballot/time.hpp"

namespace ballot::io {

inline constexpr Millis hook_grace{5'000};      // from the TERM of a hook that takes too long to its KILL
inline constexpr Millis ping_limit{40'000};     // three tries, and the pauses between them
inline constexpr Millis stop_patience{10'000};  // for them to end when the daemon stops

}  // namespace ballot::io
