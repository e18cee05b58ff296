// ShiftedClock: the wall clock of a process that is started with it, which a test sets while it runs. All its other
// clocks, and those of the test, are right.
//
//   ShiftedClock clock(folder / "clock", BALLOT_SHIFTED_CLOCK);      daemon.environment = clock.environment();
//   daemon.start();   ...   clock.set(Millis(11'000));
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::testing {

class ShiftedClock {
 public:
  /// `library`: shifted_clock.cpp, built.
  ShiftedClock(std::string file, std::string library) : file_(std::move(file)), library_(std::move(library)) {
    std::ofstream(file_, std::ios::binary) << std::string(sizeof(std::int64_t), '\0');
  }
  std::vector<std::string> environment() const {
    return {"LD_PRELOAD=" + library_, "BALLOT_SHIFTED_CLOCK_FILE=" + file_};
  }
  /// How far it is before, or, negative, behind the right time.
  void set(Millis off) const {
    const std::int64_t ms = off.count();
    std::fstream(file_, std::ios::binary | std::ios::in | std::ios::out)
        .write(reinterpret_cast<const char*>(&ms), sizeof ms);
  }

 private:
  const std::string file_, library_;
};

}  // namespace ballot::testing
