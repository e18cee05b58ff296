// The configuration of a program that embeds ballot: its settings, over a file where it names one.
#pragma once

#include "ballot/runtime.hpp"
#include "config/config.hpp"
#include "library/settings.hpp"

namespace ballot::library {

/// Errors: invalid, with every finding in it.
Result<config::Config> config_of(const RuntimeSettings& settings);

Programs programs_of(const RuntimeSettings& settings);

}  // namespace ballot::library
