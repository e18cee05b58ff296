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

constexpr Millis look_every = 25ms;  // for groups whose leader has gone
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
  expires_ = now + timeout_;
  enqueue(OpenCall{request, now});
}

void LocalBackend::renew(RequestId request) noexcept {
  const SteadyTime now = boot_now();
  // Too late is too late, even where the thread has had no time yet to say so.
  if (now >= expires_.load()) return;
  expires_ = now + timeout_;
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
  host_.post(
      {generation_, backend::Wrote{request, std::vector<WriteAnswer>(records.size(), {Outcome::failed, 0, ""})}});
}

void LocalBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  host_.post({generation_, backend::Wrote{request, std::vector<WriteAnswer>(names.size(), {Outcome::failed, 0, ""})}});
}

void LocalBackend::watch(const std::string&) noexcept {}

void LocalBackend::observe(RequestId request, const std::string&) noexcept {
  host_.post({generation_, backend::Observed{request, Outcome::failed, {}, ""}});
}

void LocalBackend::evict(RequestId request, const std::string&) noexcept {
  host_.post({generation_, backend::Wrote{request, {{Outcome::failed, 0, ""}}}});
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
    wakeup_.wait(next_due());
    last = stopping_;  // before the queue is taken: what was asked before the destructor is carried out
    expire();
    serve(take());
    look_for_vacancies();
  }
  if (session_) session_->end_terms();
  session_.reset();
}

std::optional<SteadyTime> LocalBackend::next_due() const {
  if (!session_) return std::nullopt;
  const SteadyTime expires = expires_;
  return session_->waits() ? std::min(expires, next_look_) : expires;
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
  session_.reset();
  const auto wait = [this](int tries) { return wait_for_file(tries); };
  auto opened = Session::open({folder_, call.request, call.asked, spent_, wait}, host_);
  if (!opened) return finish(cause_of(opened.error()), opened.error().what);
  session_ = std::move(*opened);
  publish({backend::SessionOpened{Session::granted(call.request.timeout), Capability::fenced,
                                  std::to_string(session_->id()), session_->revision()}});
}

void LocalBackend::serve(const CloseCall& call) {
  if (!session_) return;
  if (!call.keep) session_->end_terms();
  const std::int64_t id = session_->id();
  finish(Cause::shutdown, {});
  if (call.keep) spent_.erase(id);
}

void LocalBackend::carry_out(std::vector<Call>& calls) {
  Session::Events events;
  if (session_ && !calls.empty()) session_->carry_out(std::exchange(calls, {}), events);
  calls.clear();
  publish(std::move(events));
}

void LocalBackend::expire() {
  if (session_ && boot_now() >= expires_.load()) finish(Cause::expired, "the session was not renewed for its timeout");
}

void LocalBackend::look_for_vacancies() {
  const SteadyTime began = boot_now();
  if (!session_ || !session_->waits() || began < next_look_) return;
  Session::Events events;
  session_->look_for_vacancies(events);
  publish(std::move(events));
  const SteadyTime now = boot_now();
  next_look_ = now + std::max<Millis>(look_every, 10 * (now - began));
}

/// Then says that the session is over, where it is.
void LocalBackend::publish(Session::Events events) {
  for (Event& event : events) host_.post({generation_, std::move(event)});
  if (!session_ || !session_->over()) return;
  const backend::SessionClosed closed = *session_->over();
  finish(closed.cause, closed.text);
}

/// The locks have fallen when the loop hears of it.
void LocalBackend::finish(Cause cause, std::string text) {
  if (session_) spent_.insert(session_->id());
  session_.reset();
  host_.post({generation_, backend::SessionClosed{cause, std::move(text)}});
}

bool LocalBackend::wait_for_file(int tries) const {
  if (tries >= (stopping_ ? busy_tries_stopping : busy_tries)) return false;
  std::this_thread::sleep_for(busy_pause);
  return true;
}

}  // namespace ballot::local
