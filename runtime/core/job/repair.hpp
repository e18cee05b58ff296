// Repair: what `ballot repair` does to one job, while it is under way: its register is written anew, above whatever was
// claimed and forgotten, and what nobody knows any more is recorded as missed: halted.
//
// Pure values; used by JobMachine only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "core/record/register.hpp"

namespace ballot::core {

/// The author of the repair of a register that a repair of its whole group had not read.
inline std::string as_its_group(const std::string& node) { return node + ", as its group"; }

struct Repair {
  std::optional<RunId> request;  // is answered; none where the whole group is repaired
  std::string by;
  bool of_cursor = false;  // only the cursor is wrong: it is ahead of the clock

  std::optional<WallTime> cursor_ahead{};  // where it was
  bool is_claim_ahead = false;             // only the last claim was, there
  std::vector<std::string> lost{};         // keys of lines that could not be read, "" of such as have none
  std::optional<WallTime> from{}, to{};    // the slots of the halt,
  std::int64_t slots = 0;                  // so many
  std::size_t kept = 0;                    // slots that lie ahead and were settled already, from the first to the last
  WallTime kept_from{}, kept_to{};
  int waited = 0;  // runs that waited for their time, or in a queue

  /// Its ranges are in the register.
  void wrote(const Disposition& range);
  /// The last write of it: from `now` on the job goes on as new.
  void complete(JobRegister& next, WallTime now) const;
  /// For whoever asked.
  std::string text(const std::string& job) const;

 private:
  std::string text_of_lost() const;
};

/// Above every fence that was seen, or claimed and forgotten; `of_group`: the number of the group's last repair.
void raise_fence(JobRegister& next, std::uint64_t seen, std::uint64_t of_group, WallTime now);

}  // namespace ballot::core
