// HashSeed: where `H` in a cron expression falls, the same on every node and after every restart.
#pragma once

#include <cstdint>
#include <string_view>

namespace ballot::schedule {

struct HashSeed {
  std::string_view group, job;

  /// 0 to count - 1: the upper half of the FNV-1a 64 hash of `group/job/field`, modulo count. (The lower half would tie
  /// a job's minute to its hour: the low bits of FNV mix too little.) `field` is one of second, minute, hour,
  /// day-of-month, month, day-of-week.
  unsigned pick(std::string_view field, unsigned count) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::string_view part : {group, std::string_view("/"), job, std::string_view("/"), field})
      for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return static_cast<unsigned>((hash >> 32) % count);
  }
};

}  // namespace ballot::schedule
