// Durations and sizes as people write them: "1w2d3h4m5s6ms", "64KiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot {

/// Integers with a unit each (w d h m s ms), in descending order, each unit at most once; no sign, no spaces. nullopt
/// if it is anything else or does not fit.
std::optional<Millis> parse_duration(std::string_view text);

/// The shortest text that parse_duration reads back as the same: "1h30m"; "0s" for zero. Requires: not negative.
std::string format_duration(Millis duration);

/// Bytes as a plain integer, or with KiB, MiB or GiB. nullopt if it is anything else or does not fit.
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace ballot
