// Random: a seeded source, so that the core stays a function of its inputs; and run ids made from it.
#pragma once

#include <cstdint>
#include <random>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  /// 0 to bound - 1. Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

  /// UUID version 7: 48 bits of milliseconds, then 74 random bits.
  RunId run_id(WallTime now) {
    RunId id;
    const auto millis = static_cast<std::uint64_t>(now.time_since_epoch().count());
    for (int i = 0; i < 6; ++i)
      id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
    const std::uint64_t high = next(), low = next();
    for (std::size_t i = 6; i < 8; ++i) id.bytes[i] = static_cast<std::uint8_t>(high >> (8 * i));
    for (std::size_t i = 8; i < 16; ++i) id.bytes[i] = static_cast<std::uint8_t>(low >> (8 * (i - 8)));
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x70);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
    return id;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ballot
