// HashSeed: where `H` in a cron expression falls, the same on every node and after every restart.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/fnv.hpp"

namespace ballot::schedule {

struct HashSeed {
  std::string_view group, job;

  /// 0 to count - 1: the upper half of the FNV-1a 64 hash of `group/job/field`, modulo count. (The lower half would tie
  /// a job's minute to its hour: the low bits of FNV mix too little.) `field` is one of second, minute, hour,
  /// day-of-month, month, day-of-week.
  unsigned pick(std::string_view field, unsigned count) const {
    const std::uint64_t hash = Fnv().add(group).add("/").add(job).add("/").add(field).value();
    return static_cast<unsigned>((hash >> 32) % count);
  }
};

}  // namespace ballot::schedule
