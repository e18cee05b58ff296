// TempFolder: a folder for one test, gone with it; or left, where that is wanted and the test ends by an exception.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ballot {

class TempFolder {
 public:
  static inline bool left_by_exceptions = false;

  explicit TempFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "ballot.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = name;
  }
  ~TempFolder() {
    if (left_by_exceptions && std::uncaught_exceptions() > 0) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  /// Writes a file in it, with mode 0644 whatever the umask, and returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    const std::string file = *this / name;
    std::ofstream(file, std::ios::binary) << text;
    ::chmod(file.c_str(), 0644);
    return file;
  }
  void remove(std::string_view name) const { std::filesystem::remove(*this / name); }

 private:
  std::string path_;
};

}  // namespace ballot
