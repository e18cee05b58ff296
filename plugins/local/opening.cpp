#include "opening.hpp"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "support/clock.hpp"
#include "support/machine/store_folder.hpp"
#include "support/member_name.hpp"
#include "support/trust.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

Cause cause_of(const Error& error) {
  if (error.code == Errc::conflict) return Cause::superseded;
  if (error.code == Errc::not_found) return Cause::expired;
  return error.code == Errc::refused ? Cause::auth_failed : Cause::unreachable;
}

std::string handle_of(const FolderSession& session, Store& store) {
  return std::to_string(session.id) + " " + store.lock().text();
}

Result<void> check_trust(const std::string& folder) {
  if (const std::string fault = distrust_folder(folder); !fault.empty())
    return Error{Errc::refused, "the folder " + folder + " cannot be trusted: " + fault};
  const std::string path = Store::path_in(folder);
  for (const std::string& file : {folder + "/lock", path, path + "-wal", path + "-shm"})
    if (const std::string fault = distrust_file(file); !fault.empty()) return Error{Errc::refused, fault};
  return {};
}

Result<std::unique_ptr<Store>> open_store(Opening opening) {
  std::string& folder = opening.folder;
  const bool deputy = !opening.request.handle.empty();
  const bool member = !opening.request.observer && !deputy;
  if (member)
    if (auto made = make_folder(folder); !made) return made.error();
  std::error_code failed;
  const auto resolved = std::filesystem::canonical(folder, failed);  // SQLite is to follow no link
  if (!failed) folder = resolved.string();
  if (auto trusted = check_trust(folder); !trusted) return trusted.error();
  auto lock = member ? LockFile::open(folder + "/lock") : LockFile::find(folder + "/lock");
  if (!lock && deputy)  // the folder may be back: the session is not known to be over
    return Error{Errc::io, lock.error().what};
  if (!lock) return lock.error();
  const std::string path = Store::path_in(folder);
  if (!lock->text().empty() && file_id(path) == FileId{})
    return Error{Errc::corrupt, path + " is gone: restore it from a backup. Removing its folder begins anew and " +
                                    "forgets every claim"};
  return std::make_unique<Store>(opening, std::move(*lock));
}

