// TempFolder: an empty folder of a test's own, gone with it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ballot::config {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ballot-config-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string path(std::string_view name) const { return (path_ / name).string(); }

  /// With mode 0644, whatever the umask.
  void write(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << text;
    ASSERT_EQ(::chmod(path(name).c_str(), 0644), 0);
  }
  void remove(std::string_view name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path path_;
};

/// The texts of diagnostics, a line each: what a failed test shows.
template <class Diagnostics>
std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& diagnostic : diagnostics) text += diagnostic.text() + '\n';
  return text;
}

}  // namespace ballot::config
