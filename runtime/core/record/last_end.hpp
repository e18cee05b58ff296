// LastEnd: how the run that was closed last had ended, by the row of its last attempt: what is known of it while the
// ledger of the node that executed it is away; and when the job has succeeded last. A field of a job's register, in one
// line. A node of an older version keeps the line as it is: it stays true of its run, which it names, and is not of the
// last one then.
//
// Pure values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/ledger.hpp"
#include "ballot/optional_time.hpp"
#include "ballot/shared.hpp"

namespace ballot::core {

struct Words;

struct LastEnd {
  std::optional<RunId> run;  // none: not known
  WallTime slot{};
  Trigger trigger = Trigger::schedule;
  int attempt = 1;
  std::uint64_t epoch = 0, fence = 0;
  Named<Status> status = Status::succeeded;
  Named<Reason> reason = Reason::none;
  OptionalTime<WallTime> ended_at;
  std::optional<int> exit_code;
  Shared<std::string> node;
  OptionalTime<WallTime> last_success;  // of the job: when its last run that succeeded had ended; none: not known
  bool operator==(const LastEnd&) const = default;
};

/// Of a row that has ended, after `before`.
LastEnd last_end_of(const Row& row, const LastEnd& before);
/// As much of the row as is known. Requires: a run.
Row row_of(const LastEnd& end, const std::string& job, const std::string& group);

/// The line of the register, without `last_success`, which has one of its own. Requires: a run.
std::string to_text(const LastEnd& end);
LastEnd read_last_end(Words& words);

}  // namespace ballot::core
