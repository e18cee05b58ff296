// Preloaded into a program: while the file that BALLOT_LOST_SYNC names is there, what the program syncs of a
// write-ahead log reaches the disk, and fsync reports that it has not. So a commit may have landed that failed for its
// writer. Each adds a byte to the file.
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_of_registers(int fd) {
  char link[64], path[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return std::strstr(path, "registers.db-wal") != nullptr;
}

int sync(long call, int fd) {
  const int done = static_cast<int>(::syscall(call, fd));
  const char* const flag = std::getenv("BALLOT_LOST_SYNC");
  if (done != 0 || flag == nullptr || !is_of_registers(fd)) return done;
  const int file = ::open(flag, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return done;
  [[maybe_unused]] const ssize_t size = ::write(file, "x", 1);
  ::close(file);
  errno = EIO;
  return -1;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int fdatasync(int fd) { return sync(SYS_fdatasync, fd); }
__attribute__((visibility("default"))) int fsync(int fd) { return sync(SYS_fsync, fd); }

}  // extern "C"
