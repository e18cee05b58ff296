// Jobs: the jobs in one step. It advances one, and keeps what hangs on what a job does: when it wants to be woken, how
// many runs count where, which groups it concerns, and which job is next where only so many runs may go on at once. It
// knows nothing of the store.
//
//   Jobs jobs(parts, c);
//   entry.machine.on_started(c, event); jobs.advance(entry);
//   jobs.grant_places();  // at the end of the step
//
// Pure; lives for one step; used inside core only.
#pragma once

#include "core/core_parts.hpp"

namespace ballot::core {

class Jobs {
 public:
  Jobs(CoreParts& parts, Context& c) : p_(parts), c_(c) {}

  /// Lets the job do what is to be done now. Call it after anything that may have changed for it.
  void advance(JobEntry& entry);
  /// All that this node leads.
  void advance_led();
  /// Its definition says which jobs it comes after. They become known, where they are not yet.
  void link(JobEntry& entry);
  /// Jobs in one chain with those whose registers say more: what they wait for may be there.
  void advance_chains();
  /// A pause of all instances has begun or ended.
  void follow_pauses();
  /// Keeps each group's list of the jobs that concern it.
  void reindex(JobEntry& entry);
  /// A run that a daemon before has started: see JobMachine::adopt_row().
  void adopt_row(const Row& row);
  /// Jobs that wait for a place begin their runs while there are places.
  void grant_places();
  /// A term with runs sends its deadline to the runner: before its first launch, and whenever the deadline has moved.
  void send_deadlines();

 private:
  void queue_waiters();
  /// Runs of a daemon before that go on in the runner, and whose job's register has not been read, or cannot be.
  int unknown_runs() const;

  CoreParts& p_;
  Context& c_;
};

}  // namespace ballot::core
