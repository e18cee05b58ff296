// Trust: whether anybody but root and this process's user could change a file or folder of the store. A plugin of its
// own sees no header of ballot's that could say so.
#pragma once

#include <sys/stat.h>

#include <string>

namespace ballot::local {

/// Empty where it belongs to root or to this process's user and nobody else may write to it; else "belongs to user
/// 1000; ...", "is writable by others; ...".
std::string distrust(const struct stat& info);

/// Of a folder and of every folder and link on the way to it, with the name of the one at fault. In a sticky folder
/// on the way others may write: what lies in it and is passed is asked itself. What is not there is not at fault.
std::string distrust_folder(const std::string& path);

/// Of a file that must not be a link; empty also where it is not there.
std::string distrust_file(const std::string& path);

}  // namespace ballot::local
