// What the daemon asks, as it starts, of the files that [http] and [fleet] of a configuration name. `ballot check` asks
// the same. Thread: any.
//
//   for (const FileFault& fault : check_named_files(config)) if (fault.stops) return fault.error;
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "config/config.hpp"

namespace ballot::library {

struct FileFault {
  Error error;           // names the key and the file
  bool stops = false;    // the daemon does not start; else it goes without what the file is for
  bool is_known = true;  // false: this user may not read the file, and the daemon's may be able to
};

/// The folder of the API's socket, tokens and certificates, the token that other nodes are shown, and the history's
/// plugin with its table. Nothing where no API listens.
std::vector<FileFault> check_named_files(const config::Config& config);

}  // namespace ballot::library
