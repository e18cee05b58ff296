#include "worker.hpp"

#include <algorithm>
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

}  // namespace

void Outlet::post(BackendEvent event) noexcept {
  const std::lock_guard hold(mutex_);
  if (host_ != nullptr) host_->post(std::move(event));
}

void Outlet::log(Level level, std::string_view text) noexcept {
  const std::lock_guard hold(mutex_);
  if (host_ != nullptr) host_->log(level, text);
}

void Outlet::close() noexcept {
  const std::lock_guard hold(mutex_);
  host_ = nullptr;
}

void Worker::stop() {
  stopping_ = true;
  wakeup_.wake();
}

bool Worker::wait_ended(Millis limit) {
  std::unique_lock hold(mutex_);
  return end_.wait_for(hold, limit, [this] { return ended_; });
}

void Worker::ask(WorkerCall call) {
  const auto* asked = std::get_if<Call>(&call);
  const bool renews = asked != nullptr && std::holds_alternative<RenewCall>(*asked);
  bool first;
  {
    const std::lock_guard hold(mutex_);
    if (renews) renewal_waits_ = true;
    first = queue_.empty();
    queue_.push_back(std::move(call));
  }
  if (first) wakeup_.wake();
}

std::vector<WorkerCall> Worker::take() {
  const std::lock_guard hold(mutex_);
  renewal_waits_ = false;
  return std::exchange(queue_, {});
}

void Worker::run() noexcept {
  bool last = false;
  while (!last) {
    const bool heard = wakeup_.wait(next_due(), standing_ ? standing_->ears() : std::vector<int>{});
    last = stopping_;  // before the queue is taken: what was asked before the destructor is carried out
    expire();
    if (heard) hear();
    serve(take());
    look();
  }
  if (standing_) standing_->end_terms();
  standing_.reset();
  const std::lock_guard hold(mutex_);
  ended_ = true;
  end_.notify_all();
}

std::optional<SteadyTime> Worker::next_due() const {
  if (!standing_) return std::nullopt;
  return std::min({expires_.load(), standing_->deadline(), std::max(next_look_, rested_)});
}

void Worker::serve(std::vector<WorkerCall> requests) {
  std::vector<Call> calls;
  for (WorkerCall& request : requests) {
    if (auto* call = std::get_if<Call>(&request)) {
      calls.push_back(std::move(*call));
      if (calls.size() == calls_a_commit) carry_out(calls);
      continue;
    }
    carry_out(calls);
    if (const auto* open = std::get_if<OpenCall>(&request)) serve(*open);
    if (const auto* close = std::get_if<CloseCall>(&request)) serve(*close);
  }
  carry_out(calls);
}

void Worker::serve(const OpenCall& call) {
  generation_ = call.request.generation;
  standing_.reset();
  session_ = 0;
  const auto wait = [this](int tries) { return wait_for_file(tries); };
  const Session::Opening opening{folder_, call.request, call.asked, spent_, wait, &stuck_};
  next_look_ = rested_ = call.asked;
  call.request.observer ? observe(opening) : open_session(opening);
}

void Worker::open_session(const Session::Opening& opening) {
  auto opened = Session::open(opening, host_);
  if (!opened) return finish(cause_of(opened.error()), opened.error().what);
  const Millis asked = opening.request.timeout;
  const Millis granted = Session::granted(asked);
  if (asked > Millis(0) && granted != asked)
    host_.log(Level::warn, "session_timeout is " + std::to_string(granted / 1s) + " s and not " +
                               std::to_string(asked.count()) + " ms: the backend local grants 1 s to 1 h");
  session_ = (*opened)->id();
  const std::uint64_t revision = (*opened)->revision();
  const std::string handle = (*opened)->handle();
  standing_ = std::move(*opened);
  publish({backend::SessionOpened{granted, Capability::fenced, std::to_string(session_), revision, handle}});
}

void Worker::observe(const Session::Opening& opening) {
  auto observer = std::make_unique<Observer>(opening, host_);
  Events events;
  if (!observer->over())
    events.emplace_back(backend::SessionOpened{Session::granted(opening.request.timeout), Capability::fenced,
                                               "observer", observer->revision()});
  standing_ = std::move(observer);
  publish(std::move(events));
}

void Worker::serve(const CloseCall& call) {
  if (!standing_) return;
  if (!call.keep) standing_->end_terms();
  const std::int64_t id = session_;
  finish(Cause::shutdown, {});
  if (call.keep) spent_.erase(id);
}

void Worker::carry_out(std::vector<Call>& calls) {
  Events events;
  if (standing_ && !calls.empty()) {
    standing_->carry_out(std::exchange(calls, {}), events);
    next_look_ = std::min(next_look_, boot_now() + standing_->pace());
  }
  calls.clear();
  publish(std::move(events));
}

/// What is stored counts: a renewal that was asked for and could not be written extends nothing.
void Worker::expire() {
  if (standing_ && boot_now() >= std::min(expires_.load(), standing_->deadline()))
    finish(Cause::expired, "the session was not renewed for its timeout");
}

void Worker::hear() {
  if (!standing_) return;
  Events events;
  if (standing_->hear(events)) next_look_ = boot_now();
  publish(std::move(events));
}

void Worker::look() {
  if (!standing_ || boot_now() < std::max(next_look_, rested_)) return;
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
void Worker::publish(Events events) {
  for (Event& event : events) host_.post({generation_, std::move(event)});
  if (!standing_ || !standing_->over()) return;
  const backend::SessionClosed closed = *standing_->over();
  finish(closed.cause, closed.text);
}

/// The locks have fallen when the loop hears of it.
void Worker::finish(Cause cause, std::string text) {
  if (session_ != 0) spent_.insert(session_);
  standing_.reset();
  session_ = 0;
  host_.post({generation_, backend::SessionClosed{cause, std::move(text)}});
}

bool Worker::wait_for_file(int tries) const {
  if (tries >= (stopping_ || renewal_waits_ ? busy_tries_pressed : busy_tries)) return false;
  std::this_thread::sleep_for(busy_pause);
  return true;
}

}  // namespace ballot::local
