// Repair: what `ballot repair` does to one job, while it is under way: its register is written anew, above whatever was
// claimed and forgotten, and what nobody knows any more is recorded as missed: halted.
//
// Pure values; used by JobMachine only.
#pragma once

#include <optional>
#include <string>

#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "core/register.hpp"

namespace ballot::core {

struct Repair {
  std::optional<RunId> request;  // is answered; none where the whole group is repaired
  std::string by;
  bool of_cursor = false;  // only the cursor is wrong: it is ahead of the clock

  std::optional<WallTime> cursor_ahead{};  // where it was
  std::optional<WallTime> from{}, to{};    // the slots of the halt,
  std::int64_t slots = 0;                  // so many
  int waited = 0;                          // runs that waited for their time or turn

  /// Its ranges are in the register.
  void wrote(const Disposition& range);
  /// For whoever asked.
  std::string text(const std::string& job) const;
};

}  // namespace ballot::core
