#include "lock_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ballot::local {

namespace {

constexpr std::size_t max_text = 256;

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

}  // namespace

Result<LockFile> LockFile::open(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd < 0) return Error{Errc::io, "cannot open the lock file " + path + ": " + std::strerror(errno)};
  LockFile file(fd, path);
  struct stat found {};
  if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
    return Error{Errc::refused, "the lock file " + path + " is not a regular file: remove it"};
  if (!file.in_place()) return Error{Errc::io, "the lock file " + path + " is being replaced: try again"};
  return file;
}

LockFile::LockFile(LockFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

LockFile::~LockFile() { close(); }

void LockFile::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool LockFile::take(Byte byte) noexcept { return set(fd_, F_WRLCK, {byte, byte}); }

void LockFile::give(Range range) noexcept { set(fd_, F_UNLCK, range); }

bool LockFile::held(Byte byte) const noexcept {
  struct flock lock = lock_of(F_WRLCK, {byte, byte});
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// The system names one conflicting range, not the first one: what lies on both sides of it is asked for again.
std::vector<LockFile::Range> LockFile::held(Range range) const {
  std::vector<Range> found;
  std::vector<Range> open{range};
  while (!open.empty()) {
    const Range asked = open.back();
    open.pop_back();
    struct flock lock = lock_of(F_WRLCK, asked);
    if (::fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) continue;
    const Byte last = lock.l_len == 0 ? asked.last : lock.l_start + lock.l_len - 1;
    const Range held{std::max<Byte>(lock.l_start, asked.first), std::min(last, asked.last)};
    found.push_back(held);
    if (held.first > asked.first) open.push_back({asked.first, held.first - 1});
    if (held.last < asked.last) open.push_back({held.last + 1, asked.last});
  }
  std::sort(found.begin(), found.end(), [](Range a, Range b) { return a.first < b.first; });
  return found;
}

bool LockFile::in_place() const noexcept {
  struct stat named {
  }, mine{};
  return ::stat(path_.c_str(), &named) == 0 && ::fstat(fd_, &mine) == 0 && named.st_ino == mine.st_ino &&
         named.st_dev == mine.st_dev;
}

std::string LockFile::text() const {
  char buffer[max_text];
  const ssize_t size = ::pread(fd_, buffer, sizeof buffer, 0);
  return size <= 0 ? std::string() : std::string(buffer, static_cast<std::size_t>(size));
}

bool LockFile::set_text(const std::string& text) noexcept {
  return ::pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) && ::fsync(fd_) == 0;
}

}  // namespace ballot::local
