// Intent: what a write of a job's register is for. It says what follows once the write is confirmed, and what is to be
// undone where it never will.
//
//   intent       | once it is confirmed                         | where it fails
//   Settle       | what it settles is decided no more          | all of it is decided anew
//   CatchUp      | nothing more: that was decided before it    | nothing: it is tried again
//   Define       | the plan is the new definition's            | as Settle
//   ChangePause, |                                             |
//   ChangeBackfill | the request is done                       | the request is refused
//   FinishRepair | the repair is done                          | it is tried again
//   QueueRun     | the request is done, and its run waits; too | the request is refused
//                | late: it is refused, and its run is missed  |
//   ClaimDueSlot | the slot waits no more, its run is launched | the run never was, its slot is decided anew
//   ClaimWaiting | the run is launched                         | it goes on waiting
//   ClaimAtOnce  | the run is launched                         | the run never was: whoever asked for it is refused;
//                |                                             | one that was lost before is to be claimed anew
//
// Each of them settles what is decided and closes what has ended besides.
//
//   if (const auto* pause = write.intent_as<ChangePause>()) refuse(pause->request);
//
// Plain values. Knows nothing of what is written; used by PendingWrite and whoever makes one.
#pragma once

#include <optional>
#include <variant>

#include "ballot/run.hpp"
#include "base/runner_wire.hpp"
#include "core/record/register.hpp"

namespace ballot::core {

/// Slots that were decided, runs that have ended.
struct Settle {};
/// Runs that were begun ahead of the register.
struct CatchUp {};
/// The definition of the files; or that no file defines the job any more.
struct Define {};
/// A pause, or its end: asked for, or (nullopt) of all instances of the job.
struct ChangePause {
  std::optional<RunId> request;
  WallTime at{};               // the slots up to then are settled by the pause that ends
  bool is_by_its_end = false;  // which had been given when it was begun
};
/// A backfill, or its end: asked for, or (nullopt) as all of its slots have run.
struct ChangeBackfill {
  std::optional<RunId> request;
};
/// The last write of a repair.
struct FinishRepair {};
/// A run that was asked for by hand and waits in the queue; the request has its id.
struct QueueRun {
  RunId run;
  WallTime begin_by{};  // confirmed later, whoever asked was answered that nothing comes of it
};
/// The first slot that is due.
struct ClaimDueSlot {
  runner::AttemptId run;
};
/// A run that the register shows as waiting: `waited`.
struct ClaimWaiting {
  runner::AttemptId run;
  OpenRun waited;
};
/// A run by hand, of a backfill, or the next attempt of one that was lost.
struct ClaimAtOnce {
  runner::AttemptId run;
};

using Intent = std::variant<Settle, CatchUp, Define, ChangePause, ChangeBackfill, FinishRepair, QueueRun, ClaimDueSlot,
                            ClaimWaiting, ClaimAtOnce>;

}  // namespace ballot::core
