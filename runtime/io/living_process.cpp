#include "io/living_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace ballot::io {

LivingProcess::LivingProcess(pid_t pid) : pid_(pid), descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

/// Without a descriptor, as none are left, the id has to do.
bool LivingProcess::ends_within(Millis patience) const {
  if (pid_ <= 0) return true;
  if (!descriptor_) return ::kill(pid_, 0) != 0 && errno == ESRCH;
  pollfd ending{descriptor_.get(), POLLIN, 0};
  return ::poll(&ending, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace ballot::io
