// Process: which process it is, in words that other processes of this machine understand. A pid alone is given anew.
#pragma once

#include <cstdint>

#include "support/machine/file_id.hpp"

namespace ballot::support {

struct Process {
  std::int64_t pid = 0;
  std::int64_t space = 0;    // of its pid namespace; 0: not known
  std::int64_t started = 0;  // in clock ticks since the boot; 0: not known
  bool operator==(const Process&) const = default;
};

Process this_process() noexcept;

/// A pid of this namespace as /proc shows it; a state of 0: there is none.
struct ProcessStatus {
  char state = 0;  // 'T', 't': stopped
  std::int64_t started = 0;
  bool stopped() const { return state == 'T' || state == 't'; }
};
ProcessStatus status_of(std::int64_t pid) noexcept;

/// Whether a process of this namespace has the file open; false, too, where that cannot be seen.
bool has_open(std::int64_t pid, const FileId& file) noexcept;

}  // namespace ballot::support
