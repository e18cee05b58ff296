// PostedEvents: what a backend's port has for a command that waits for it: the port says so from the plugin's threads.
// With it what a command's session has in common, whatever it is for.
//
// Threads: post() any; next() one at a time.
//
//   io::BackendPort port(plugin, print_warning, [&] { posted.post(); });
//   if (const auto event = posted.next(port, until)) ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>

#include "ballot/plugin.hpp"
#include "config/config.hpp"
#include "io/backend_port.hpp"

namespace ballot::app {

class PostedEvents {
 public:
  using Clock = std::chrono::steady_clock;

  void post();
  /// None: there is none until then.
  std::optional<BackendEvent> next(io::BackendPort& port, Clock::time_point until);

 private:
  std::mutex mutex_;  // of `woken_`
  std::condition_variable posted_;
  bool woken_ = false;  // the port has events that were not taken
  std::deque<BackendEvent> events_;
};

/// On stderr, what is at least a warning.
void print_warning(Level level, std::string_view text, const LogFields& fields);

/// Of this process, on this host.
SessionRequest session_request(const config::Config& config);

}  // namespace ballot::app