namespace {

Error about(const Store& store, const Error& error) { return {error.code, store.path() + " " + error.what}; }

/// Daemons of older versions know no leases, and lead by locks that nobody takes any more.
Result<void> refuse_older_daemons(Store& store) {
  const auto format = store.db().format();
  if (!format) return about(store, format.error());
  if (*format == 0) ::chmod(store.path().c_str(), 0600);  // what SQLite puts beside it is then made alike
  if (*format == 0 || *format >= first_format_with_leases) return {};
  for (const std::int64_t id : store.db().session_ids())
    if (store.lock().held(LockFile::life(id)))
      return Error{Errc::unavailable, store.path() + " is in use by a daemon of an older version: stop it first"};
  return {};
}

/// Whether the daemon of `before` is in the way of this one, or its terms go on with this one.
Result<void> meet(Store& store, const FolderSession& before, const Opening& opening, Entry& entry, bool new_lock) {
  const bool same_boot = before.boot_id == opening.request.boot_id;
  const bool held = store.lock().held(LockFile::life(before.id));
  const bool lives = held && (!same_boot || before.deadline > boot_now());
  const bool own_name = before.node == entry.session.node;
  if (held && !lives && before.slot > 0) store.liveness().leases().bar(before.slot, before.id);
  if (lives && own_name) return Error{Errc::conflict, in_use_text(before.node, before.pid, before.host)};
  if (new_lock && same_boot && store.db().count_open_terms(before.id) > 0) {
    // What it renewed since it was opened was in the lock file that is gone.
    const WallTime until = WallTime(std::chrono::seconds(store.lock().changed_seconds() + 1)) + before.timeout;
    if (const Millis left = until - wall_now(); left > 0ms)
      return Error{Errc::unavailable, "the lock file beside " + store.path() +
                                          " was removed while the daemon with pid " + std::to_string(before.pid) +
                                          " may still lead: try again in " + std::to_string(left / 1s + 1) + " s"};
  }
  const bool may_resume = same_boot && before.deadline > opening.asked && own_name;
  if (may_resume && !opening.request.anew && !opening.spent.contains(before.id))
    entry.resumable[before.id] = before.deadline;
  if (!held) store.db().withdraw_all(before.id);
  return {};
}

/// Looks at every session of this store, and adds this one.
Result<void> add_session(Store& store, const Opening& opening, Entry& entry, bool new_lock) {
  FolderSession& own = entry.session;
  static_cast<MemberRecord&>(own) = member_of(opening.request);
  own.node = member_name(opening.request.node, opening.request.only_group);
  own.timeout = granted_timeout(opening.request.timeout);
  own.deadline = opening.asked + own.timeout;
  own.renewed = wall_now();
  own.process = store.process().pid;
  own.pid_space = store.process().space;
  for (const FolderSession& before : store.db().sessions())
    if (auto met = meet(store, store.liveness().current(before), opening, entry, new_lock); !met) return met;
  const auto [slot, last] = store.liveness().find_slot();
  if (slot == 0) return Error{Errc::io, "there is no space for the lock file beside " + store.path() + ": free some"};
  if (last) store.db().keep_lease(last->session, last->deadline, last->renewed);
  own.slot = slot;
  own.id = store.db().add_session(own);
  if (auto entered = store.liveness().enter(own, store.process()); !entered)
    return Error{entered.error().code, entered.error().what + ", beside " + store.path()};
  store.db().forget_sessions(own.node, own.id, own.renewed - std::chrono::days(1));
  return {};
}

/// Of several that come first, one after the other reads and writes the lock file.
Result<Entry> enter_as_member(Store& store, const Opening& opening) {
  Entry entry{Role::member};
  if (auto fit = refuse_older_daemons(store); !fit) return fit.error();
  auto name = store.db().prepare(store.lock().text());
  if (!name) return about(store, name.error());
  Result<void> added;
  store.commit([&] {
    const bool new_lock = store.lock().text().empty();
    added = add_session(store, opening, entry, new_lock);
    if (added && new_lock && !store.lock().set_text(*name))
      added = Error{Errc::io, "cannot write the lock file beside " + store.path() + ": check its disk"};
    entry.revision = store.db().revision();
    return bool(added);
  });
  if (!added) return added.error();
  return entry;
}

/// Bears the dead daemon's session, but not its life: it takes part in nothing.
Result<Entry> enter_as_deputy(Store& store, const std::string& handle) {
  Entry entry{Role::deputy};
  if (auto fit = store.db().prepare(store.lock().text()); !fit) return about(store, fit.error());
  store.read([&] {
    for (const FolderSession& session : store.db().sessions())
      if (handle_of(session, store) == handle) entry.session = session;
    entry.revision = store.db().revision();
  });
  const FolderSession& of = entry.session;
  if (of.id == 0) return Error{Errc::not_found, store.path() + " knows nothing of the session: it is over"};
  if (store.lock().held(LockFile::life(of.id)))
    return Error{Errc::conflict, "node " + shown(of.node) + " lives: its daemon has pid " + std::to_string(of.pid)};
  return entry;
}

}  // namespace

Result<Entry> enter(Store& store, const Opening& opening) {
  const std::string& handle = opening.request.handle;
  Result<Entry> entered = Entry();
  if (opening.request.observer && handle.empty()) {
    if (auto fit = store.db().check(store.lock().text()); !fit) return about(store, fit.error());
    entered->revision = store.db().revision();
    return entered;
  }
  store.under_write_lock(
      [&] { entered = handle.empty() ? enter_as_member(store, opening) : enter_as_deputy(store, handle); });
  return entered;
}

}  // namespace ballot::local
