#include "library/ledger_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis ledger_patience{1000}, ledger_poll_interval{10};

}  // namespace

/// For reading: that suffices for a lock, and a file on a disk that was made read-only can be locked.
Result<void> LedgerLock::take() {
  UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return Error{Errc::io, "cannot open " + path_ + ": " + std::strerror(errno)};
  const SteadyTime until = io::read_clocks().steady + ledger_patience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Error{Errc::io, "cannot lock " + path_ + ": " + std::strerror(errno)};
    if (io::read_clocks().steady >= until)
      return Error{Errc::conflict, "another ballot writes " + ledger_ + " (it has locked " + path_ +
                                       "): stop that one, or give this one a state_dir or a [history] path of its own"};
    std::this_thread::sleep_for(ledger_poll_interval);
  }
  file_ = std::move(file);
  return {};
}

}  // namespace ballot::library
