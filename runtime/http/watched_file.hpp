// WatchedFile: whether a file is another one, or has another content, than when it was looked at last.
//
// Thread: one.
//
//   WatchedFile file("/etc/ballot/tokens");
//   if (file.changed()) read_again();
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ballot::web {

class WatchedFile {
 public:
  /// "": a file that never changes.
  explicit WatchedFile(std::string path) : path_(std::move(path)) { changed(); }

  /// Since the last call. A file that is gone has changed.
  bool changed() {
    const Mark now = mark();
    return std::exchange(last_, now) != now;
  }

 private:
  using Mark = std::optional<std::array<std::int64_t, 6>>;

  Mark mark() const {
    struct stat info {};
    if (path_.empty() || ::stat(path_.c_str(), &info) != 0) return std::nullopt;
    return std::array<std::int64_t, 6>{static_cast<std::int64_t>(info.st_dev),
                                       static_cast<std::int64_t>(info.st_ino),
                                       info.st_size,
                                       info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec,
                                       info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec,
                                       info.st_mode};
  }

  std::string path_;
  Mark last_;
};

}  // namespace ballot::web
