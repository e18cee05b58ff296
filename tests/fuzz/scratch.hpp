// Scratch: files that parsers read by their paths: one folder a process.
#pragma once

#include <string>
#include <string_view>

#include "support/temp_folder.hpp"

namespace ballot::fuzz {

inline const TempFolder& scratch() {
  static const TempFolder folder;
  return folder;
}

/// A file of that name and these bytes, which nobody else may write to; its path.
inline std::string scratch_file(std::string_view name, std::string_view bytes, mode_t mode = 0644) {
  const std::string path = scratch().write(name, bytes);
  ::chmod(path.c_str(), mode);
  return path;
}

}  // namespace ballot::fuzz
