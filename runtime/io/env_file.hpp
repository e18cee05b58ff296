// EnvFile: the text of a job's `env_file`. A line is NAME=VALUE, empty, or a comment that begins with `#` or `;`.
// Blanks around NAME and VALUE do not count; a value between two like quotes, ' or ", is what is between them, byte
// for byte. There are no escapes, no continued lines and no expansion: a backslash and a `$` are themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"

namespace ballot::io {

/// In order; of a name that occurs twice the later counts. invalid: the line that is wrong, and never what is in it.
Result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text);

}  // namespace ballot::io
