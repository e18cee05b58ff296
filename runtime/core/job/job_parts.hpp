// JobParts: what a job is made of, and what can be said of it only where two parts are seen together.
//
//   JobMachine  what one job does next: terms, answers, what people ask, the order of a step
//     JobClaims   which run begins, and how: claimed, queued, ahead of its claim
//       JobWrites   a register write from its beginning until its fate is known
//         the parts   each with a state of its own; none knows another
//
// Each layer calls those below it. Only these three touch the parts, and they have no state but this.
//
// Pure; used by JobMachine, JobClaims and JobWrites only.
#pragma once

#include <memory>
#include <string>

#include "core/job/job_commands.hpp"
#include "core/job/job_facts.hpp"
#include "core/job/register/register_view.hpp"
#include "core/job/register/register_writer.hpp"
#include "core/job/runs/run_set.hpp"
#include "core/job/runs/unclaimed_runs.hpp"
#include "core/job/runs/unseen_runs.hpp"
#include "core/job/slots/slot_feed.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::core {

enum class RegisterRole : std::uint8_t { idle, leading, waiting, halted };

struct JobParts {
  std::string name;
  schedule::DefinitionPtr definition{};  // null: no file has it
  RegisterRole role = RegisterRole::idle;
  bool replans = false;       // the definition says the same as before, and the zones' rules may have changed
  bool read_again = false;    // while its register's runs are taken up once more in a term
  bool kept_outcome = false;  // a record of an end was left in the store, for the register may yet show its run
  const Term* term = nullptr;
  std::shared_ptr<const PauseOfAll> of_all{};  // of all instances of the job; null: there is none

  RegisterView view{};
  RegisterWriter writer{};
  SlotFeed slots{};
  RunSet runs{};
  UnclaimedRuns unclaimed{};
  UnseenRuns unseen{};
  JobCommands commands{};

  /// The facts that the parts are given.
  JobFacts facts() const;
  bool leads() const { return role == RegisterRole::leading; }
  /// By this group's files, and the register says the same.
  bool is_defined() const;
  /// The pause of all instances of the job; null: there is none.
  const StandingPause* standing() const { return of_all && of_all->standing ? &*of_all->standing : nullptr; }
  bool is_paused() const { return view.stored().paused || is_to_pause() || (term && term->paused); }
  /// A pause of all instances has begun or ended, and the register does not say so yet.
  bool is_to_follow() const {
    const std::optional<RunId>& followed = view.stored().interventions->standing_pause;
    return standing() ? followed != standing()->id || lacks_terms() : followed.has_value();
  }
  bool is_to_pause() const { return standing() && is_to_follow(); }
  /// It was followed without its terms: by a release that does not know them.
  bool lacks_terms() const {
    const Interventions& of = *view.stored().interventions;
    return view.stored().paused && !of.own_pause && of.pause_terms != standing()->terms;
  }
  /// Drops a pause of all instances that is over by its own end, where the register has not followed it: for whoever
  /// comes later there is none.
  void forget_ended(WallTime now);
  /// The slot, which is not settled, will be skipped: paused, whenever the pause is over.
  bool passes(WallTime slot) const;
  /// The register's pause is over by its own end, and the register does not say so yet.
  bool is_pause_over(WallTime now) const;
  /// The pause that the register is to have by that.
  bool follows_to() const { return standing() || (view.stored().paused && view.stored().interventions->own_pause); }
  /// The end of the pause of all instances that it is to follow, where this node was away then; null: it is at once.
  const PauseEnd* late_end(WallTime now) const;
  /// A pause or its end that is so already. One that another pause has brought is not the job's own yet.
  bool is_so(const Request& pause) const;
  /// No write in flight, nothing decided that is not written, nothing ended that is not closed.
  bool is_clean() const;
  /// Slots that are due and wait: for a run to end, for a place, for their next attempt.
  std::vector<WallTime> waiting() const;
  /// A stop, or an eviction: nothing new is begun. Requires: a term.
  bool is_draining() const;
  /// The register has as many runs as it may, and none of them can be closed yet: one that waits for its next attempt
  /// keeps its place.
  bool is_full() const;
  /// Runs that the next write takes out of the register, and puts nothing in their place.
  std::size_t closable() const { return runs.list().closable(view.stored()); }
  /// How far away the deadline must be for a run to be launched.
  Millis launch_budget(const Context& c) const;
  bool may_claim(const Context& c) const { return c.may_claim(launch_budget(c)); }
  /// Nothing that could change which slots there are, or whether they may run, is under way; and it is the store that
  /// does not answer, not the clock that has stepped: a wrong clock would pass slots that are not due.
  bool may_run_ahead(const Context& c) const;
  /// A start that the runner was asked for may come after a pause is acknowledged.
  bool waits_to_pause() const { return (is_to_pause() || commands.is_pause_next()) && runs.list().is_starting(); }

  /// Its slots are those of its first parent, which counts them from an instant that its register has.
  bool has_phase_of_first() const { return has_slots_of_first(definition) && !definition->plan.everies().empty(); }
  /// The same, and nobody knows from where: that one is not led, or not as defined, and the job's register has none.
  bool lacks_phase(const Context& c) const;
  /// The same, and its register has another instant than that one's by now.
  bool is_out_of_phase(const Context& c) const;
  /// For whoever triggers it: lacks_phase(), and nothing but a repair will change that; "": it is not so.
  std::string why_no_phase(const Context& c) const;
  /// The overlap that the job's runs are for its next slots.
  Overlap overlap(const Context& c) const;
  /// Slots are decided from what the register has settled, or was run ahead of it.
  void resume_slots();
  /// False while there is more to decide than a step may take.
  bool scan(const Context& c, ScanRules::Mode mode, WallTime until);
};

}  // namespace ballot::core
