// FileId: which file it is, whatever its name: a file that is removed and made anew is another one. Any thread.
//
//   const FileId file = file_id(path);  ...  if (file_id(path) != file) ... it was replaced
#pragma once

#include <sys/stat.h>

#include <string>

namespace ballot::support {

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

inline FileId file_id(const struct stat& info) noexcept { return {info.st_dev, info.st_ino}; }

/// FileId{} where there is none.
inline FileId file_id(const std::string& path) noexcept {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? file_id(found) : FileId{};
}

inline FileId file_id(int descriptor) noexcept {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 ? file_id(found) : FileId{};
}

}  // namespace ballot::support
