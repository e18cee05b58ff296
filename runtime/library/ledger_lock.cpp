#include "library/ledger_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/regular_file.hpp"
#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis ledger_patience{1000}, ledger_poll_interval{10};

}  // namespace

/// Opened for reading: a file on a disk that was made read-only can be locked too.
Result<void> LedgerLock::take() {
  auto file = open_regular(path_, O_RDONLY | O_CREAT);
  if (!file) return file.error();
  const SteadyTime until = io::read_clocks().steady + ledger_patience;
  while (::flock(file->fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Error{Errc::io, "cannot lock " + path_ + ": " + std::strerror(errno)};
    if (io::read_clocks().steady >= until)
      return Error{Errc::conflict, "another ballot writes " + ledger_ + " (it has locked " + path_ +
                                       "): stop that one, or give this one a " + keys_ + " of its own"};
    std::this_thread::sleep_for(ledger_poll_interval);
  }
  file_ = std::move(file->fd);
  return {};
}

}  // namespace ballot::library
