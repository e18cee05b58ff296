// When a run of the schedule was decided on, by its id. Pure; used by the parts of an audit.
#pragma once

#include <cstdint>
#include <optional>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::audit {

/// A run of the schedule has its id when its slot is claimed, or is to be run without a claim: UUID version 7.
inline std::optional<WallTime> decided_at(const RunId& run) {
  if (run.bytes[6] >> 4 != 7) return std::nullopt;
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i) millis = millis << 8 | run.bytes[i];
  return WallTime(Millis(millis));
}

}  // namespace ballot::audit
