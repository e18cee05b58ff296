// HostLog: the log of the host, one line at a time, until the runtime is left to itself. Threads: any.
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "ballot/log.hpp"

namespace ballot::library {

class HostLog {
 public:
  explicit HostLog(Log log) : log_(std::move(log)) {}

  void write(Level level, std::string_view text, const LogFields& fields) {
    const std::lock_guard lock(one_at_a_time_);
    if (log_ && !is_closed_) log_(level, text, fields);
  }
  /// No line begins after it. One that is being written is not waited for: the host's log may be what hangs.
  void close() { is_closed_ = true; }

 private:
  std::mutex one_at_a_time_;
  std::atomic<bool> is_closed_ = false;
  const Log log_;
};

}  // namespace ballot::library
