// Wall time as text: RFC 3339, UTC, `Z`. Slots to the second, other times to the millisecond.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot {

/// "2025-03-09T07:00:00Z"; what is below a second is cut off. Here and below, a time before the year 0 or after 9999 is
/// written as the nearest one that is not.
std::string format_seconds(WallTime time);

/// "2025-03-09T07:00:00.250Z".
std::string format_millis(WallTime time);

/// A slot: to the second where it is a whole one (every scheduled slot), else to the millisecond (a manual run's).
std::string format_slot(WallTime time);

/// RFC 3339 with an offset or `Z`, a fraction of up to nine digits (cut to milliseconds), `T`, `t` or a space. nullopt
/// if it is anything else, or before the year 0 or after 9999 in UTC.
std::optional<WallTime> parse_wall(std::string_view text);

}  // namespace ballot
