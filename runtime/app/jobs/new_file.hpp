// A file for people that is not there yet: written as a whole or not at all, and never over one that differs.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <string>

#include "ballot/error.hpp"

namespace ballot::app {

enum class Written { fresh, unchanged };

/// Writes a file unless one with this content is there (`unchanged`). Errors: refused, where a file with other content,
/// a link or no regular file is there; io.
Result<Written> write_new_file(const std::string& path, const std::string& text, mode_t mode);

}  // namespace ballot::app
