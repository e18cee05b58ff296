#include "session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "clock.hpp"
#include "elections.hpp"
#include "folder.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

/// Whose changes a watch of `prefix` is to hear.
std::string letters_of(const std::string& prefix) {
  return prefix.empty() ? "abcdefghijklmnopqrstuvwxyz" : prefix.substr(0, 1);
}

std::string describe(const DbError& error, const std::string& path) {
  switch (error.fault) {
    case DbFault::full: return "there is no space for " + path + ": free some on its disk";
    case DbFault::busy: return path + " is held by another process: try again";
    case DbFault::denied:
      return path + " cannot be written (" + error.what() +
             "): nothing is claimed or launched meanwhile. Raise this process's limits (open files, memory), or look "
             "at "
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
  return std::clamp(asked, shortest, longest);
}

Result<std::unique_ptr<Session>> Session::open(const Opening& opening, Host& host) {
  const bool stands_in = !opening.request.handle.empty();
  const bool observer = opening.request.observer || stands_in;
  if (!observer)
    if (auto made = make_folder(opening.folder); !made) return made.error();
  auto lock = observer ? LockFile::find(opening.folder + "/lock") : LockFile::open(opening.folder + "/lock");
  if (!lock) return lock.error();
  const std::string path = opening.folder + "/registers.db";
  if (!lock->text().empty() && identify(path) == FileId{})
    return Error{Errc::corrupt, path + " is gone: restore it from a backup. Removing its folder begins anew and " +
                                    "forgets every claim"};
  try {
    std::unique_ptr<Session> session(new Session(opening, std::move(*lock), host));
    auto started = stands_in  ? session->stand_in(opening)
                   : observer ? session->start_observing()
                              : session->start(opening);
    if (!started) return started.error();
    return session;
  } catch (const DbError& error) {
    return Error{error.fault == DbFault::damaged ? Errc::corrupt : Errc::io, describe(error, path)};
  }
}

Session::Session(const Opening& opening, LockFile lock, Host& host)
    : path_(opening.folder + "/registers.db"),
      timeout_(granted(opening.request.timeout)),
      boot_id_(opening.request.boot_id),
      host_(host),
      bell_(opening.folder),
      lock_(std::move(lock)),
      db_(path_, opening.wait),
      file_(identify(path_)) {}

Session::~Session() {
  lock_.close();
  if (!observes()) bell_.ring(elections_topic);
}

Session::FileId Session::identify(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

Result<void> Session::start_observing() {
  if (auto fit = db_.look_into(lock_.text()); !fit) return Error{fit.error().code, path_ + " " + fit.error().what};
  revision_ = db_.revision();
  return {};
}

/// Bears the dead daemon's session, but not its life: it takes part in nothing.
Result<void> Session::stand_in(const Opening& opening) {
  const std::string& handle = opening.request.handle;
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
    return Error{Errc::conflict, "node " + row_.node + " lives: its daemon has pid " + std::to_string(row_.pid)};
  stands_in_ = true;
  return {};
}

Result<void> Session::start(const Opening& opening) {
  auto store = db_.prepare(lock_.text());
  if (!store) return Error{store.error().code, path_ + " " + store.error().what};
  listen(elections_topic);
  db_.begin();  // of several that come first, one after the other reads and writes the lock file
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
  bell_.ring(elections_topic);
  return {};
}

/// Looks at every session of this store, and adds this one.
Result<void> Session::enter(const Opening& opening, bool new_lock) {
  const SessionRequest& asked = opening.request;
  for (const SessionRow& row : db_.sessions()) {
    const bool may_live = row.boot_id == asked.boot_id && row.deadline > opening.asked;
    const bool lives = lock_.held(LockFile::life(row.id));
    if (lives && row.node == asked.node)
      return Error{Errc::conflict, "node " + row.node + " is in use by the daemon with pid " + std::to_string(row.pid) +
                                       " on " + row.host + ": give this one another name (node)"};
    if (new_lock && may_live)
      return Error{Errc::unavailable, "the lock file beside " + path_ + " was removed while the daemon with pid " +
                                          std::to_string(row.pid) + " may still lead: try again in " +
                                          std::to_string((row.deadline - opening.asked) / 1s + 1) + " s"};
    if (may_live && row.node == asked.node && !opening.spent.contains(row.id)) resumable_[row.id] = row.deadline;
    if (!lives) db_.withdraw_all(row.id);
  }
  const Process process = this_process();
  row_ = {0,          asked.node,  asked.boot_id, asked.machine_id,
          asked.host, asked.pid,   asked.version, asked.control,
          timeout_,   process.pid, process.space, opening.asked + timeout_,
          wall_now()};
  row_.id = db_.add_session(row_);
  if (!lock_.take(LockFile::life(row_.id)))
    return Error{Errc::conflict, "another daemon holds this session's place in the lock file beside " + path_};
  db_.forget_sessions(asked.node, row_.id, wall_now() - std::chrono::days(1));
  return {};
}

/// A log that is removed while it is in use takes along what was acknowledged last.
bool Session::log_in_place() {
  const FileId found = identify(path_ + "-wal");
  if (log_ == FileId{} && !observes()) log_ = found;
  return log_ == FileId{} || found == log_;
}

bool Session::files_in_place() {
  if (!lock_.in_place())
    over_ = {Cause::unreachable, "the lock file beside " + path_ + " was removed or replaced while in use"};
  else if (identify(path_) != file_)
    over_ = {Cause::unreachable, path_ + " was removed or replaced while in use: restore it from a backup"};
  else if (!log_in_place())
    over_ = {Cause::unreachable, path_ +
                                     "-wal was removed or replaced while in use: what was acknowledged last stood "
                                     "in it alone. Restore registers.db from a backup"};
  return !over_;
}

/// False: nothing of it has happened.
bool Session::change(const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events) {
  if (over_ || !files_in_place()) return false;
  Events made;
  bool done = false;
  try {
    db_.begin();
    work(made);
    // Before the commit, which whoever is woken waits for: a process that is killed here has told of its change.
    for (const char letter : db_.touched()) bell_.ring(std::string(1, letter));
    db_.commit();
    done = true;
    let_go(made);
    std::move(made.begin(), made.end(), std::back_inserter(events));
  } catch (const DbError& error) {
    db_.roll_back();
    undo(calls, events);
    fail(error, calls, events);
  }
  tried_.clear();
  won_.clear();
  left_.clear();
  return done;
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
  if (!observes() && !db_.renew_session(row_.id, call.asked + timeout_, wall_now()))
    throw DbError(DbFault::damaged, "the session " + std::to_string(row_.id) + " is not in it");
  events.emplace_back(backend::Renewed{call.request, Outcome::done, {}});
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

void Session::carry(const CreateCall& call, Events& events) {
  backend::Wrote wrote{call.request, {}};
  for (const Record& record : call.records) wrote.answers.push_back(db_.create(record));
  events.emplace_back(std::move(wrote));
}

void Session::carry(const RemoveCall& call, Events& events) {
  backend::Wrote wrote{call.request, {}};
  for (const std::string& name : call.names) wrote.answers.push_back(db_.remove(name));
  events.emplace_back(std::move(wrote));
}

void Session::carry(const WatchCall& call, Events& events) {
  for (const char letter : letters_of(call.prefix)) listen(std::string(1, letter));
  watches_.insert(call.prefix);
  events.emplace_back(backend::Changed{call.prefix});
}

void Session::carry(const ObserveCall& call, Events& events) {
  std::vector<SessionRow> live = live_others();
  if (auto own = db_.session(row_.id)) live.push_back(std::move(*own));
  events.emplace_back(backend::Observed{call.request, Outcome::done, elections(db_, live, call.group), {}});
}

void Session::carry(const ListCall& call, Events& events) {
  events.emplace_back(backend::ReadDone{call.request, Outcome::done, db_.list(call.prefix), {}});
}

std::vector<SessionRow> Session::live_others() {
  std::vector<SessionRow> rows = db_.sessions();
  std::erase_if(rows, [this](const SessionRow& row) { return !lock_.held(LockFile::life(row.id)); });
  return rows;
}

void Session::fail(const DbError& error, const std::vector<Call>& calls, Events& events) {
  const std::string text = describe(error, path_);
  if (error.fault == DbFault::damaged || error.fault == DbFault::broken) {
    over_ = {Cause::unreachable, text};
    return;
  }
  complain(text);
  for (const Call& call : calls) {
    if (const auto* watch = std::get_if<WatchCall>(&call)) carry(*watch, events);  // needs no database
    if (auto refused = refusal(call, Outcome::failed, text)) events.push_back(std::move(*refused));
  }
}

void Session::complain(const std::string& text) {
  const SteadyTime now = boot_now();
  if (text == complaint_ && now < complained_ + 1min) return;
  complaint_ = text;
  complained_ = now;
  host_.log(Level::error, text);
}

void Session::listen(const std::string& topic) {
  const bool was_deaf = bell_.deaf();
  bell_.listen(topic);
  if (bell_.deaf() && !was_deaf)
    host_.log(Level::warn, "changes cannot be heard beside " + path_ + " (no inotify, or no space in bell/): looking " +
                               "every " + std::to_string(pause.count()) + " ms instead");
}

std::vector<int> Session::ears() const {
  std::vector<int> all = neighbours_.descriptors();
  all.push_back(bell_.descriptor());
  return all;
}

bool Session::hear(Events& events) {
  const std::set<std::string> heard = bell_.heard();
  for (const std::string& prefix : watches_) {
    const std::string letters = letters_of(prefix);
    const auto rung = [&](char letter) { return heard.contains(std::string(1, letter)); };
    if (std::any_of(letters.begin(), letters.end(), rung)) events.emplace_back(backend::Changed{prefix});
  }
  const bool died = neighbours_.reap();
  return died || heard.contains(elections_topic);
}

Millis Session::pace() const {
  if (more_) return Millis(0);
  return bell_.deaf() || neighbours_.blind() || failed_ || !postponed_.empty() ? pause : rest;
}

void Session::end_terms() noexcept {
  if (observes() || stands_in_ || over_ || !files_in_place()) return;
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
