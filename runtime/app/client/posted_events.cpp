#include "app/client/posted_events.hpp"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "io/clocks.hpp"

namespace ballot::app {

void PostedEvents::post() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  posted_.notify_one();
}

std::optional<BackendEvent> PostedEvents::next(io::BackendPort& port, Clock::time_point until) {
  while (events_.empty()) {  // what it was woken for may have been taken before
    std::unique_lock lock(mutex_);
    if (!posted_.wait_until(lock, until, [this] { return woken_; })) return std::nullopt;
    woken_ = false;
    lock.unlock();
    for (BackendEvent& event : port.take()) events_.push_back(std::move(event));
  }
  BackendEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void print_warning(Level level, std::string_view text, const LogFields&) {
  if (level >= Level::warn) std::cerr << text << '\n';
}

SessionRequest session_request(const config::Config& config) {
  SessionRequest request;
  request.generation = 1;
  request.host = io::host_name();
  request.boot_id = io::boot_id();
  request.machine_id = io::machine_id();
  request.pid = static_cast<int>(::getpid());
  request.version = BALLOT_VERSION;
  request.timeout = config.coordination.session_timeout.value_or(Millis(0));
  return request;
}

}  // namespace ballot::app
