#include "support/machine/write_lock.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/clock.hpp"
#include "support/descriptor.hpp"

namespace ballot::support {

namespace {

constexpr int pid_bits = 22;  // the kernel's bound

/// One lock says at once that there is a writer, and which.
LockFile::Range range_of(const Process& own) {
  const std::int64_t token = own.space << pid_bits | own.pid;
  return LockFile::writer(token >= 0 && token <= LockFile::max_token ? token : own.pid);
}

std::string name_of(const Process& process) { return "the process with pid " + std::to_string(process.pid); }

}  // namespace

WriteLock::WriteLock(LockFile& file, const Process& own, const std::function<bool(int)>& wait)
    : file_(file), range_(range_of(own)) {
  for (int tries = 0; !(held_ = file_.take(range_)); ++tries)
    if (!wait(tries)) return;
}

std::optional<Process> WriteLock::holder(const LockFile& file) {
  const auto range = file.holder(LockFile::writer(LockFile::max_token));
  if (!range) return std::nullopt;
  const std::int64_t token = range->last - range->first;
  return Process{token & ((std::int64_t{1} << pid_bits) - 1), token >> pid_bits, 0};
}

/// Of several sessions of one process the one that lasts longest.
std::optional<StuckWriter::Owner> StuckWriter::find_owner(const Leases& leases, const Process& holder,
                                                          std::uint64_t boot) {
  std::optional<Owner> found;
  const Process process{holder.pid, holder.space, status_of(holder.pid).started};
  for (std::int64_t slot = 1; slot <= leases.count(); ++slot) {
    const auto lease = leases.read(slot);
    if (!lease || lease->boot != boot || lease->process != process) continue;
    if (!found || lease->deadline > found->lease.deadline) found = Owner{slot, *lease};
  }
  return found;
}

std::string StuckWriter::examine(const LockFile& file, Leases& leases, const std::string& boot_id, Millis timeout) {
  const auto holder = WriteLock::holder(file);
  const SteadyTime now = boot_now();
  if (holder != seen_) since_ = now;
  seen_ = holder;
  if (!holder) return {};
  const auto owner = find_owner(leases, *holder, Leases::boot_mark(boot_id));
  const SteadyTime until = owner ? owner->lease.deadline : since_ + timeout;
  if (now < until) return {};
  const Process own = this_process();
  if (holder->space == 0 || holder->space != own.space)
    return name_of(*holder) + " of another pid namespace holds the store and does not let go: kill it there";
  if (holder->pid == own.pid) return {};
  return end(file, leases, *holder, owner, now >= until + timeout);
}

/// A pid that was given to another process since is never killed: the signal goes to the process that had it when it
/// was opened, and that one has the lock file open, and started when the session's did where a session is known.
std::string StuckWriter::end(const LockFile& file, Leases& leases, const Process& holder,
                             const std::optional<Owner>& owner, bool overdue) const {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(holder.pid), 0)));
  if (!process) return name_of(holder) + " holds the store and cannot be reached: " + std::strerror(errno);
  const ProcessStatus status = status_of(holder.pid);
  if ((owner && owner->lease.process.started != status.started) || !file.open_in(holder.pid))
    return "the store is held, and pid " + std::to_string(holder.pid) +
           " cannot be seen to hold it: look for a process that has its lock file open (fuser), and end it";
  if (!status.stopped() && (!overdue || !owner)) return {};
  if (owner) leases.bar(owner->slot, owner->lease.session);
  if (WriteLock::holder(file) != holder) return {};
  const std::string what =
      name_of(holder) + (status.stopped() ? ", which is stopped," : "") + " held the store past its deadline";
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0) return what + ": it was killed";
  return what + " and cannot be killed (" + std::strerror(errno) +
         "): nobody leads or claims until it goes on or is killed";
}

}  // namespace ballot::support
