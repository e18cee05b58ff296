// An instant as text with the offset of a zone.
#pragma once

#include <string>

#include "ballot/time.hpp"
#include "zones/time_zone.hpp"

namespace ballot::zones {

/// RFC 3339 with the zone's offset, to the second where it is a whole one: 2025-03-09T08:00:00+01:00.
std::string local_text(WallTime at, const TimeZone& zone);

}  // namespace ballot::zones
