// Invariants: what must hold after every step of the core. Checked in debug builds and in every simulation; each is
// reported in words when it breaks. What must be true between nodes is the simulation's to check (tests/sim).
#pragma once

#include <string>

#include "base/assert.hpp"

namespace ballot::core {

class Core;
class JobMachine;

class Invariants {
 public:
  /// "" or what does not hold.
  static std::string broken(const Core& core);

 private:
  static std::string broken(const JobMachine& job);
};

}  // namespace ballot::core

#ifdef NDEBUG
#define BALLOT_CHECK_INVARIANTS(checked) ((void)0)
#else
#define BALLOT_CHECK_INVARIANTS(checked)                                     \
  do {                                                                       \
    const std::string broken_ = ::ballot::core::Invariants::broken(checked); \
    BALLOT_ASSERT(broken_.empty(), broken_.c_str());                         \
  } while (false)
#endif
