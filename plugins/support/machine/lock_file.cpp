#include "support/machine/lock_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "support/machine/file_id.hpp"
#include "support/machine/process.hpp"
#include "support/trust.hpp"

namespace ballot::support {

namespace {

struct flock lock_of(short type, LockFile::Range range) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.first;
  lock.l_len = range.last - range.first + 1;
  return lock;
}

bool set(int fd, short type, LockFile::Range range) {
  struct flock lock = lock_of(type, range);
  int done;
  do done = ::fcntl(fd, F_OFD_SETLK, &lock);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

Errc code_of(int failed) {
  if (failed == ENOENT) return Errc::not_found;
  return failed == EACCES || failed == EPERM || failed == EROFS || failed == ELOOP ? Errc::refused : Errc::io;
}

}  // namespace

Result<LockFile> LockFile::open(const std::string& path, int flags) {
  // O_NONBLOCK: a FIFO of this name must not keep the daemon.
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
  if (fd < 0) return Error{code_of(errno), "cannot open the lock file " + path + ": " + std::strerror(errno)};
  LockFile file(fd, path);
  struct stat found {};
  if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
    return Error{Errc::refused, "the lock file " + path + " is not a regular file: remove it"};
  if (const std::string fault = distrust(found); !fault.empty())
    return Error{Errc::refused, "the lock file " + path + " " + fault};
  if (!file.in_place()) return Error{Errc::io, "the lock file " + path + " is being replaced: try again"};
  return file;
}

LockFile::LockFile(LockFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

LockFile::~LockFile() { close(); }

void LockFile::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool LockFile::take(Range range) noexcept { return set(fd_, F_WRLCK, range); }

void LockFile::give(Range range) noexcept { set(fd_, F_UNLCK, range); }

std::optional<LockFile::Range> LockFile::holder(Range range) const noexcept {
  struct flock lock = lock_of(F_WRLCK, range);
  if (::fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return Range{lock.l_start, lock.l_len == 0 ? range.last : lock.l_start + lock.l_len - 1};
}

bool LockFile::open_in(std::int64_t pid) const noexcept { return has_open(pid, file_id(fd_)); }

bool LockFile::in_place() const noexcept {
  const FileId own = file_id(fd_);
  return own != FileId{} && own == file_id(path_);
}

std::string LockFile::text() const {
  char buffer[text_size];
  const ssize_t size = ::pread(fd_, buffer, sizeof buffer, 0);
  return size <= 0 ? std::string() : std::string(buffer, ::strnlen(buffer, static_cast<std::size_t>(size)));
}

bool LockFile::set_text(const std::string& text) noexcept { return write(0, text.data(), text.size()) == 0 && sync(); }

std::int64_t LockFile::changed_seconds() const noexcept {
  struct stat found {};
  return ::fstat(fd_, &found) == 0 ? found.st_mtim.tv_sec : 0;
}

std::int64_t LockFile::size() const noexcept {
  struct stat found {};
  return ::fstat(fd_, &found) == 0 ? found.st_size : 0;
}

bool LockFile::read(std::int64_t at, void* to, std::size_t size) const noexcept {
  return ::pread(fd_, to, size, at) == static_cast<ssize_t>(size);
}

int LockFile::write(std::int64_t at, const void* from, std::size_t size) noexcept {
  const ssize_t written = ::pwrite(fd_, from, size, at);
  if (written == static_cast<ssize_t>(size)) return 0;
  return written < 0 ? errno : ENOSPC;
}

bool LockFile::sync() noexcept { return ::fdatasync(fd_) == 0; }

}  // namespace ballot::support
