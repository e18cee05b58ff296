// When an id was made, as a UUID of version 7 says it: its first 48 bits are milliseconds since 1970 (RFC 9562).
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

inline WallTime made_at(const RunId& id) {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | id.bytes[i];
  return WallTime(Millis(ms));
}

}  // namespace ballot
