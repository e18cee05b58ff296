#include "local_backend.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "clock.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t calls_a_commit = 2000;
constexpr Millis busy_pause = 2ms;
constexpr int busy_tries = 250;  // while others write
constexpr int busy_tries_stopping = 50;

/// Signals are the embedding program's: this thread takes none.
std::thread start_thread(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), "ballot-local");
  return thread;
}

Cause cause_of(const Error& error) { return error.code == Errc::conflict ? Cause::superseded : Cause::unreachable; }

}  // namespace

LocalBackend::LocalBackend(Host& host, std::string folder) : host_(host), folder_(std::move(folder)) {
  thread_ = start_thread([this] { run(); });
}

LocalBackend::~LocalBackend() {
  stopping_ = true;
  wakeup_.wake();
  thread_.join();
}

void LocalBackend::open(const SessionRequest& request) noexcept {
  const SteadyTime now = boot_now();
  timeout_ = Session::granted(request.timeout);
  observer_ = request.observer;
  expires_ = observer_ ? SteadyTime::max() : now + timeout_;
  enqueue(OpenCall{request, now});
}

void LocalBackend::renew(RequestId request) noexcept {
  const SteadyTime now = boot_now();
  // Too late is too late, even where the thread has had no time yet to say so.
  if (now >= expires_.load()) return;
  if (!observer_) expires_ = now + timeout_;
  enqueue(Call(RenewCall{request, now}));
}

void LocalBackend::campaign(const std::string& group) noexcept { enqueue(Call(CampaignCall{group})); }

void LocalBackend::resign(const std::string& group) noexcept { enqueue(Call(ResignCall{group})); }

void LocalBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  enqueue(Call(WriteCall{request, std::move(batch)}));
}

void LocalBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  enqueue(Call(ReadCall{request, std::move(names)}));
}

void LocalBackend::list(RequestId request, std::string prefix) noexcept {
  enqueue(Call(ListCall{request, std::move(prefix)}));
}

void LocalBackend::create(RequestId request, std::vector<Record> records) noexcept {
  enqueue(Call(CreateCall{request, std::move(records)}));
}

void LocalBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  enqueue(Call(RemoveCall{request, std::move(names)}));
}

void LocalBackend::watch(const std::string& prefix) noexcept { enqueue(Call(WatchCall{prefix})); }

void LocalBackend::observe(RequestId request, const std::string& group) noexcept {
  enqueue(Call(ObserveCall{request, group}));
}

void LocalBackend::evict(RequestId request, const std::string& group) noexcept {
  enqueue(Call(EvictCall{request, group}));
}

void LocalBackend::close(bool keep) noexcept { enqueue(CloseCall{keep}); }

void LocalBackend::enqueue(Request request) {
  bool first;
  {
    const std::lock_guard hold(mutex_);
    first = queue_.empty();
    queue_.push_back(std::move(request));
  }
  if (first) wakeup_.wake();
}

std::vector<LocalBackend::Request> LocalBackend::take() {
  const std::lock_guard hold(mutex_);
  return std::exchange(queue_, {});
}

void LocalBackend::run() noexcept {
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
}

std::optional<SteadyTime> LocalBackend::next_due() const {
  if (!standing_) return std::nullopt;
  return std::min(expires_.load(), std::max(next_look_, rested_));
}

void LocalBackend::serve(std::vector<Request> requests) {
  std::vector<Call> calls;
  for (Request& request : requests) {
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

void LocalBackend::serve(const OpenCall& call) {
  generation_ = call.request.generation;
  standing_.reset();
  session_ = 0;
  const auto wait = [this](int tries) { return wait_for_file(tries); };
  const Session::Opening opening{folder_, call.request, call.asked, spent_, wait};
  next_look_ = rested_ = call.asked;
  call.request.observer ? observe(opening) : open_session(opening);
}

void LocalBackend::open_session(const Session::Opening& opening) {
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

void LocalBackend::observe(const Session::Opening& opening) {
  auto observer = std::make_unique<Observer>(opening, host_);
  Events events;
  if (!observer->over())
    events.emplace_back(backend::SessionOpened{Session::granted(opening.request.timeout), Capability::fenced,
                                               "observer", observer->revision()});
  standing_ = std::move(observer);
  publish(std::move(events));
}

void LocalBackend::serve(const CloseCall& call) {
  if (!standing_) return;
  if (!call.keep) standing_->end_terms();
  const std::int64_t id = session_;
  finish(Cause::shutdown, {});
  if (call.keep) spent_.erase(id);
}

void LocalBackend::carry_out(std::vector<Call>& calls) {
  Events events;
  if (standing_ && !calls.empty()) {
    standing_->carry_out(std::exchange(calls, {}), events);
    next_look_ = std::min(next_look_, boot_now() + standing_->pace());
  }
  calls.clear();
  publish(std::move(events));
}

void LocalBackend::expire() {
  if (standing_ && boot_now() >= expires_.load()) finish(Cause::expired, "the session was not renewed for its timeout");
}

void LocalBackend::hear() {
  if (!standing_) return;
  Events events;
  if (standing_->hear(events)) next_look_ = boot_now();
  publish(std::move(events));
}

void LocalBackend::look() {
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
void LocalBackend::publish(Events events) {
  for (Event& event : events) host_.post({generation_, std::move(event)});
  if (!standing_ || !standing_->over()) return;
  const backend::SessionClosed closed = *standing_->over();
  finish(closed.cause, closed.text);
}

/// The locks have fallen when the loop hears of it.
void LocalBackend::finish(Cause cause, std::string text) {
  if (session_ != 0) spent_.insert(session_);
  standing_.reset();
  session_ = 0;
  host_.post({generation_, backend::SessionClosed{cause, std::move(text)}});
}

bool LocalBackend::wait_for_file(int tries) const {
  if (tries >= (stopping_ ? busy_tries_stopping : busy_tries)) return false;
  std::this_thread::sleep_for(busy_pause);
  return true;
}

}  // namespace ballot::local
