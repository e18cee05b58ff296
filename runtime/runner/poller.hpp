// Poller: which descriptors are ready (epoll, level-triggered). A thin owner of the system's calls.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include "base/unique_fd.hpp"

namespace ballot::runner {

class Poller {
 public:
  Poller() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {}

  /// False, with errno, where the system has no room. A descriptor leaves the set when it is closed.
  bool add(int fd, std::uint32_t events) { return control(EPOLL_CTL_ADD, fd, events); }
  void change(int fd, std::uint32_t events) { control(EPOLL_CTL_MOD, fd, events); }

  /// `data.fd` of each event is the descriptor. Valid until the next call.
  std::span<const epoll_event> wait(int timeout_millis) {
    const int count = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()), timeout_millis);
    return {events_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  bool control(int operation, int fd, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = fd}};
    return ::epoll_ctl(fd_.get(), operation, fd, &event) == 0;
  }

  UniqueFd fd_;
  std::array<epoll_event, 256> events_;
};

}  // namespace ballot::runner
