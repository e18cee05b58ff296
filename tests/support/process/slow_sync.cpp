// Preloaded into a program: each sync of a file whose name has BALLOT_SLOW_SYNC_OF in it takes as many milliseconds
// more as the file BALLOT_SLOW_SYNC says, while that is there.
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_slow(int fd) {
  const char* const name = std::getenv("BALLOT_SLOW_SYNC_OF");
  char link[64], path[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  if (size < 0 || name == nullptr) return false;
  path[size] = '\0';
  return std::strstr(path, name) != nullptr;
}

long asked_millis() {
  const char* const name = std::getenv("BALLOT_SLOW_SYNC");
  const int file = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32]{};
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  return size > 0 ? std::atol(text) : 0;
}

/// In steps: a disk that is fast again answers what it was asked before.
void wait_for_disk() {
  const timespec step{0, 10'000'000};
  for (long waited = 0; waited < asked_millis(); waited += 10) ::nanosleep(&step, nullptr);
}

int sync(long call, int fd) {
  if (is_slow(fd)) wait_for_disk();
  return static_cast<int>(::syscall(call, fd));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int fdatasync(int fd) { return sync(SYS_fdatasync, fd); }
__attribute__((visibility("default"))) int fsync(int fd) { return sync(SYS_fsync, fd); }

}  // extern "C"
