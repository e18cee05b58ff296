#include "zones/zone_files.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace ballot::zones {
namespace {

std::string path_of(const std::string& name) {
  const char* const folder = std::getenv("TZDIR");  // as cctz does
  return std::string(folder != nullptr ? folder : "/usr/share/zoneinfo") + "/" + name;
}

/// What a file was when it was looked at.
struct Stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified_ns = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& name) {
  struct stat info {};
  if (::stat(path_of(name).c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size,
          std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

/// The files of the zones that were loaded. cctz keeps what it has loaded by its name: a changed file gets another one.
class ZoneFiles {
 public:
  std::string load_name(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto [file, is_new] = files_.try_emplace(name);
    if (is_new) file->second.stamp = stamp_of(name);
    std::string path;
    for (int i = 0; i < file->second.changes; ++i) path += "./";
    return path.empty() ? name : path_of(path + name);
  }

  std::uint64_t look_again() {
    const std::lock_guard lock(mutex_);
    for (auto& [name, file] : files_) {
      const Stamp now = stamp_of(name);
      if (now == file.stamp || now == Stamp{}) continue;  // one that is gone is being replaced
      file.stamp = now;
      ++file.changes;
      ++changes_;
    }
    return changes_;
  }

 private:
  struct File {
    Stamp stamp;
    int changes = 0;
  };

  std::mutex mutex_;
  std::map<std::string, File> files_;
  std::uint64_t changes_ = 0;
};

/// Never destroyed: a thread of a program that ends may still ask.
ZoneFiles& zone_files() {
  static ZoneFiles& files = *new ZoneFiles;
  return files;
}

}  // namespace

std::uint64_t zone_changes() { return zone_files().look_again(); }
std::string zone_load_name(const std::string& name) { return zone_files().load_name(name); }

}  // namespace ballot::zones
