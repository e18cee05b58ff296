// SecretFile: the first line of a file that only root and this user may read or write, nor reach by a folder that
// others may write to. The rules of a job's `secrets`.
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::zookeeper {

/// Errors, each with the path: refused, where others may read or change it; invalid, where its first line is empty; io.
Result<std::string> read_secret(const std::string& path);

}  // namespace ballot::zookeeper
