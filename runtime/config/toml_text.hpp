// Values as TOML has them, for texts of job files that are made by programs.
#pragma once

#include <string>
#include <string_view>

namespace ballot::config {

/// In single quotes where that needs no escapes and double ones would, else in double ones.
std::string toml_string(std::string_view text);

}  // namespace ballot::config
