// Opening a file where anything may lie: a FIFO, a device or a link in its place keeps nobody waiting and is not read.
//
//   const auto file = open_regular(path, O_RDWR | O_CREAT);
//   if (!file) return file.error();
#pragma once

#include <sys/stat.h>

#include <string>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot {

struct RegularFile {
  UniqueFd fd;
  struct stat info {};
};

/// Opens the regular file `path`; a link in its place is not followed. `flags` are open()'s access mode, O_CREAT and
/// O_EXCL; `mode` is that of a new file. Errors name the path: not_found; refused: a link, or no regular file; io.
/// Never blocks.
Result<RegularFile> open_regular(const std::string& path, int flags, mode_t mode = 0600);

/// For what a library opens by its name: it would wait for ever for a FIFO. A link is followed. Errors name the path:
/// not_found; invalid: no regular file; io.
Result<struct stat> stat_regular(const std::string& path);

}  // namespace ballot
