// LogRate: which of a plugin's log lines are written: one line of a kind a second, and a bounded number of kinds. Lines
// are of one kind where they are the same up to their second ": ", as in "etcd: changes are read anew: WHY". The next
// line of a kind says how many were left out before it. Pure, but that the caller locks.
//
//   if (const auto line = rate.admit(text, boot_now())) write(*line);
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot::support {

class LogRate {
 public:
  static constexpr std::size_t kind_size = 96;    // bytes, at most
  static constexpr std::size_t most_kinds = 128;  // within pause
  static constexpr Millis pause{1000};

  /// None: the line is left out.
  std::optional<std::string> admit(std::string_view text, SteadyTime now);

 private:
  struct Kind {
    SteadyTime written{};
    std::size_t left_out = 0;  // since then
  };
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace ballot::support
