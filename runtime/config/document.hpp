// A TOML text as a tree, or the one finding that says why it is none.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string_view>

#include "config/diagnostics.hpp"

namespace ballot::config {

/// None, and one finding, where `text` is not TOML or contains what check_text() refuses.
std::optional<toml::table> parse_toml(std::string_view text, Findings& findings);

}  // namespace ballot::config
