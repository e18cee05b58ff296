// HostLog: the log of the host, one line at a time, until the runtime is left to itself. Threads: any.
#pragma once

#include <condition_variable>
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
    if (!log_ || !begin_line()) return;
    const LineEnd end{*this};
    log_(level, text, fields);
  }
  /// No line begins after it.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  /// For the end of the line that is being written, so that the host may take down what it writes to; not for longer
  /// than `patience`, as the host's log may be what hangs.
  void wait_for_line(Millis patience) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, patience, [this] { return !is_writing_; });
  }

 private:
  struct LineEnd {
    HostLog& log;
    ~LineEnd() {
      const std::lock_guard lock(log.mutex_);
      log.is_writing_ = false;
      log.ended_.notify_all();
    }
  };
  bool begin_line() {
    const std::lock_guard lock(mutex_);
    is_writing_ = !is_closed_;
    return is_writing_;
  }

  std::mutex one_at_a_time_;
  const Log log_;
  std::mutex mutex_;
  std::condition_variable ended_;                // the line
  bool is_writing_ = false, is_closed_ = false;  // under mutex_
};

}  // namespace ballot::library
