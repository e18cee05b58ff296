// Poller: which descriptors are ready (epoll, level-triggered). A thin owner of the system's calls.
//
// A descriptor that is closed stays in the set, and ready, as long as a child that has not exec'd yet has a copy of it:
// on a busy machine for milliseconds, of which each would be another event. What is closed while children begin is
// therefore added to be reported once, and again only after report_again().
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

  /// False, with errno, where the system has no room. A descriptor leaves the set when its last copy is closed.
  bool add(int fd, std::uint32_t events) { return control(EPOLL_CTL_ADD, fd, events); }
  bool add_once(int fd, std::uint32_t events) { return add(fd, events | EPOLLONESHOT); }
  void report_again(int fd, std::uint32_t events) { change(fd, events | EPOLLONESHOT); }
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
