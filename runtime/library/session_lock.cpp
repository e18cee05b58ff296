#include "library/session_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/regular_file.hpp"
#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis lock_poll_interval{10};
constexpr Millis word_written_within{50};  // of taking the lock: until then the file says who had it before

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
    auto opened = open_regular(path_, O_RDWR | O_CREAT);
    if (!opened) return Taken::no_file;
    UniqueFd file = std::move(opened->fd);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return Taken::no_file;
      return holder_of(file.get()) == program ? Taken::in_use : Taken::by_other;
    }
    if (!is_at(file.get(), path_)) continue;
    if (::ftruncate(file.get(), 0) != 0 ||
        ::pwrite(file.get(), who.data(), who.size(), 0) != static_cast<ssize_t>(who.size()))
      return Taken::no_file;  // whoever finds it taken would take it for somebody else's
    file_ = std::move(file);
    return Taken::yes;
  }
}

SessionLock::Taken SessionLock::take(std::string_view who, Millis patience) {
  const SteadyTime until = io::read_clocks().steady + patience;
  SteadyTime believed_at = SteadyTime::max();  // since when the word says that a program has it, and a little more
  while (true) {
    const Taken taken = take(who);
    const SteadyTime now = io::read_clocks().steady;
    believed_at = taken == Taken::in_use ? std::min(believed_at, now + word_written_within) : SteadyTime::max();
    const bool waits = (taken == Taken::by_other && now < until) || (taken == Taken::in_use && now < believed_at);
    if (!waits) return taken;
    std::this_thread::sleep_for(lock_poll_interval);
  }
}

void SessionLock::remove() {
  ::unlink(path_.c_str());
  file_.reset();
}

}  // namespace ballot::library
