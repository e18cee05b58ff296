#include "session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "clock.hpp"
#include "folder.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

std::string describe(const DbError& error, const std::string& path) {
  switch (error.fault) {
    case DbFault::full: return "there is no space for " + path + ": free some on its disk";
    case DbFault::busy: return path + " is held by another process: try again";
    case DbFault::denied:
      return path + " cannot be written (" + error.what() +
             "): nothing is claimed or launched meanwhile. Raise this process's limits (open files, memory), or look at "
             "who may write to it";
    case DbFault::damaged:
      return path + " is damaged (" + error.what() +
             "): nothing is claimed or launched. Stop every daemon that uses it and restore it from a backup; removing "
             "its folder begins anew and forgets every claim";
    case DbFault::broken: break;
  }
  return "cannot use " + path + ": " + error.what();
}

}  // namespace

Millis Session::granted(Millis asked) {
  if (asked <= 0ms) return 5s;
  return std::clamp<Millis>(asked, 1s, 1h);
}

Result<std::unique_ptr<Session>> Session::open(const Opening& opening, Host& host) {
  if (auto made = make_folder(opening.folder); !made) return made.error();
  auto lock = LockFile::open(opening.folder + "/lock");
  if (!lock) return lock.error();
  const std::string path = opening.folder + "/registers.db";
  if (!lock->text().empty() && identify(path) == FileId{})
    return Error{Errc::corrupt, path + " is gone: restore it from a backup. Removing its folder begins anew and " +
                                    "forgets every claim"};
  try {
    std::unique_ptr<Session> session(new Session(opening, std::move(*lock), host));
    if (auto started = session->start(opening); !started) return started.error();
    return session;
  } catch (const DbError& error) {
    return Error{error.fault == DbFault::damaged ? Errc::corrupt : Errc::io, describe(error, path)};
  }
}

Session::Session(const Opening& opening, LockFile lock, Host& host)
    : path_(opening.folder + "/registers.db"),
      timeout_(granted(opening.request.timeout)),
      host_(host),
      lock_(std::move(lock)),
      db_(path_, opening.wait),
      file_(identify(path_)) {}

