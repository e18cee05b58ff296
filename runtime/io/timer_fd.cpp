#include "io/timer_fd.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <system_error>

#include "base/assert.hpp"

namespace ballot::io {
namespace {

int make_timer(int clock) {
  const int fd = ::timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return fd;
}

itimerspec at_instant(std::chrono::nanoseconds at) {
  at = std::max(at, std::chrono::nanoseconds(1));  // zero would disarm
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  itimerspec spec{};
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = (at - seconds).count();
  return spec;
}

}  // namespace

struct TimerFd::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& loop, int clock_id, std::function<void(Woken)> callback, TimerCalls system)
      : descriptor(loop, make_timer(clock_id)), clock(clock_id), on_woken(std::move(callback)), calls(system) {}

  int set(int flags, const itimerspec& spec) {
    return calls.settime(descriptor.native_handle(), flags, &spec, nullptr) == 0 ? 0 : errno;
  }

  void wait() {
    descriptor.async_wait(descriptor.wait_read, [self = shared_from_this()](boost::system::error_code error) {
      if (error || !self->alive) return;
      self->on_readable();
      if (self->alive) self->wait();
    });
  }

  void on_readable() {
    std::uint64_t expirations = 0;
    if (calls.read(descriptor.native_handle(), &expirations, sizeof expirations) > 0)
      wake(Woken::expired);
    else if (errno == ECANCELED)
      wake(Woken::clock_stepped);  // else EAGAIN: it was set anew since it came
  }

  void wake(Woken woken) {
    if (!alive || !armed) return;
    armed = false;
    if (woken == Woken::clock_stepped) set(0, {});
    on_woken(woken);
  }

  boost::asio::posix::stream_descriptor descriptor;
  int clock;
  std::function<void(Woken)> on_woken;
  TimerCalls calls;
  bool alive = true;
  bool armed = false;
};

TimerFd::TimerFd(boost::asio::io_context& loop, int clock, std::function<void(Woken)> on_woken, TimerCalls calls)
    : state_(std::make_shared<State>(loop, clock, std::move(on_woken), calls)) {
  state_->wait();
}

TimerFd::~TimerFd() {
  state_->alive = false;
  boost::system::error_code ignored;
  state_->descriptor.close(ignored);
}

void TimerFd::arm(std::chrono::nanoseconds at) {
  state_->armed = true;
  const int flags = TFD_TIMER_ABSTIME | (state_->clock == CLOCK_REALTIME ? TFD_TIMER_CANCEL_ON_SET : 0);
  const int error = state_->set(flags, at_instant(at));
  if (error == 0) return;
  BALLOT_ASSERT(error == ECANCELED, "a valid timer can be set");
  // The clock was set since the timer was last read: the caller's instant may come from before the step.
  boost::asio::post(state_->descriptor.get_executor(), [state = state_] { state->wake(Woken::clock_stepped); });
}

void TimerFd::disarm() {
  state_->armed = false;
  state_->set(0, {});
}

}  // namespace ballot::io
