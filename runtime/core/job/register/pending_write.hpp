// PendingWrite: a write of a job's register, from when it is made up to when its answer is known: the register as it is
// to be, and what follows once it is confirmed.
//
//   PendingWrite write = writer.begin(stored, term);
//   write.carry(range, rows);
//   write.close(run);
//   writer.send(job, std::move(write), ...);
//
// Plain values. Knows nothing of the job's other state; used by JobMachine and its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/register/intent.hpp"
#include "core/job/runs/live_run.hpp"
#include "core/record/standing_pause.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

struct PendingWrite {
  std::uint64_t serial = 0;
  SteadyTime sent_at{};  // first
  RegisterWrite request;
  JobRegister next;
  Intent intent = Settle{};
  std::size_t decided = 0;   // how many ranges it carries that no write has carried before
  bool is_detached = false;  // these, and the due slot that it claims, are taken for decided, whatever becomes of it
  std::vector<Row> rows;     // recorded once it is confirmed
  std::vector<runner::AttemptId> closes;
  bool unknown = false;  // an outcome of it was unknown
  std::optional<SteadyTime> repeat_at;
  bool reading = false;

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(intent);
  }
  template <class T>
  const T* intent_as() const {
    return std::get_if<T>(&intent);
  }
  /// The run that it claims; null where it claims none.
  const runner::AttemptId* claim() const;
  /// The request for a pause or a backfill, or for its end, that it is to do; none: it does no such.
  std::optional<RunId> asked_for() const;

  /// A range that is decided, and its rows.
  void carry(const Disposition& range, std::vector<Row> slots);
  /// Drops the ranges that were decided before a repair brought the cursor back to `cursor`, and lie behind it.
  void drop_undone(WallTime cursor);
  /// A run that has ended; what waits after it takes its place.
  void close(const LiveRun& run);
  /// A run begins, or has begun, and has the register's next fence.
  void enter(OpenRun& run);
  /// A scheduled slot is claimed.
  void pass(WallTime slot);
  /// A range is missed, with no claim among its slots.
  void pass_over(PassedOver range);
  /// A register that was not there when its group was repaired is as new as that; of runs by hand it keeps the last
  /// few.
  void keep_bounds(const Term& term);
  /// Takes the files' definition; `since`: slots after it are due. Without a definition the register is released, once
  /// no run is left in it.
  /// `phase`: the register by which its `@every` count; null: its own.
  void define(const JobFacts& job, bool wanted, WallTime since, WallTime now, const JobRegister* phase);
  /// A pause or its end, as somebody asks. A pause of what is paused already gives that another end and reason.
  void set_paused(const Request& asked, WallTime now);
  /// A pause of all instances (null: its end), where that is what the register is to have by it: see follows_to().
  void follow_pause(const StandingPause* of_all, bool pausing, WallTime now);
  /// The pause is over by its own end.
  void end_pause();
  /// This boot has been seen, once the cursor has passed it: for @reboot.
  void see_boot(const JobFacts& job, const CoreSettings& settings);
};

}  // namespace ballot::core
