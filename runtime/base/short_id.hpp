// A run's id as tables and sentences show it: its last 12 digits, which every command takes for the run. Pure.
#pragma once

#include <string>

#include "ballot/run.hpp"

namespace ballot {

inline std::string short_id(const RunId& run) {
  constexpr std::size_t digits = 12;
  const std::string text = run.text();
  return text.substr(text.size() - digits);
}

}  // namespace ballot
