// Liveness: which sessions of a folder may act: those whose daemons hold their byte of the lock file, and whose
// deadline is not past. Extends the lease of its own session, and ends those of others that are overdue. Knows nothing
// of groups, and not where sessions are written down. One thread.
//
//   Liveness liveness(lock, leases, boot_id);
//   liveness.enter(own);                          // a member's; an observer has no session
//   ... if (liveness.is_past()) ... liveness.renew(asked + timeout) ... liveness.others(sessions) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "support/machine/leases.hpp"
#include "support/machine/lock_file.hpp"
#include "support/member.hpp"

namespace ballot::support {

/// A session as it was opened; its lease knows more of when it ends and was renewed.
struct FolderSession : MemberRecord {
  std::int64_t id = 0;
  std::int64_t process = 0;  // its pid, and the pid namespace that this is of; 0: not known
  std::int64_t pid_space = 0;
  std::int64_t slot = 0;  // of its lease; 0: none any more
};

class Liveness {
 public:
  /// `lock` outlives this.
  Liveness(LockFile& lock, std::string boot_id) : lock_(lock), leases_(lock), boot_id_(std::move(boot_id)) {}

  const std::string& boot_id() const noexcept { return boot_id_; }
  Leases& leases() noexcept { return leases_; }

  /// A slot that nobody needs, made where there is none.
  struct FreeSlot {
    std::int64_t slot = 0;      // 0: there is no space for one
    std::optional<Lease> last;  // what its last session has written there, for good
  };
  FreeSlot find_slot();
  /// Takes the life byte and the slot of this session. Errors: conflict, where another daemon has that byte; io.
  Result<void> enter(const FolderSession& own, const Process& process);

  /// A session past its stored deadline does nothing more, also where nobody has followed it.
  bool is_past() const noexcept;
  /// 0, or errno. Where it came too late, is_past() stays true.
  int renew(SteadyTime until) noexcept;
  /// Of this session; never, where it has none.
  SteadyTime deadline() const noexcept { return deadline_; }

  /// With what its lease says.
  FolderSession current(FolderSession session) const;
  /// Of one that is current. A byte that is held is of this boot, whatever the session calls it.
  bool is_live(const FolderSession& session) const;
  /// Sessions of `all` that live, but for this one.
  std::vector<FolderSession> others(std::vector<FolderSession> all);

 private:
  LockFile& lock_;
  Leases leases_;
  const std::string boot_id_;
  std::int64_t id_ = 0;  // of this session; 0: none
  std::int64_t slot_ = 0;
  SteadyTime deadline_ = SteadyTime::max();
};

}  // namespace ballot::support
