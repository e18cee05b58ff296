// How a session is opened: what must be so of its folder and files, and of the daemons that were there before.
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "folder.hpp"
#include "session.hpp"
#include "support/clock.hpp"
#include "support/member_name.hpp"
#include "support/trust.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

Result<std::unique_ptr<Session>> Session::open(Opening opening, Host& host) {
  const bool observer = opening.request.observer || !opening.request.handle.empty();
  if (!observer)
    if (auto made = make_folder(opening.folder); !made) return made.error();
  std::error_code failed;
  const auto resolved = std::filesystem::canonical(opening.folder, failed);  // SQLite is to follow no link
  if (!failed) opening.folder = resolved.string();
  if (const std::string fault = distrust_folder(opening.folder); !fault.empty())
    return Error{Errc::refused, "the folder " + opening.folder + " cannot be trusted: " + fault};
  auto lock = observer ? LockFile::find(opening.folder + "/lock") : LockFile::open(opening.folder + "/lock");
  if (!lock && !opening.request.handle.empty())  // the folder may be back: the session is not known to be over
    return Error{Errc::io, lock.error().what};
  if (!lock) return lock.error();
  const std::string path = opening.folder + "/registers.db";
  if (!lock->text().empty() && identify(path) == FileId{})
    return Error{Errc::corrupt, path + " is gone: restore it from a backup. Removing its folder begins anew and " +
                                    "forgets every claim"};
  for (const char* part : {"", "-wal", "-shm"})
    if (const std::string fault = distrust_file(path + part); !fault.empty()) return Error{Errc::refused, fault};
  try {
    std::unique_ptr<Session> session(new Session(opening, std::move(*lock), host));
    if (auto begun = session->begin(opening); !begun) return begun.error();
    return session;
  } catch (const DbError& error) {
    return Error{error.fault == DbFault::damaged ? Errc::corrupt : Errc::io, describe(error, path)};
  }
}

Result<void> Session::begin(const Opening& opening) {
  try {
    if (!opening.request.handle.empty()) return stand_in(opening);
    return opening.request.observer ? start_observing() : start(opening);
  } catch (const DbError& error) {
    if (error.fault == DbFault::busy)
      if (const std::string found = stuck_.examine(lock_, leases_, boot_id_, timeout_); !found.empty())
        host_.log(Level::error, found);
    throw;
  }
}

Result<void> Session::start_observing() {
  if (auto fit = db_.look_into(lock_.text()); !fit) return Error{fit.error().code, path_ + " " + fit.error().what};
  revision_ = db_.revision();
  return {};
}

/// Bears the dead daemon's session, but not its life: it takes part in nothing.
Result<void> Session::stand_in(const Opening& opening) {
  const std::string& handle = opening.request.handle;
  const WriteLock lock(lock_, process_, wait_);
  if (auto fit = db_.prepare(lock_.text()); !fit) return Error{fit.error().code, path_ + " " + fit.error().what};
  db_.begin();
  for (const SessionRow& row : db_.sessions()) {
    row_ = row;
    if (this->handle() == handle) break;
    row_ = {};
  }
  revision_ = db_.revision();
  db_.commit();
  if (row_.id == 0) return Error{Errc::not_found, path_ + " knows nothing of the session: it is over"};
  if (lock_.held(LockFile::life(row_.id)))
    return Error{Errc::conflict, "node " + shown(row_.node) + " lives: its daemon has pid " + std::to_string(row_.pid)};
  stands_in_ = true;
  return {};
}

/// Of several that come first, one after the other reads and writes the lock file.
Result<void> Session::start(const Opening& opening) {
  const WriteLock lock(lock_, process_, wait_);
  if (auto fit = refuse_older_daemons(); !fit) return fit;
  auto store = db_.prepare(lock_.text());
  if (!store) return Error{store.error().code, path_ + " " + store.error().what};
  listen(elections_topic);
  db_.begin();
  const bool new_lock = lock_.text().empty();
  auto entered = enter(opening, new_lock);
  if (entered && new_lock && !lock_.set_text(*store))
    entered = Error{Errc::io, "cannot write the lock file beside " + path_ + ": look at its disk"};
  if (!entered) {
    db_.roll_back();
    return entered;
  }
  revision_ = db_.revision();
  db_.commit();
  deadline_ = row_.deadline;
  bell_.ring(elections_topic);
  return {};
}

