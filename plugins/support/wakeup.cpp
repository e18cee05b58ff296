#include "support/wakeup.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace ballot::support {

Wakeup::Wakeup()
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (event_ >= 0 && timer_ >= 0) return;
  const int code = errno;
  if (event_ >= 0) ::close(event_);
  if (timer_ >= 0) ::close(timer_);
  throw std::system_error(code, std::generic_category(), "eventfd, timerfd");
}

Wakeup::~Wakeup() {
  ::close(event_);
  ::close(timer_);
}

void Wakeup::wake() noexcept {
  const std::uint64_t one = 1;
  // Full is woken already.
  [[maybe_unused]] const ssize_t size = ::write(event_, &one, sizeof one);
}

bool Wakeup::wait(std::optional<SteadyTime> time, const std::vector<int>& others) {
  itimerspec at{};  // zero disarms
  if (time) {
    const auto millis = std::max<std::int64_t>(time->time_since_epoch().count(), 1);
    at.it_value = {millis / 1000, (millis % 1000) * 1'000'000};
  }
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
  std::vector<pollfd> ready{{event_, POLLIN, 0}, {timer_, POLLIN, 0}};
  for (const int fd : others) ready.push_back({fd, POLLIN, 0});
  ::poll(ready.data(), ready.size(), -1);
  std::uint64_t count;
  [[maybe_unused]] const ssize_t size = ::read(event_, &count, sizeof count);
  return std::any_of(ready.begin() + 2, ready.end(), [](const pollfd& one) { return one.revents != 0; });
}

}  // namespace ballot::support
