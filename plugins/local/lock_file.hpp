// LockFile: who lives and who leads on this machine, as byte-range locks on one open file (F_OFD_SETLK, never
// F_SETLK, which any close in the process drops). A byte a session says that its daemon lives, a byte a group says
// that it leads; all of them fall with the descriptor, however the daemon ends. Knows nothing of terms. One thread.
//
//   auto file = LockFile::open(folder + "/lock");
//   file->take(LockFile::life(session));        // others see it in held(), and can wait for it with F_OFD_SETLKW
//   if (file->take(LockFile::group(id))) ...    // this daemon alone, until give() or death
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ballot/error.hpp"

namespace ballot::local {

class LockFile {
 public:
  using Byte = std::int64_t;
  struct Range {  // both included
    Byte first = 0;
    Byte last = 0;
  };

  /// The two halves of the file's offsets; ids begin at 1.
  static constexpr Byte life(std::int64_t session) { return session; }
  static constexpr Byte group(std::int64_t id) { return (Byte{1} << 62) + id; }

  /// Opens or creates it, mode 0600. Errors: io; refused, where `path` is not a regular file.
  static Result<LockFile> open(const std::string& path) { return open(path, O_CREAT); }
  /// An error too where there is none.
  static Result<LockFile> find(const std::string& path) { return open(path, 0); }
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

  /// False: another daemon holds it. Taking it twice is taking it once.
  bool take(Byte byte) noexcept;
  void give(Byte byte) noexcept { give(Range{byte, byte}); }
  void give(Range range) noexcept;
  /// Gives all. Nothing else may follow.
  void close() noexcept;
  /// By another daemon.
  bool held(Byte byte) const noexcept;
  /// Where others hold locks within `range`, in order. One call of the system a range and gap.
  std::vector<Range> held(Range range) const;

  /// False: the name leads to another file by now, so these locks say nothing to a daemon that starts today.
  bool in_place() const noexcept;
  /// What the file holds: the name of the store that it belongs to; empty when new.
  std::string text() const;
  bool set_text(const std::string& text) noexcept;

 private:
  static Result<LockFile> open(const std::string& path, int flags);
  LockFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace ballot::local
