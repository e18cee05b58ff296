// The ledger's rows: what became of every slot, whether it ran or not, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// One attempt of a run, keyed by (run, attempt); or a slot that never ran: no run, attempt 0, keyed by (job, slot).
struct Row {
  std::optional<RunId> run;
  std::string job;
  std::string group;
  WallTime slot{};
  std::optional<WallTime> slot_until;  // the last slot of a row that is of more than one
  std::int64_t slots = 1;              // how many slots the row is of
  Trigger trigger = Trigger::schedule;
  int attempt = 0;
  Named<Status> status = Status::missed;
  Named<Reason> reason = Reason::none;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<WallTime> started_at;
  std::optional<WallTime> ended_at;
  std::optional<Millis> duration;  // by the boot clock, so a clock step does not bend it
  std::string node;
  std::uint64_t epoch = 0;
  std::uint64_t fence = 0;  // 0: none (a slot without a run)
  std::int64_t output_bytes = 0;
  Leftover leftover = Leftover::none;
};

/// One unbroken leadership of a group by one node, keyed by (group, epoch).
struct TermRow {
  std::string group;
  std::string node;
  std::uint64_t epoch = 0;
  WallTime elected_at{};
  std::optional<WallTime> ended_at;
  Cause cause = Cause::none;
};

/// What a run printed: its head and its tail, and how many bytes between them are gone.
struct Output {
  std::string head;
  std::string tail;
  std::int64_t total_bytes = 0;
  std::int64_t left_out() const {
    return total_bytes - static_cast<std::int64_t>(head.size()) - static_cast<std::int64_t>(tail.size());
  }
};

}  // namespace ballot
