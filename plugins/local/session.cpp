#include "session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "elections.hpp"
#include "support/clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

/// Whose changes a watch of `prefix` is to hear.
std::string letters_of(const std::string& prefix) {
  return prefix.empty() ? "abcdefghijklmnopqrstuvwxyz" : prefix.substr(0, 1);
}

}  // namespace

std::string Session::describe(const DbError& error, const std::string& path) {
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

Millis Session::granted(Millis asked) {
  if (asked <= 0ms) return 15s;
  return std::clamp(asked, shortest, longest);
}

Session::Session(const Opening& opening, LockFile lock, Host& host)
    : path_(opening.folder + "/registers.db"),
      timeout_(granted(opening.request.timeout)),
      boot_id_(opening.request.boot_id),
      host_(host),
      bell_(opening.folder),
      wait_(opening.wait),
      stuck_(*opening.stuck),
      lock_(std::move(lock)),
      db_(path_, opening.wait),
      file_(identify(path_)) {}

Session::~Session() {
  write_back();
  lock_.close();
  if (!observes()) bell_.ring(elections_topic);
}

Session::FileId Session::identify(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
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
bool Session::change(Access access, const std::function<void(Events&)>& work, const std::vector<Call>& calls,
                     Events& events) {
  if (over_ || !files_in_place() || is_past()) return false;
  Events made;
  bool done = false;
  try {
    std::optional<WriteLock> lock;
    if (access == Access::write) lock.emplace(lock_, process_, wait_);
    access == Access::write ? db_.begin() : db_.begin_reading();
    work(made);
    access == Access::write ? commit() : db_.roll_back();
    done = !over_;
    let_go(made);
    std::move(made.begin(), made.end(), std::back_inserter(events));
  } catch (const DbError& error) {
    db_.roll_back();
    undo(calls, events);
    fail(error, calls, events);
  }
  living_.reset();
  tried_.clear();
  left_.clear();
  return done;
}

/// A session that was stopped in between commits nothing.
void Session::commit() {
  for (const auto& [group, epoch] : unended_) db_.end_term(group, epoch, row_.id, wall_now());
  if (is_past()) return db_.roll_back();
  // Before the commit, which whoever is woken waits for: a process that is killed here has told of its change.
  for (const char letter : db_.touched()) bell_.ring(std::string(1, letter));
  db_.commit();
  if (!std::exchange(unended_, {}).empty()) bell_.ring(elections_topic);
  try {
    db_.checkpoint_if_due();
  } catch (const DbError& error) {
    complain("the log of " + path_ + " is not written back: " + describe(error, path_), Level::warn);
  }
}

/// The last daemon leaves all in the file itself; where others live, they see to it.
void Session::write_back() {
  if (!takes_part() || over_ || lock_.holder({LockFile::life(1), LockFile::writer(0).first - 1})) return;
  try {
    const WriteLock lock(lock_, process_, [](int) { return false; });
    db_.empty_log();
  } catch (const DbError&) {
    // The log has it.
  }
}

void Session::carry_out(std::vector<Call> calls, Events& events) {
  for (const Call& call : calls)
    if (const auto* renewal = std::get_if<RenewCall>(&call)) renew(*renewal, events);
  std::erase_if(calls, [](const Call& call) { return std::holds_alternative<RenewCall>(call); });
  if (calls.empty()) return;
  const bool reads = std::all_of(calls.begin(), calls.end(), [](const Call& call) {
    return std::holds_alternative<ReadCall>(call) || std::holds_alternative<ListCall>(call) ||
           std::holds_alternative<ObserveCall>(call) || std::holds_alternative<WatchCall>(call);
  });
  const auto all = [&](Events& made) {
    for (const Call& call : calls) carry(call, made);
  };
  change(reads ? Access::read : Access::write, all, calls, events);
}

void Session::carry(const Call& call, Events& events) {
  std::visit([&](const auto& one) { carry(one, events); }, call);
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
  if (auto own = db_.session(row_.id); own) live.push_back(current(std::move(*own)));
  events.emplace_back(backend::Observed{call.request, Outcome::done, elections(db_, live, call.group), {}});
}

void Session::carry(const ListCall& call, Events& events) {
  events.emplace_back(backend::ReadDone{call.request, Outcome::done, db_.list(call.prefix), {}});
}

void Session::fail(const DbError& error, const std::vector<Call>& calls, Events& events) {
  const std::string text = describe(error, path_);
  if (error.fault == DbFault::damaged || error.fault == DbFault::broken) {
    over_ = {Cause::unreachable, text};
    return;
  }
  const bool busy = error.fault == DbFault::busy;
  const std::string found = busy ? stuck_.examine(lock_, leases_, boot_id_, timeout_) : std::string();
  complain(found.empty() ? text : found);
  for (const Call& call : calls) {
    if (const auto* watch = std::get_if<WatchCall>(&call)) carry(*watch, events);  // needs no database
    if (auto refused = refusal(call, Outcome::failed, text)) events.push_back(std::move(*refused));
  }
}

void Session::complain(const std::string& text, Level level) {
  const SteadyTime now = boot_now();
  if (text == complaint_ && now < complained_ + 1min) return;
  complaint_ = text;
  complained_ = now;
  host_.log(level, text);
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
  // Rung before the commit: who looks before it would see nothing.
  for (int tries = 0; !heard.empty() && WriteLock::holder(lock_); ++tries) {
    if (wait_(tries)) continue;
    unsettled_.insert(heard.begin(), heard.end());
    break;
  }
  tell(heard, events);
  const bool died = neighbours_.reap();
  return died || heard.contains(elections_topic);
}

void Session::tell(const std::set<std::string>& rung, Events& events) const {
  for (const std::string& prefix : watches_) {
    const std::string letters = letters_of(prefix);
    const auto is_rung = [&](char letter) { return rung.contains(std::string(1, letter)); };
    if (std::any_of(letters.begin(), letters.end(), is_rung)) events.emplace_back(backend::Changed{prefix});
  }
}

Millis Session::pace() const {
  if (more_) return Millis(0);
  const bool often =
      bell_.deaf() || neighbours_.blind() || failed_ || !postponed_.empty() || !unended_.empty() || !unsettled_.empty();
  const Millis most = often ? pause : rest;
  if (waiting_.empty() || others_until_ == SteadyTime::max()) return most;
  return std::clamp(others_until_ - boot_now(), Millis(1), most);  // what is past by then has been seen to
}

void Session::end_terms() noexcept {
  if (!takes_part() || over_ || !files_in_place() || is_past()) return;
  try {
    const WriteLock lock(lock_, process_, wait_);
    db_.begin();
    db_.end_terms(row_.id, wall_now());
    db_.commit();
  } catch (const DbError& error) {
    db_.roll_back();
    host_.log(Level::warn, "the end of this daemon's terms could not be recorded: " + describe(error, path_));
  }
}

}  // namespace ballot::local
