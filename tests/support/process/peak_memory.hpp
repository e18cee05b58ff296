// PeakMemory: the most memory that this process has had since then, over what it had at rest.
//
//   PeakMemory peak;   ... a server that sends too much ...   EXPECT_LT(peak.mib_over_rest(), 64);
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/process/process_facts.hpp"

namespace ballot::testing {

/// Memory that AddressSanitizer keeps from being used again once it was freed, at most.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::int64_t kept_freed_kib = 300 * 1024;
#else
inline constexpr std::int64_t kept_freed_kib = 0;
#endif

class PeakMemory {
 public:
  PeakMemory() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
    rest_kib_ = peak_kib_of(::getpid());
  }
  std::int64_t mib_over_rest() const { return (peak_kib_of(::getpid()) - rest_kib_) / 1024; }

  /// Sanitizers keep what was freed, and what they know of it.
  static constexpr bool can_tell =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
      false;
#else
      true;
#endif

 private:
  std::int64_t rest_kib_ = 0;
};

}  // namespace ballot::testing
