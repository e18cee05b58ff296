// What messages between nodes have in common: times as milliseconds since 1970, and texts that may be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/time.hpp"
#include "io/message.hpp"

namespace ballot::library {

inline std::int64_t in_ms(WallTime time) { return time.time_since_epoch().count(); }

inline std::optional<WallTime> instant_of(const io::Message& message, const char* key) {
  const auto found = message.integer(key);
  return found ? std::optional(WallTime(Millis(*found))) : std::nullopt;
}

inline std::string text_under(const io::Message& message, const char* key) { return message.text(key).value_or(""); }

}  // namespace ballot::library
