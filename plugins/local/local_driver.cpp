#include "local_driver.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "observer.hpp"
#include "support/clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t calls_a_commit = 2000;
constexpr Millis busy_pause = 2ms;
constexpr int busy_tries = 250;  // while others write
constexpr int busy_tries_pressed = 50;

}  // namespace

void LocalDriver::open(const SessionRequest& request, SteadyTime asked) {
  standing_.reset();
  session_ = 0;
  const auto wait = [this](int tries) { return wait_for_file(tries); };
  const Session::Opening opening{folder_, request, asked, spent_, wait, &stuck_};
  next_look_ = rested_ = asked;
  request.observer ? observe(opening) : open_session(opening);
}

void LocalDriver::open_session(const Session::Opening& opening) {
  auto opened = Session::open(opening, outlet_.host());
  if (!opened) return finish(cause_of(opened.error()), opened.error().what);
  const Millis asked = opening.request.timeout;
  const Millis granted = Session::granted(asked);
  if (asked > Millis(0) && granted != asked)
    outlet_.host().log(Level::warn, "session_timeout is " + std::to_string(granted / 1s) + " s and not " +
                                        std::to_string(asked.count()) + " ms: the backend local grants 1 s to 1 h");
  const Session& session = **opened;
  standing_ = std::move(*opened);
  session_ = session.id();
  const bool stands_in = !opening.request.handle.empty();
  outlet_.opened({granted, Capability::fenced, std::to_string(session_), session.revision(), session.handle()},
                 stands_in ? std::nullopt : std::optional(opening.asked));
  publish({});
}

void LocalDriver::observe(const Session::Opening& opening) {
  auto observer = std::make_unique<Observer>(opening, outlet_.host());
  const std::uint64_t revision = observer->revision();
  standing_ = std::move(observer);
  if (!standing_->over())
    outlet_.opened({Session::granted(opening.request.timeout), Capability::fenced, "observer", revision}, {});
  publish({});
}

void LocalDriver::close(bool keep) {
  if (!keep) standing_->end_terms();
  const std::int64_t id = session_;
  finish(Cause::shutdown, {});
  if (keep) spent_.erase(id);
}

void LocalDriver::carry_out(std::vector<Call> calls) {
  for (std::size_t begin = 0; begin < calls.size() && standing_; begin += calls_a_commit) {
    const auto first = calls.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = static_cast<std::ptrdiff_t>(std::min(calls_a_commit, calls.size() - begin));
    Events events;
    standing_->carry_out({std::move_iterator(first), std::move_iterator(first + count)}, events);
    next_look_ = std::min(next_look_, boot_now() + standing_->pace());
    publish(std::move(events));
  }
}

/// What is stored counts: a renewal that was asked for and could not be written extends nothing.
void LocalDriver::expire() { finish(Cause::expired, "the session was not renewed for its timeout"); }

std::vector<int> LocalDriver::descriptors() const { return standing_ ? standing_->ears() : std::vector<int>{}; }

void LocalDriver::hear(bool readable) {
  if (!readable || !standing_) return;
  Events events;
  if (standing_->hear(events)) next_look_ = boot_now();
  publish(std::move(events));
}

void LocalDriver::advance() {
  if (boot_now() < std::max(next_look_, rested_)) return;
  const Millis began = read_clock(CLOCK_THREAD_CPUTIME_ID);
  Events events;
  standing_->look(events);
  const Millis worked = read_clock(CLOCK_THREAD_CPUTIME_ID) - began;  // waiting for the file is not work
  const SteadyTime now = boot_now();
  rested_ = events.empty() ? now + 10 * worked : now;
  next_look_ = now + standing_->pace();
  publish(std::move(events));
}

/// Then says that the session is over, where it is.
void LocalDriver::publish(Events events) {
  for (Event& event : events) outlet_.post(std::move(event));
  if (!standing_ || !standing_->over()) return;
  const backend::SessionClosed closed = *standing_->over();
  finish(closed.cause, closed.text);
}

/// The locks have fallen when the loop hears of it.
void LocalDriver::finish(Cause cause, std::string text) {
  if (session_ != 0) spent_.insert(session_);
  standing_.reset();
  session_ = 0;
  outlet_.closed(cause, std::move(text));
}

bool LocalDriver::wait_for_file(int tries) const {
  if (tries >= (outlet_.pressed() ? busy_tries_pressed : busy_tries)) return false;
  std::this_thread::sleep_for(busy_pause);
  return true;
}

}  // namespace ballot::local
