// HostLog: the log of the host, until the runtime is left to itself. Threads: any.
#pragma once

#include <mutex>
#include <string_view>
#include <utility>

#include "ballot/log.hpp"

namespace ballot::library {

class HostLog {
 public:
  explicit HostLog(Log log) : log_(std::move(log)) {}

  void write(Level level, std::string_view text, const LogFields& fields) {
    const std::lock_guard lock(mutex_);
    if (log_) log_(level, text, fields);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    log_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Log log_;
};

}  // namespace ballot::library
