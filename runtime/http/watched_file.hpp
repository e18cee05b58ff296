// WatchedFile: whether a file is another one, or has another content, than when it was read last. One whose reading
// failed stays changed: descriptors may have been used up, or its folder been open to others, and nothing of the file
// itself changes when that is over.
//
// Thread: one.
//
//   WatchedFile file("/etc/ballot/tokens");
//   if (file.changed() && read_again()) file.was_read();
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
  /// "": a file that never changes. It is to be read next, and counts as read.
  explicit WatchedFile(std::string path) : path_(std::move(path)), seen_(mark()), read_(seen_) {}

  /// Since it was read. A file that is gone has changed.
  bool changed() {
    seen_ = mark();
    return seen_ != read_;
  }
  /// As changed() saw it, or later: what was written meanwhile has changed.
  void was_read() { read_ = seen_; }

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
  Mark seen_, read_;
};

/// A fault that is found again and again: each reason is reported once, until it is another one or over.
class ToldOnce {
 public:
  bool is_new(const std::string& reason) { return std::exchange(told_, reason) != reason; }
  void is_over() { told_.clear(); }
  const std::string& told() const { return told_; }

 private:
  std::string told_;
};

}  // namespace ballot::web
