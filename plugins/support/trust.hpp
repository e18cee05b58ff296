// Trust: whether anybody but root and this process's user could change a file or folder that a plugin reads. A plugin
// sees no header of the daemon's that could say so. Knows nothing of what lies there.
//
//   if (const std::string fault = distrust_folder(folder); !fault.empty()) return Error{Errc::refused, fault};
#pragma once

#include <sys/stat.h>

#include <string>

namespace ballot::support {

/// Empty where it belongs to root or to this process's user; else "belongs to user 1000: ...".
std::string distrust_owner(const struct stat& info);

/// The same, and nobody else may write to it: else "is writable by others (mode 0777): ...".
std::string distrust(const struct stat& info);

/// Of a folder and of every folder and link on the way to it, with the name of the one at fault. In a sticky folder
/// on the way others may write: what lies in it and is passed is asked itself. What is not there is not at fault.
std::string distrust_folder(const std::string& path);

/// The same, where the folder itself may be a sticky one too: the caller checks the file in it.
std::string distrust_way(const std::string& folder);

/// The same of a file, which must not be a symlink; a missing file is trusted.
std::string distrust_file(const std::string& path);

/// "(mode 0640)".
std::string mode_of(const struct stat& info);

}  // namespace ballot::support
