/// \file
/// Log: where ballot's parts say what they do. The program that embeds ballot decides what becomes of the lines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot {

/// How much a line matters.
enum class Level {
  trace,  ///< nothing uses it
  debug,  ///< for who looks for a fault
  info,   ///< what it does
  warn,   ///< something is not as it should be
  error,  ///< something does not work
  fatal   ///< it cannot go on
};

/// The fields beside the text: {"job", "nightly"}, {"run", "0192..."}. Keys are lower case with underscores.
using LogFields = std::vector<std::pair<std::string_view, std::string>>;

/// Called from any thread; must not throw and must not block for long.
using Log = std::function<void(Level, std::string_view text, const LogFields&)>;

}  // namespace ballot