/// They know no leases, and lead by locks that nobody takes any more.
Result<void> Session::refuse_older_daemons() {
  const auto format = db_.known_format();
  if (!format) return Error{format.error().code, path_ + " " + format.error().what};
  if (*format == 0) ::chmod(path_.c_str(), 0600);  // what SQLite puts beside it is then made alike
  if (*format == 0 || *format >= RegisterDb::first_with_leases) return {};
  for (const std::int64_t id : db_.session_ids())
    if (lock_.held(LockFile::life(id)))
      return Error{Errc::unavailable, path_ + " is in use by a daemon of an older version: stop it first"};
  return {};
}

/// Looks at every session of this store, and adds this one.
Result<void> Session::enter(const Opening& opening, bool new_lock) {
  const SessionRequest& asked = opening.request;
  for (const SessionRow& row : db_.sessions())
    if (auto met = meet(current(row), opening, new_lock); !met) return met;
  if (!take_slot()) return Error{Errc::io, "there is no space for the lock file beside " + path_ + ": free some"};
  static_cast<MemberRecord&>(row_) = member_of(asked);
  row_.node = member_name(asked.node, asked.only_group);
  row_.timeout = timeout_;
  row_.deadline = opening.asked + timeout_;
  row_.renewed = wall_now();
  row_.process = process_.pid;
  row_.pid_space = process_.space;
  row_.slot = slot_;
  row_.id = db_.add_session(row_);
  if (!lock_.take(LockFile::life(row_.id)))
    return Error{Errc::conflict, "another daemon holds this session's place in the lock file beside " + path_};
  const Lease lease{row_.id, row_.deadline, row_.renewed, Leases::boot_mark(boot_id_), process_};
  if (const int failed = leases_.put(slot_, lease); failed != 0)
    return Error{Errc::io, "cannot write the lock file beside " + path_ + ": " + std::strerror(failed)};
  db_.forget_sessions(row_.node, row_.id, wall_now() - std::chrono::days(1));
  return {};
}

/// Whether its daemon is in the way of this one, or its terms go on with this one.
Result<void> Session::meet(const SessionRow& row, const Opening& opening, bool new_lock) {
  const bool same_boot = row.boot_id == boot_id_;
  const bool may_live = same_boot && row.deadline > opening.asked;
  const bool held = lock_.held(LockFile::life(row.id));
  const bool lives = held && (!same_boot || row.deadline > boot_now());
  const bool own_name = row.node == member_name(opening.request.node, opening.request.only_group);
  if (held && !lives && row.slot > 0) leases_.bar(row.slot, row.id);
  if (lives && own_name) return Error{Errc::conflict, in_use_text(row.node, row.pid, row.host)};
  if (new_lock && same_boot && db_.has_open_terms(row.id)) {
    // What it renewed since it was opened stands in the lock file that is gone.
    const WallTime until = WallTime(std::chrono::seconds(lock_.changed_seconds() + 1)) + row.timeout;
    if (const Millis left = until - wall_now(); left > 0ms)
      return Error{Errc::unavailable, "the lock file beside " + path_ + " was removed while the daemon with pid " +
                                          std::to_string(row.pid) + " may still lead: try again in " +
                                          std::to_string(left / 1s + 1) + " s"};
  }
  if (may_live && own_name && !opening.request.anew && !opening.spent.contains(row.id))
    resumable_[row.id] = row.deadline;
  if (!held) db_.withdraw_all(row.id);
  return {};
}

/// The first that nobody needs; what its last session has said there goes to the database.
bool Session::take_slot() {
  for (slot_ = 1; slot_ <= leases_.count(); ++slot_) {
    const auto lease = leases_.read(slot_);
    if (!lease) return true;
    const bool same_boot = lease->boot == Leases::boot_mark(boot_id_);
    if (lock_.held(LockFile::life(lease->session)) || (same_boot && boot_now() < lease->deadline)) continue;
    db_.keep_lease(lease->session, lease->deadline, lease->renewed);
    return true;
  }
  return leases_.grow() == 0;
}

}  // namespace ballot::local
