// StoreFolder: the folder of one namespace of a store on this machine: where it lies, and whether its file system can
// be trusted with locks and fsync. Knows nothing of what is in it.
//
//   const std::string folder = folder_of(settings, "local");
//   if (auto made = make_folder(folder); !made) return made.error();
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"

namespace ballot::support {

/// `<path>/<namespace>`; `path` is the option, `by_default` where it is not set; under the state folder where relative.
std::string folder_of(const BackendSettings& settings, const std::string& by_default);

/// Makes it, mode 0700, and what is missing on the way. Errors: io; refused, where it can never be made so, others
/// could change it, or it lies on a network or user-space file system.
Result<void> make_folder(const std::string& folder);

/// The name of a file system whose locks or writes are not this machine's own; empty where it may be used.
std::string network_file_system(long magic);

}  // namespace ballot::support
