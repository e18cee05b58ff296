#include "support/machine/liveness.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/clock.hpp"

namespace ballot::support {

Liveness::FreeSlot Liveness::find_slot() {
  const std::int64_t count = leases_.count();
  for (std::int64_t slot = 1; slot <= count; ++slot) {
    const auto lease = leases_.read(slot);
    if (!lease) return {slot, {}};
    const bool same_boot = lease->boot == Leases::boot_mark(boot_id_);
    if (lock_.held(LockFile::life(lease->session)) || (same_boot && boot_now() < lease->deadline)) continue;
    return {slot, lease};
  }
  return {leases_.grow() == 0 ? count + 1 : 0, {}};
}

Result<void> Liveness::enter(const FolderSession& own, const Process& process) {
  if (!lock_.take(LockFile::life(own.id)))
    return Error{Errc::conflict, "another daemon holds this session's place in the lock file"};
  const Lease lease{own.id, own.deadline, own.renewed, Leases::boot_mark(boot_id_), process};
  if (const int failed = leases_.put(own.slot, lease); failed != 0)
    return Error{Errc::io, "the lock file cannot be written: " + std::string(std::strerror(failed))};
  id_ = own.id;
  slot_ = own.slot;
  deadline_ = own.deadline;
  return {};
}

bool Liveness::is_past() const noexcept { return id_ != 0 && (boot_now() >= deadline_ || leases_.barred(slot_, id_)); }

int Liveness::renew(SteadyTime until) noexcept {
  if (const int failed = leases_.renew(slot_, id_, until, wall_now()); failed != 0) return failed;
  // By the deadline before, which is the one that others have seen until now.
  if (!is_past()) deadline_ = std::max(deadline_, until);
  return 0;
}

FolderSession Liveness::current(FolderSession session) const {
  const auto lease = leases_.read(session.slot);
  if (!lease || lease->session != session.id) return session;
  session.deadline = lease->deadline;
  session.renewed = lease->renewed;
  return session;
}

bool Liveness::is_live(const FolderSession& session) const {
  if (id_ != 0 && session.id == id_) return true;
  if (!lock_.held(LockFile::life(session.id))) return false;
  return session.boot_id != boot_id_ || boot_now() < session.deadline;
}

/// One whose deadline is past is barred before it is left out: from then on it cannot renew.
std::vector<FolderSession> Liveness::others(std::vector<FolderSession> all) {
  std::vector<FolderSession> live;
  for (FolderSession& session : all) {
    if (session.id == id_ || !lock_.held(LockFile::life(session.id))) continue;
    session = current(std::move(session));
    if (id_ != 0 && !is_live(session) && session.slot > 0) {
      leases_.bar(session.slot, session.id);
      session = current(std::move(session));
    }
    if (is_live(session)) live.push_back(std::move(session));
  }
  return live;
}

}  // namespace ballot::support
