// Reading a small text file that may turn out to be anything: never blocks.
#pragma once

#include <sys/stat.h>

#include <string>

#include "ballot/error.hpp"

namespace ballot::config {

/// Reads the file `path`, or what a link there leads to, into `text`, and says what it is. Errors: not_found; refused
/// for what is no regular file, or larger than largest_file; io. The texts do not repeat the name.
Result<struct stat> read_text_file(const std::string& path, std::string& text);

/// The same of an open regular file. Errors: refused, io.
Result<void> read_text(int file, const struct stat& info, std::string& text);

}  // namespace ballot::config
