// Leases: until when each session may act, in slots of fixed size behind the text of the lock file. A renewal
// overwrites a few bytes that are there already: it needs no space on the disk, no sync (other processes see it at
// once, and a reboot makes it void) and waits for no other daemon. Others end a session whose deadline is past by
// barring it, which its owner reads after each renewal. One thread; slots are given out under the write lock.
//
//   leases.renew(slot, session, deadline, now);   ... leases.barred(slot, session)     the owner
//   leases.bar(slot, session);  leases.read(slot)->deadline                            everybody else, in this order
//
// A process that is stopped between any two of these steps does no harm: the owner writes its deadline before it reads
// the bar, the others write the bar before they read the deadline, so that one of them at least sees the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ballot/time.hpp"
#include "support/machine/lock_file.hpp"
#include "support/machine/process.hpp"

namespace ballot::support {

struct Lease {
  std::int64_t session = 0;
  SteadyTime deadline{};
  WallTime renewed{};
  std::uint64_t boot = 0;  // of whose clock the deadline is: see boot_mark()
  Process process;
};

class Leases {
 public:
  /// The file must outlive this.
  explicit Leases(LockFile& file) noexcept : file_(file) {}

  static std::uint64_t boot_mark(std::string_view boot_id) noexcept;

  /// Slots are numbered from 1.
  std::int64_t count() const noexcept;
  /// Makes more, on the disk. 0, or errno.
  int grow() noexcept;

  /// None: it is empty, or was not written whole.
  std::optional<Lease> read(std::int64_t slot) const noexcept;
  /// 0, or errno.
  int put(std::int64_t slot, const Lease& lease) noexcept;
  int renew(std::int64_t slot, std::int64_t session, SteadyTime deadline, WallTime now) noexcept;
  void bar(std::int64_t slot, std::int64_t session) noexcept;
  /// Also where the slot is not the session's any more, or cannot be read.
  bool barred(std::int64_t slot, std::int64_t session) const noexcept;

 private:
  LockFile& file_;
};

}  // namespace ballot::support
