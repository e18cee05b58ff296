// The leases of a session: how its own is extended, and which of the others may still act.
#include <algorithm>
#include <cstring>
#include <utility>

#include "session.hpp"
#include "support/clock.hpp"

namespace ballot::local {

/// A session past its stored deadline does nothing more, also where nobody has followed it.
bool Session::is_past() {
  if (!takes_part() || over_) return over_.has_value();
  if (boot_now() < deadline_ && !leases_.barred(row_.slot, row_.id)) return false;
  over_ = {Cause::expired, "the session was not renewed before its deadline"};
  return true;
}

void Session::renew(const RenewCall& call, Events& events) {
  if (!takes_part()) {
    events.emplace_back(backend::Renewed{call.request, Outcome::done, {}});
    return;
  }
  if (over_ || !files_in_place() || is_past()) return;
  if (!extend(call, events)) return;
  events.emplace_back(backend::Renewed{call.request, Outcome::done, {}});
}

/// Neither the write lock nor space on the disk is needed: one daemon that is stopped, or a full disk, ends no terms of
/// others. Terms that somebody has ended are seen first, so that the renewal is none of theirs.
bool Session::extend(const RenewCall& call, Events& events) {
  if (!change(
          Access::read, [this](Events&) { see_losses(); }, {Call(call)}, events))
    return false;
  const SteadyTime before = deadline_;
  if (const int failed = leases_.renew(row_.slot, row_.id, call.asked + timeout_, wall_now()); failed != 0) {
    const std::string text = "this session's lease beside " + path_ + " cannot be written: " + std::strerror(failed);
    complain(text);
    events.emplace_back(backend::Renewed{call.request, Outcome::failed, text});
    return false;
  }
  if (is_past()) return false;  // by the deadline before, which others see until now
  deadline_ = std::max(before, call.asked + timeout_);
  return true;
}

/// With what its lease says.
SessionRow Session::current(SessionRow row) const {
  const auto lease = leases_.read(row.slot);
  if (!lease || lease->session != row.id) return row;
  row.deadline = lease->deadline;
  row.renewed = lease->renewed;
  return row;
}

/// Of `row` as it is current. A byte that is held is of this boot, whatever the session calls it.
bool Session::is_live(const SessionRow& row) const {
  if (row.id == row_.id && takes_part()) return true;
  if (!lock_.held(LockFile::life(row.id))) return false;
  return row.boot_id != boot_id_ || boot_now() < row.deadline;
}

/// One whose deadline is past is barred before it is left out: from then on it cannot renew.
std::vector<SessionRow> Session::live_others() {
  std::vector<SessionRow> rows;
  for (SessionRow row : db_.sessions()) {
    if (row.id == row_.id || !lock_.held(LockFile::life(row.id))) continue;
    row = current(std::move(row));
    if (takes_part() && !is_live(row) && row.slot > 0) {
      leases_.bar(row.slot, row.id);
      row = current(std::move(row));
    }
    if (is_live(row)) rows.push_back(std::move(row));
  }
  return rows;
}

const std::set<std::int64_t>& Session::living() {
  if (living_) return *living_;
  living_.emplace();
  for (const SessionRow& row : live_others()) living_->insert(row.id);
  return *living_;
}

}  // namespace ballot::local
