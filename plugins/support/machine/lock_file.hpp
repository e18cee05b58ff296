// LockFile: who lives on this machine, and who writes, as byte-range locks on one open file (F_OFD_SETLK, never
// F_SETLK, which any close in the process drops). A byte a session says that its daemon lives; one range says who has
// the exclusive right to write. All of them fall with the descriptor, however the daemon ends. It has a little text,
// and what Leases keeps behind it. Knows nothing of terms. One thread.
//
//   auto file = LockFile::open(folder + "/lock");
//   file->take(LockFile::life(session));        // others see it in held()
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/error.hpp"

namespace ballot::support {

class LockFile {
 public:
  using Byte = std::int64_t;
  struct Range {  // both included
    Byte first = 0;
    Byte last = 0;
    bool operator==(const Range&) const = default;
  };

  /// Ids begin at 1.
  static constexpr Byte life(std::int64_t session) { return session; }
  /// All locks of writers begin here, so one excludes all others; where it ends says who has it.
  static constexpr Range writer(std::int64_t token) { return {Byte{1} << 61, (Byte{1} << 61) + token}; }
  static constexpr std::int64_t max_token = (std::int64_t{1} << 60) - 1;

  /// Bytes before it are text.
  static constexpr std::int64_t text_size = 512;

  /// Opens or creates it, mode 0600. Errors: not_found, io; refused, where this user may not, where `path` is not a
  /// regular file, or another user could change it.
  static Result<LockFile> open(const std::string& path) { return open(path, O_CREAT); }
  /// An error too where there is none.
  static Result<LockFile> find(const std::string& path) { return open(path, 0); }
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

  /// False: another daemon holds it. Taking it twice is taking it once.
  bool take(Byte byte) noexcept { return take(Range{byte, byte}); }
  bool take(Range range) noexcept;
  void give(Byte byte) noexcept { give(Range{byte, byte}); }
  void give(Range range) noexcept;
  /// Gives all. Nothing else may follow.
  void close() noexcept;
  /// By another daemon.
  bool held(Byte byte) const noexcept { return holder({byte, byte}).has_value(); }
  /// A lock of another daemon that `range` meets, whole.
  std::optional<Range> holder(Range range) const noexcept;

  /// Whether a process of this pid namespace has it open, as far as can be seen.
  bool open_in(std::int64_t pid) const noexcept;
  /// False: the name leads to another file by now, so these locks say nothing to a daemon that starts today.
  bool in_place() const noexcept;
  /// The name of the store that it belongs to; empty when new.
  std::string text() const;
  bool set_text(const std::string& text) noexcept;
  /// When its text or what lies behind it was written last; of a new one, when it was made.
  std::int64_t changed_seconds() const noexcept;

  std::int64_t size() const noexcept;
  /// False: not all of it is there.
  bool read(std::int64_t at, void* to, std::size_t size) const noexcept;
  /// 0, or errno.
  int write(std::int64_t at, const void* from, std::size_t size) noexcept;
  /// Of all that was written.
  bool sync() noexcept;

 private:
  static Result<LockFile> open(const std::string& path, int flags);
  LockFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace ballot::support
