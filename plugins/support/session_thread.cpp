#include "support/session_thread.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"
#include "support/excerpt.hpp"

namespace ballot::support {

namespace {

constexpr Millis closing_patience{250};

}  // namespace

SessionThread::SessionThread(Host& host, const MakeDriver& make) : host_(&host), driver_(make(*this)) {}

void SessionThread::ask(Asked call) { queue_.push(std::move(call)); }

void SessionThread::renew(RequestId request) {
  const SteadyTime now = boot_now();
  SteadyTime expires = expires_.load();
  // Too late is too late, even where the thread has had no time yet to say so.
  if (now >= expires) return;
  // Where the session has ended meanwhile, it stays so.
  if (expires != SteadyTime::max()) expires_.compare_exchange_strong(expires, now + timeout_.load());
  renewal_waits_ = true;
  ask(Call(RenewCall{request, now}));
}

void SessionThread::stop() {
  stopping_ = true;
  wakeup_->wake();
}

bool SessionThread::wait_ended(Millis limit) {
  std::unique_lock hold(mutex_);
  return end_.wait_for(hold, limit, [this] { return ended_; });
}

void SessionThread::abandon() noexcept {
  const std::lock_guard hold(mutex_);
  host_ = nullptr;
}

void SessionThread::post(BackendEvent event) noexcept {
  const std::lock_guard hold(mutex_);
  if (host_ != nullptr && !silent_) host_->post(std::move(event));
}

void SessionThread::log(Level level, std::string_view text) noexcept {
  const std::lock_guard hold(mutex_);
  if (host_ == nullptr) return;
  if (level < Level::info) return host_->log(level, excerpt(text));
  if (const auto line = log_rate_.admit(excerpt(text), boot_now())) host_->log(level, *line);
}

void SessionThread::post(Event event) {
  shorten_texts(event);
  post(BackendEvent{generation_, std::move(event)});
}

void SessionThread::opened(backend::SessionOpened opened, std::optional<SteadyTime> counts_from) {
  timeout_ = opened.timeout;
  if (counts_from) expires_ = *counts_from + opened.timeout;
  post(Event(std::move(opened)));
}

void SessionThread::closed(backend::SessionClosed closed) {
  open_ = false;
  expires_ = SteadyTime::max();
  post(Event(std::move(closed)));
}

void SessionThread::run() noexcept {
  for (bool last = false; !last;) {
    const bool readable = wakeup_->wait(next_due(), open_ ? driver_->descriptors() : std::vector<int>{});
    last = stopping_;  // before the queue is taken: what was asked before the destructor is carried out
    iterate(readable);
  }
  end();
  driver_.reset();
  const std::lock_guard hold(mutex_);
  ended_ = true;
  end_.notify_all();
}

std::optional<SteadyTime> SessionThread::next_due() const {
  if (!open_) return std::nullopt;
  const SteadyTime past = std::min(expires_.load(), driver_->deadline());
  const SteadyTime due = std::min(past, driver_->due().value_or(SteadyTime::max()));
  return due == SteadyTime::max() ? std::nullopt : std::optional(due);
}

void SessionThread::iterate(bool readable) {
  if (open_ && boot_now() >= std::min(expires_.load(), driver_->deadline())) driver_->expire();
  driver_->receive(readable);
  serve(queue_.take());
  if (open_) driver_->advance();
}

void SessionThread::serve(std::vector<Asked> all) {
  std::vector<Call> calls;
  for (Asked& one : all) {
    if (auto* call = std::get_if<Call>(&one)) {
      if (std::holds_alternative<RenewCall>(*call)) renewal_waits_ = false;
      calls.push_back(std::move(*call));
      continue;
    }
    carry_out(calls);
    if (auto* configure = std::get_if<ConfigureCall>(&one)) {
      driver_->configure(std::move(configure->groups));
    } else if (const auto* open = std::get_if<OpenCall>(&one)) {
      generation_ = open->request.generation;
      expires_ = SteadyTime::max();
      open_ = true;
      driver_->open(open->request, open->asked);
    } else if (open_) {
      driver_->close(std::get<CloseCall>(one).keep);
      expires_ = SteadyTime::max();
    }
  }
  carry_out(calls);
}

void SessionThread::carry_out(std::vector<Call>& calls) {
  if (open_ && !calls.empty()) driver_->carry_out(std::exchange(calls, {}));
  calls.clear();
}

/// In order, as far as a short time allows; nothing is posted any more.
void SessionThread::end() {
  {
    const std::lock_guard hold(mutex_);
    silent_ = true;
  }
  if (!open_) return;
  const SteadyTime by = boot_now() + closing_patience;
  driver_->close(false);
  expires_ = SteadyTime::max();
  for (bool readable = false; open_ && boot_now() < by;) {
    driver_->advance();
    if (!open_) return;
    readable = wakeup_->wait(std::min(by, next_due().value_or(by)), driver_->descriptors());
    driver_->receive(readable);
  }
  if (open_) driver_->drop();
}

}  // namespace ballot::support
