// The texts of diagnostics, as a failed test shows them.
#pragma once

#include <string>

namespace ballot::config {

/// The texts of diagnostics, a line each: what a failed test shows.
template <class Diagnostics>
std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& diagnostic : diagnostics) text += diagnostic.text() + '\n';
  return text;
}

}  // namespace ballot::config
