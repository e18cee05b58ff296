// Whether a file is a whole shared object of this machine's kind. The dynamic loader itself dies of SIGBUS on one that
// was cut short (a full disk, a copy that broke off), so this is asked before. Knows nothing of plugins. Any thread.
#pragma once

#include <filesystem>

#include "ballot/error.hpp"

namespace ballot {

/// Errors: io, corrupt.
Result<void> check_shared_object(const std::filesystem::path& file);

}  // namespace ballot
