// LiveRun: a run of a job as this node sees it, from its claim to the moment its register no longer shows it.
//
//   state    | event                                  | next
//   claiming | claim confirmed                        | ready, and launched at once where the term may act
//   claiming | claim refused                          | gone, no row
//   claiming | `at-least-once`, and it is in doubt     | ready, unclaimed until a write that enters it is confirmed,
//            |                                        | and launched once its row is durable
//   ready    | launched                               | starting
//   ready    | slot past its start deadline, term over | ended (missed)
//   starting | Started                                | running
//   starting | Refused (past launch not after), or    | ready: the same attempt is permitted anew while its term lives;
//            | the link broke before the launch came  | ended (killed), where a kill was asked for
//   starting | CannotStart                            | ended (failed: cannot_start)
//   starting, running | Ended                         | ended
//   foreign  | its outcome is published, or its runner reports its end | ended
//   foreign  | its runner does not have it            | ended (lost)
//   foreign  | its term's deadline passes (`finish`: lost_after past it), or it is forgotten | ended (lost)
//   ended    | the register is written without it     | gone, and forgotten by the runner; waiting, where it failed and
//            |                                        | has retries left, or the job says rerun
//   waiting  | its time has come; queued: it is next | claiming, as the next attempt
//   waiting  | killed, or no file defines it any more | ended (killed, missed)
//
// Pure values; used by JobMachine's parts, and by left_runs for a daemon that is dead.
#pragma once

#include "ballot/ledger.hpp"
#include "base/runner_wire.hpp"
#include "core/action.hpp"
#include "core/event.hpp"
#include "core/record/register.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

struct LiveRun {
  enum class State { claiming, ready, starting, running, foreign, waiting, ended };

  OpenRun open;
  schedule::DefinitionPtr definition;  // null where it was started before this daemon
  State state = State::claiming;
  Row row;                                   // as last recorded
  bool asked = false;                        // a trigger waits for the claim,
  std::optional<WallTime> begin_by{};        // until then: whoever asked was answered later that nothing comes of it
  bool unclaimed = false;                    // started without a confirmed claim, and not known to be in the register
  bool publishing = false;                   // its end is on the way to the store
  bool published = false;                    // its outcome is, or may be, a record that is removed when it is closed
  bool goes_on = false;                      // a foreign run whose node is known to have it still;
  SteadyTime foreign_until{};                // it is given up then;
  OptionalTime<SteadyTime> replace_asked{};  // when its node was last asked to kill it, for the next run is due
  SteadyTime again_at{};                     // of a waiting one
  OptionalTime<SteadyTime> slow_after{};     // it goes on for longer than its job expects; none: not counted
  SteadyTime ended_at{};                     // when it was seen to have ended
  bool recorded = false;         // it has ended, or waits to be launched in doubt, and its last row is durable:
  int awaited = 0;               // so many times it was asked for, and not answered yet; it is not launched before
  bool known_to_runner = false;  // the runner keeps its end until it is asked to forget
  std::optional<Reason> kill_reason{};  // it was asked of the runner
  bool repeat = false;                  // lost: the next attempt is to be claimed, which closes this one
  std::optional<OpenRun> next;          // the attempt, or the rerun, that waits when this one is closed
  bool kill_asked = false;              // by an operator, before it was started

  runner::AttemptId id() const { return {open.id, open.attempt}; }
  bool has_ended() const { return state == State::ended; }
  bool is_waiting() const { return state == State::waiting; }
  bool is_queued() const { return is_waiting() && open.queued; }
  /// The run has not ended, or is to be tried again: it counts for the job's overlap policy.
  bool is_under_way() const { return !has_ended() || repeat || next.has_value(); }
  /// The run is not known to go on, nor to have ended: a claim that is not started yet, or a run of a dead term.
  bool is_in_question() const {
    const bool to_start = state == State::ready || state == State::starting;
    return (to_start && !unclaimed) || (state == State::foreign && !goes_on);
  }
  bool is_by_hand() const { return open.trigger == Trigger::manual; }
  bool is_of_backfill() const { return open.trigger == Trigger::backfill; }
  /// Its slot is when it was asked for, or long past: no start deadline counts from it.
  bool has_no_deadline() const { return !is_of_slot(open.trigger); }
  /// There never was one: it was decided so of a slot of a triggered chain.
  bool is_decided() const { return has_ended() && open.trigger == Trigger::chain && open.fence == 0; }
  bool may_publish() const { return has_ended() && recorded && !repeat; }
  bool may_close() const { return may_publish() && !unclaimed; }
};

/// Whether the register shows this claim: a run that is asked for by hand may be claimed under its id by several terms.
bool contains(const JobRegister& r, const OpenRun& run);

/// Whether the register has this attempt, be it as one that waits. Else a later term has closed it, with the run or by
/// the run's next attempt.
bool shows_attempt(const JobRegister& r, const LiveRun& run);

/// The policies that it runs under, whatever the files say when it ends.
void bind(OpenRun& run, const Job& job, std::uint64_t epoch, const std::string& node);

/// Some of the runs of a node.
using WhichRuns = bool (*)(const LiveRun&);
bool ends_with_term(const LiveRun& run);
/// A function of this process, which nobody else can go on with.
bool ends_with_process(const LiveRun& run);
/// Runs that a stop ends; of terms that are left to a restart only those that end with the process.
WhichRuns ended_by_stop(bool leaves_terms);

/// The run is not started any more: its slot's start deadline has passed. Requires: its definition is known.
bool is_late(const LiveRun& run, WallTime now);

/// The action that asks for the run's start. Requires: it is claimed, and its definition is known.
Launch launch_of(const LiveRun& run, SteadyTime not_after);

/// The action that asks the runner to kill the run. Requires: kill_reason.
KillRun kill_of(const LiveRun& run);

/// The row of an open run: claimed, nothing started.
Row claimed_row(const OpenRun& open, const std::string& job, const std::string& group);

/// Ends the row by the runner's report.
void conclude(Row& row, const runner::Ended& end, const std::vector<int>& success_codes);

/// Ends the row as another node published it; job, slot and node stay as claimed.
void conclude(Row& row, const Row& outcome);

/// Ends the row of a run that ended without the runner's word.
void conclude(Row& row, Status status, Reason reason, std::optional<WallTime> ended_at);

}  // namespace ballot::core
