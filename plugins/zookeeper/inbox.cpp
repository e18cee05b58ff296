#include "inbox.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace ballot::zookeeper {

Inbox::Inbox()
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (event_ >= 0 && timer_ >= 0) return;
  const int code = errno;
  if (event_ >= 0) ::close(event_);
  if (timer_ >= 0) ::close(timer_);
  throw std::system_error(code, std::generic_category(), "eventfd, timerfd");
}

Inbox::~Inbox() {
  ::close(event_);
  ::close(timer_);
}

void Inbox::push(Message message) {
  bool first;
  {
    const std::lock_guard hold(mutex_);
    first = messages_.empty();
    messages_.push_back(std::move(message));
  }
  if (first) wake();
}

void Inbox::wake() noexcept {
  const std::uint64_t one = 1;
  // Full is woken already.
  [[maybe_unused]] const ssize_t size = ::write(event_, &one, sizeof one);
}

void Inbox::wait(std::optional<SteadyTime> time) {
  itimerspec at{};  // zero disarms
  if (time) {
    const auto millis = std::max<std::int64_t>(time->time_since_epoch().count(), 1);
    at.it_value = {millis / 1000, (millis % 1000) * 1'000'000};
  }
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
  pollfd ready[] = {{event_, POLLIN, 0}, {timer_, POLLIN, 0}};
  ::poll(ready, 2, -1);
  std::uint64_t count;
  [[maybe_unused]] const ssize_t size = ::read(event_, &count, sizeof count);
}

std::vector<Message> Inbox::take() {
  const std::lock_guard hold(mutex_);
  return std::exchange(messages_, {});
}

}  // namespace ballot::zookeeper
