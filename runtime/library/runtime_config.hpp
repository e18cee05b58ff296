// The configuration of a program that embeds ballot: its settings, over a file where it names one; and what a runtime
// is made from, be it that or what `ballot serve` has read.
#pragma once

#include <string>

#include "ballot/runtime.hpp"
#include "config/config.hpp"
#include "library/settings.hpp"

namespace ballot::library {

/// Errors: invalid, with every finding in it.
Result<config::Config> config_of(const RuntimeSettings& settings);

struct RuntimeOrigin {
  Result<config::Config> config;
  Programs programs;
  std::string control_key;  // what sets the control socket
  bool is_host = true;      // its functions may be named by job files, and its heap is its own matter
};

RuntimeOrigin origin_of(const RuntimeSettings& settings);

}  // namespace ballot::library
