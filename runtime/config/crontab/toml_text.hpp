// Values as a TOML file spells them.
#pragma once

#include <string>
#include <string_view>

namespace ballot::config {

/// In single quotes where that needs no escapes and double ones would, else in double ones. Requires: UTF-8, no NUL.
std::string toml_string(std::string_view text);

}  // namespace ballot::config
