// The runner's log: one line on standard error, which is the daemon's.
#pragma once

#include <cstring>
#include <string>

#include <unistd.h>

namespace ballot::runner {

inline void log(const std::string& text) {
  const std::string line = "ballot-runner: " + text + '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace ballot::runner
