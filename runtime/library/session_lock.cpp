#include "library/session_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis lock_poll_interval{10};

/// False: it was removed after it was opened, or replaced.
bool is_at(int file, const std::string& path) {
  struct stat opened {
  }, there{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

std::string holder_of(int file) {
  char word[32];
  const ssize_t size = ::pread(file, word, sizeof word, 0);
  return {word, size > 0 ? static_cast<std::size_t>(size) : 0};
}

}  // namespace

std::string lock_path(const std::string& session_path) { return session_path + ".lock"; }

SessionLock::Taken SessionLock::take(std::string_view who) {
  if (is_held()) return Taken::yes;
  while (true) {
    UniqueFd file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return Taken::no_file;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return Taken::no_file;
      return holder_of(file.get()) == program ? Taken::in_use : Taken::by_other;
    }
    if (!is_at(file.get(), path_)) continue;
    (void)!::ftruncate(file.get(), 0);
    (void)!::pwrite(file.get(), who.data(), who.size(), 0);
    file_ = std::move(file);
    return Taken::yes;
  }
}

SessionLock::Taken SessionLock::take(std::string_view who, Millis patience) {
  const SteadyTime until = io::read_clocks().steady + patience;
  Taken taken = take(who);
  while (taken == Taken::by_other && io::read_clocks().steady < until) {
    std::this_thread::sleep_for(lock_poll_interval);
    taken = take(who);
  }
  return taken;
}

void SessionLock::remove() {
  ::unlink(path_.c_str());
  file_.reset();
}

}  // namespace ballot::library