Session::FileId Session::identify(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

Result<void> Session::start(const Opening& opening) {
  const std::string known = lock_.text();
  auto store = db_.prepare(known);
  if (!store) return Error{store.error().code, path_ + " " + store.error().what};
  db_.begin();
  if (auto entered = enter(opening, known.empty()); !entered) {
    db_.roll_back();
    return entered;
  }
  revision_ = db_.revision();
  db_.commit();
  if (known.empty() && !lock_.set_text(*store))
    return Error{Errc::io, "cannot write the lock file beside " + path_ + ": look at its disk"};
  return {};
}

/// Looks at every session of this store, and adds this one.
Result<void> Session::enter(const Opening& opening, bool new_lock) {
  const SessionRequest& asked = opening.request;
  for (const SessionRow& row : db_.sessions()) {
    const bool may_live = row.boot_id == asked.boot_id && row.deadline > opening.asked;
    if (lock_.held(LockFile::life(row.id)) && row.node == asked.node)
      return Error{Errc::conflict, "node " + row.node + " is in use by the daemon with pid " + std::to_string(row.pid) +
                                       " on " + row.host + ": give this one another name (node)"};
    if (new_lock && may_live)
      return Error{Errc::unavailable, "the lock file beside " + path_ + " was removed while the daemon with pid " +
                                          std::to_string(row.pid) + " may still lead: try again in " +
                                          std::to_string((row.deadline - opening.asked) / 1s + 1) + " s"};
    if (may_live && row.node == asked.node && !opening.spent.contains(row.id)) resumable_[row.id] = row.deadline;
  }
  row_ = {0,          asked.node, asked.boot_id, asked.machine_id,
          asked.host, asked.pid,  asked.version, opening.asked + timeout_,
          wall_now()};
  row_.id = db_.add_session(row_);
  if (!lock_.take(LockFile::life(row_.id)))
    return Error{Errc::conflict, "another daemon holds this session's place in the lock file beside " + path_};
  db_.forget_sessions(asked.node, row_.id, wall_now() - std::chrono::days(1));
  return {};
}

bool Session::files_in_place() {
  if (!lock_.in_place())
    over_ = {Cause::unreachable, "the lock file beside " + path_ + " was removed or replaced while in use"};
  else if (identify(path_) != file_)
    over_ = {Cause::unreachable, path_ + " was removed or replaced while in use: restore it from a backup"};
  return !over_;
}

void Session::change(const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events) {
  if (over_ || !files_in_place()) return;
  Events made;
  try {
    db_.begin();
    work(made);
    db_.commit();
    let_go(made);
    std::move(made.begin(), made.end(), std::back_inserter(events));
  } catch (const DbError& error) {
    db_.roll_back();
    undo(events);
    fail(error, calls, events);
  }
  tried_.clear();
  won_.clear();
  left_.clear();
}

void Session::carry_out(std::vector<Call> calls, Events& events) {
  const auto all = [&](Events& made) {
    for (const Call& call : calls) carry(call, made);
  };
  change(all, calls, events);
}

void Session::carry(const Call& call, Events& events) {
  std::visit([&](const auto& one) { carry(one, events); }, call);
}

void Session::carry(const RenewCall& call, Events& events) {
  const WallTime now = wall_now();
  if (!db_.renew_session(row_.id, call.asked + timeout_, now))
    throw DbError(DbFault::damaged, "the session " + std::to_string(row_.id) + " is not in it");
  events.emplace_back(backend::Renewed{call.request, Outcome::done, {}});
}

void Session::carry(const CampaignCall& call, Events& events) {
  if (!candidates_.contains(call.group)) try_to_lead(call.group, events);
}

void Session::carry(const ResignCall& call, Events&) {
  postponed_.erase(call.group);
  tried_.erase(call.group);
  const auto found = candidates_.find(call.group);
  if (found == candidates_.end()) return;
  const Candidate candidate = found->second;
  candidates_.erase(found);
  waiting_.erase(candidate.id);
  if (candidate.epoch == 0) return;
  left_[call.group] = candidate;
  db_.end_term(candidate.id, wall_now());
}

void Session::carry(const WriteCall& call, Events& events) {
  backend::Wrote wrote{call.request, {}};
  wrote.answers.reserve(call.batch.size());
  for (const RegisterWrite& write : call.batch) wrote.answers.push_back(db_.write(write, row_.id));
  events.emplace_back(std::move(wrote));
}

void Session::carry(const ReadCall& call, Events& events) {
  backend::ReadDone done{call.request, Outcome::done, {}, {}};
  for (const std::string& name : call.names)
    if (auto found = db_.read(name)) done.registers.push_back(std::move(*found));
  events.emplace_back(std::move(done));
}

void Session::carry(const ListCall& call, Events& events) {
  events.emplace_back(backend::ReadDone{call.request, Outcome::done, db_.list(call.prefix), {}});
}

/// A group that is being left in this change is waited for: its lock must fall first, for others to have their chance.
void Session::try_to_lead(const std::string& group, Events& events) {
  tried_.insert(group);
  TermRow term = db_.term(group);
  Candidate& candidate = candidates_[group];
  candidate = {term.group, 0};
  if (left_.contains(group) || !lock_.take(LockFile::group(term.group))) {
    waiting_[term.group] = group;
    return;
  }
  waiting_.erase(term.group);
  const auto resumed = resumable_.find(term.session);
  if (!term.ended && resumed != resumable_.end() && boot_now() < resumed->second) {
    db_.adopt_term(term.group, row_.id);
    events.emplace_back(backend::Elected{group, term.epoch, true, {}, {}});
  } else {
    term.epoch = begin_term(term, group, events);
  }
  candidate.epoch = term.epoch;
  won_[group] = candidate;
}

std::uint64_t Session::begin_term(TermRow term, const std::string& group, Events& events) {
  backend::Elected elected{group, ++term.epoch, false, {}, {}};
  if (const auto old = db_.session(term.session)) {
    elected.last_alive = old->renewed;
    if (!term.ended && old->boot_id == row_.boot_id) elected.old_deadline = old->deadline;
  }
  db_.begin_term(term, row_, wall_now());
  events.emplace_back(std::move(elected));
  return term.epoch;
}

void Session::let_go(Events& events) {
  for (const auto& [group, candidate] : left_) {
    lock_.give(LockFile::group(candidate.id));
    events.emplace_back(backend::Deposed{group, candidate.epoch, Cause::resigned});
  }
}

/// Nothing of the change has happened, but that who resigns does not lead: the term then has no clean end.
void Session::undo(Events& events) {
  for (const auto& [group, candidate] : won_) {
    lock_.give(LockFile::group(candidate.id));
    left_.erase(group);
  }
  for (const std::string& group : tried_) {
    postponed_.insert(group);
    const auto candidate = candidates_.find(group);
    if (candidate == candidates_.end()) continue;
    waiting_.erase(candidate->second.id);
    candidates_.erase(candidate);
  }
  let_go(events);
}

void Session::fail(const DbError& error, const std::vector<Call>& calls, Events& events) {
  const std::string text = describe(error, path_);
  if (error.fault == DbFault::damaged || error.fault == DbFault::broken) {
    over_ = {Cause::unreachable, text};
    return;
  }
  complain(text);
  for (const Call& call : calls) {
    if (const auto* renew = std::get_if<RenewCall>(&call))
      events.emplace_back(backend::Renewed{renew->request, Outcome::failed, text});
    else if (const auto* write = std::get_if<WriteCall>(&call))
      events.emplace_back(
          backend::Wrote{write->request, std::vector<WriteAnswer>(write->batch.size(), {Outcome::failed, 0, text})});
    else if (const auto* read = std::get_if<ReadCall>(&call))
      events.emplace_back(backend::ReadDone{read->request, Outcome::failed, {}, text});
    else if (const auto* list = std::get_if<ListCall>(&call))
      events.emplace_back(backend::ReadDone{list->request, Outcome::failed, {}, text});
  }
}

void Session::complain(const std::string& text) {
  const SteadyTime now = boot_now();
  if (text == complaint_ && now < complained_ + 1min) return;
  complaint_ = text;
  complained_ = now;
  host_.log(Level::error, text);
}

void Session::look_for_vacancies(Events& events) {
  const std::vector<std::string> groups = vacancies();
  if (groups.empty()) return;
  const auto all = [&](Events& made) {
    for (const std::string& group : groups) {
      postponed_.erase(group);
      try_to_lead(group, made);
    }
  };
  change(all, {}, events);
}

std::vector<std::string> Session::vacancies() const {
  std::vector<std::string> groups(postponed_.begin(), postponed_.end());
  if (waiting_.empty()) return groups;
  const auto taken = lock_.held({LockFile::group(waiting_.begin()->first), LockFile::group(waiting_.rbegin()->first)});
  auto range = taken.begin();
  for (const auto& [id, group] : waiting_) {
    const LockFile::Byte byte = LockFile::group(id);
    while (range != taken.end() && range->last < byte) ++range;
    if (range == taken.end() || byte < range->first) groups.push_back(group);
  }
  return groups;
}

void Session::end_terms() noexcept {
  if (over_ || !files_in_place()) return;
  try {
    db_.begin();
    db_.end_terms(row_.id, wall_now());
    db_.commit();
  } catch (const DbError& error) {
    db_.roll_back();
    host_.log(Level::warn, "the end of this daemon's terms could not be recorded: " + describe(error, path_));
  }
}

}  // namespace ballot::local
