#include "local_driver.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "support/clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t calls_a_commit = 2000;
constexpr Millis busy_pause = 2ms;
constexpr int busy_tries = 250;  // while others write
constexpr int busy_tries_pressed = 50;

/// Of a store that cannot be opened. What the operating system refuses is a write: the disk is full, or only reads.
backend::SessionClosed closed_by(const Error& error) { return {cause_of(error), error.what, error.code == Errc::io}; }

}  // namespace

void LocalDriver::open(const SessionRequest& request, SteadyTime asked) {
  session_.reset();
  missing_.reset();
  const Opening opening{folder_, request, asked, spent_, [this](int tries) { return wait_for_file(tries); }, &stuck_};
  next_poll_ = no_poll_before_ = asked;
  request.observer&& request.handle.empty() ? open_observer(opening) : open_session(opening);
}

void LocalDriver::open_session(const Opening& opening) {
  auto opened = Session::open(opening, outlet_.host());
  if (!opened) return finish(closed_by(opened.error()));
  const Millis asked = opening.request.timeout;
  const Millis granted = granted_timeout(asked);
  if (asked > Millis(0) && granted != asked)
    outlet_.host().log(Level::warn, "session_timeout is " + std::to_string(granted / 1s) + " s and not " +
                                        std::to_string(asked.count()) + " ms: the backend local grants 1 s to 1 h");
  session_ = std::move(*opened);
  const bool deputy = !opening.request.handle.empty();
  outlet_.opened(
      {granted, Capability::fenced, std::to_string(session_->id()), session_->revision(), session_->handle()},
      deputy ? std::nullopt : std::optional(opening.asked));
}

void LocalDriver::open_observer(const Opening& opening) {
  missing_ = Missing{opening, {}};
  find_store();
  if (!session_ && !missing_) return;
  const std::uint64_t revision = session_ ? session_->revision() : 0;
  outlet_.opened({granted_timeout(opening.request.timeout), Capability::fenced, "observer", revision}, {});
}

void LocalDriver::find_store() {
  // The lock file has the store's name as soon as the store is complete.
  const auto lock = LockFile::find(folder_ + "/lock");
  if (!lock && lock.error().code == Errc::not_found) return;
  if (!lock) return finish(closed_by(lock.error()));
  if (lock->text().empty()) return;
  auto opened = Session::open(missing_->opening, outlet_.host());
  if (!opened) return finish(closed_by(opened.error()));
  session_ = std::move(*opened);
  std::vector<Call> watches;
  for (const std::string& prefix : missing_->watches) watches.emplace_back(WatchCall{prefix});
  missing_.reset();
  carry_out(std::move(watches));
}

void LocalDriver::answer_empty(const Call& call) {
  if (const auto* watch = std::get_if<WatchCall>(&call)) {
    missing_->watches.insert(watch->prefix);
    outlet_.post(backend::Changed{watch->prefix});
  } else if (std::holds_alternative<CreateCall>(call)) {
    outlet_.post(*refusal(call, StoreResult::failed, "there is no store at " + folder_ + ": start a daemon"));
  } else if (std::holds_alternative<EvictCall>(call)) {
    outlet_.post(*refusal(call, StoreResult::conflict, "nobody leads: there is no store at " + folder_));
  } else if (std::holds_alternative<WriteCall>(call)) {
    outlet_.post(*refusal(call, StoreResult::not_leader, {}));
  } else if (auto empty = refusal(call, StoreResult::done, {})) {
    outlet_.post(std::move(*empty));
  }
}

void LocalDriver::close(bool keep) {
  const std::int64_t id = session_ ? session_->id() : 0;
  if (session_ && !keep) session_->end_terms();
  finish({Cause::shutdown, {}});
  if (keep) spent_.erase(id);
}

void LocalDriver::carry_out(std::vector<Call> calls) {
  if (missing_) find_store();
  if (missing_)
    for (const Call& call : calls) answer_empty(call);
  for (std::size_t begin = 0; begin < calls.size() && session_; begin += calls_a_commit) {
    const auto first = calls.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = static_cast<std::ptrdiff_t>(std::min(calls_a_commit, calls.size() - begin));
    Events events;
    session_->carry_out({std::move_iterator(first), std::move_iterator(first + count)}, events);
    publish(std::move(events));
  }
  next_poll_ = std::min(next_poll_, boot_now() + poll_interval());
}

/// What is stored counts: a renewal that was asked for and could not be written extends nothing.
void LocalDriver::expire() { finish({Cause::expired, "the session was not renewed for its timeout"}); }

void LocalDriver::receive(bool readable) {
  if (!readable || !session_) return;
  Events events;
  if (session_->take_changes(events)) next_poll_ = boot_now();
  publish(std::move(events));
}

void LocalDriver::advance() {
  if (boot_now() < std::max(next_poll_, no_poll_before_)) return;
  const Millis began = read_clock(CLOCK_THREAD_CPUTIME_ID);
  Events events;
  if (missing_) find_store();
  if (session_) session_->poll(events);
  const Millis worked = read_clock(CLOCK_THREAD_CPUTIME_ID) - began;  // waiting for the file is not work
  const SteadyTime now = boot_now();
  no_poll_before_ = events.empty() ? now + 10 * worked : now;
  next_poll_ = now + poll_interval();
  publish(std::move(events));
}

Millis LocalDriver::poll_interval() const {
  if (session_) return session_->poll_interval();
  return missing_ && !missing_->watches.empty() ? Session::short_interval : Session::long_interval;
}

/// Then says that the session is over, where it is.
void LocalDriver::publish(Events events) {
  for (Event& event : events) outlet_.post(std::move(event));
  if (!session_ || !session_->over()) return;
  finish(backend::SessionClosed(*session_->over()));
}

/// The locks are released before the loop is notified.
void LocalDriver::finish(backend::SessionClosed closed) {
  if (session_ && session_->id() != 0) spent_.insert(session_->id());
  session_.reset();
  missing_.reset();
  outlet_.closed(std::move(closed));
}

bool LocalDriver::wait_for_file(int tries) const {
  if (tries >= (outlet_.pressed() ? busy_tries_pressed : busy_tries)) return false;
  std::this_thread::sleep_for(busy_pause);
  return true;
}

}  // namespace ballot::local
