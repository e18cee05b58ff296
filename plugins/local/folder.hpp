// The folder of one namespace: where it lies, and whether its file system can be trusted with locks and fsync.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"

namespace ballot::local {

/// `<path>/<namespace>`; `path` is the option, by default and where relative under the state folder.
std::string folder_of(const BackendSettings& settings);

/// Makes it, mode 0700, and what is missing on the way. Errors: io; refused, where it can never be made so, others
/// could change it, or it lies on a network or user-space file system.
Result<void> make_folder(const std::string& folder);

/// The name of a file system whose locks or writes are not this machine's own; empty where it may be used.
std::string network_file_system(long magic);

}  // namespace ballot::local
