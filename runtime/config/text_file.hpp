// Reading a small text file that may turn out to be anything: never blocks, never follows what it should not.
#pragma once

#include <sys/stat.h>

#include <string>

#include "ballot/error.hpp"

namespace ballot::config {

enum class Links { follow, refuse };

/// Reads `name` (below the open folder `folder`, or AT_FDCWD) into `text`, and says what the file is. Errors:
/// not_found; refused for what is no regular file, a link, or larger than largest_file; io. The texts do not repeat the
/// name.
Result<struct stat> read_text_file(int folder, const std::string& name, Links links, std::string& text);

}  // namespace ballot::config
