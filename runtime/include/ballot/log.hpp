// Log: where ballot's parts say what they do. The program that embeds ballot decides what becomes of the lines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot {

enum class Level { trace, debug, info, warn, error, fatal };

/// The fields beside the text: {"job", "nightly"}, {"run", "0192..."}. Keys are lower case with underscores.
using LogFields = std::vector<std::pair<std::string_view, std::string>>;

/// Called from any thread; must not throw and must not block for long.
using Log = std::function<void(Level, std::string_view text, const LogFields&)>;

}  // namespace ballot
