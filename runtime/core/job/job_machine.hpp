// JobMachine: one job's slots, claims and runs on this node. It owns what this node knows of the job's register, has at
// most one write of it in flight, and does nothing to it unless this node leads the register's group.
//
//   role     | event                                              | next
//   idle     | the group that owns the register is led here, read | leading, waiting or halted
//   leading  | the term ends                                      | idle (runs that were started go on)
//   leading  | the register is released, or moved away            | idle; Core asks again who owns it
//   waiting  | the other group's leader has released it           | leading
//   halted   | (an unreadable register, a newer format, a store  | repaired: leading
//            | that has gone back; or its whole group is halted)  |
//
// While leading, one write at a time:
//   none -> sent -> done: rows are recorded, the claimed run is launched
//                -> unknown: the identical write is repeated, then the register is read: ours, or rebased, or not ours
//                -> conflict, not leader: after an unknown outcome as there; else read again, or the term is over
//                -> failed: nothing happened; tried anew a second later
//
// A run that ends here while another node leads, or nobody, is published as an outcome for whoever leads next.
//
// Its parts are in job_parts.hpp; it begins runs through JobClaims and writes through JobWrites.
//
//   JobMachine job("backup");
//   job.set_register(c, stored); job.lead(c, term);
//   job.advance(c);  // again at wall_wake and steady_wake, and after each event
//
// Pure; on the loop thread; used by Core, which gives it a Context and performs what it leaves there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/job/job_parts.hpp"

namespace ballot::core {

class JobClaims;
class JobWrites;

class JobMachine {
 public:
  using Role = RegisterRole;

  explicit JobMachine(std::string name) : job_{std::move(name)} {}

  const std::string& name() const { return job_.name; }

  /// Takes the files' definition; null: no file defines the job any more.
  void define(schedule::DefinitionPtr definition) {
    // Where it says the same as before, the rules of its zone may have changed.
    job_.replans = job_.definition && definition && job_.definition->digest == definition->digest;
    job_.definition = std::move(definition);
  }
  const schedule::DefinitionPtr& definition() const { return job_.definition; }

  /// The files define it, or its register is some group's.
  bool is_there() const { return job_.definition || (known_register() && !known_register()->released); }

  /// Takes what this node had seen of the register before its daemon was started.
  void recall(const Shown& seen) { job_.view.recall(seen); }

  /// The group whose leader may write the register, as far as known; "" if there is neither register nor definition.
  const std::string& owner() const;

  /// The register as read: absent (nullopt) or there. Whatever write was in flight is forgotten: this is what became of
  /// it. An older one than was seen may have been read before: it is asked for once more, and not known till then.
  void set_register(Context& c, const std::optional<Register>& stored);

  /// The owner's term is ours; the register has been read in it. `term` outlives the leadership.
  void lead(Context& c, const Term& term);
  void depose(Context& c);
  /// The term is halted: nothing of the job is launched or written until it is repaired.
  void halt(Context& c);
  /// This node's runs that the register shows, where they have not been taken up yet: what the runner does not know is
  /// lost. For a register of which it is not known whose it is.
  void adopt_own(Context& c) {
    if (!job_.term && job_.view.trouble().empty()) job_.runs.adopt_own(c, job_.facts());
  }
  /// A run that a daemon before has started, and that no register is known to show: its end is recorded, whatever
  /// became of its slot.
  void adopt_row(Context& c, const Row& row) { job_.runs.adopt_row(c, job_.facts(), row); }

  /// The pause of all instances of the job, as the store has it; null: there is none. It is followed once: what is
  /// asked of this instance afterwards holds.
  void follow(std::shared_ptr<const PauseOfAll> pause) { job_.of_all = std::move(pause); }

  /// Does what is to be done now. Call it after anything that may have changed, and at its wake-up times.
  void advance(Context& c);

  void on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer);
  /// The answer to a read that was asked for.
  void on_read(Context& c, const std::optional<Register>& stored);
  void on_read_unknown(Context& c);

  void on_started(Context& c, const runner::Started& event) { job_.runs.on_started(c, job_.facts(), event); }
  void on_refused(Context& c, const runner::Refused& event) { job_.runs.on_refused(c, job_.facts(), event); }
  void on_cannot_start(Context& c, const runner::CannotStart& event) {
    job_.runs.on_cannot_start(c, job_.facts(), event);
  }
  void on_ended(Context& c, const runner::Ended& event) { job_.runs.on_ended(c, job_.facts(), event); }
  /// False where another row of the run, of this attempt or of another one, is still to be recorded.
  bool on_recorded(const runner::AttemptId& id) { return job_.runs.on_recorded(id); }
  /// True where the job had to wait for it.
  bool on_recorded(const Settled& settled) { return job_.writer.on_recorded(settled) || job_.commands.repair(); }
  void on_inventory(Context& c) { job_.runs.on_inventory(c, job_.facts()); }
  /// Another node's word on a run of this job.
  void on_outcome(Context& c, const Row& outcome);
  /// Takes the word of the runner of a dead term's node.
  void on_runner_word(Context& c, const RunnerWord& word);
  /// A run of a dead term goes on there, or may.
  bool has_foreign(const std::string& node) const {
    return job_.runs.list().has_foreign(node) || job_.unseen.wants_word_of(node);
  }
  /// The job has runs that have not ended, or it is not known whether it has any.
  bool has_runs() const { return open_runs() > 0 || job_.unseen.may_go_on(); }
  /// The end of a run of this node is in the store; or (not `done`) it could not be written.
  void on_published(Context& c, const runner::AttemptId& id, bool done) {
    job_.runs.on_published(c, job_.facts(), id, done);
  }

  /// trigger, pause, resume, forget: of the leader; kill, replace: of the node that executes the run. What a term that
  /// ends leaves undone is not answered: the request stays for the next one.
  void ask(Context& c, const Request& request);
  /// The whole group's pause is over: the slots up to then are settled as skipped: paused.
  void settle_pause(WallTime until) {
    if (job_.leads() && job_.is_defined()) job_.commands.end_group_pause(until);
  }
  /// Ends a halt: a new register above every fence seen; or brings a cursor back that is ahead of the clock. `request`
  /// is answered, where there is one.
  void repair(Context& c, const std::optional<RunId>& request, const std::string& by);
  void kill_all(Context& c, Reason reason, WhichRuns which) { job_.runs.kill_all(c, job_.facts(), reason, which); }

  bool is_clean() const { return job_.is_clean(); }  // see JobParts
  /// Runs of this node, or of a dead term, that have not ended.
  int open_runs() const { return job_.runs.list().open(); }
  /// Runs among them that this node has.
  int own_runs() const { return job_.runs.list().own(); }
  /// Runs of that kind among the first.
  int open_runs(WhichRuns which) const { return job_.runs.list().open(which); }
  /// A run that is not by hand may still start: its claim is in flight, or the runner has not answered.
  bool may_start() const { return job_.runs.list().may_start(); }
  bool is_settling_pause() const { return job_.commands.unpause_until().has_value(); }
  bool is_repairing() const { return job_.commands.repair() != nullptr; }
  /// Why the store seems to have gone back: "" where it does not.
  const std::string& rollback_reason() const { return job_.view.rollback_reason(); }
  bool executes(const RunId& run) const { return job_.runs.list().executes(run); }
  /// The term that claimed the run is over, and the runner has not said that it began: who leads the job now may have
  /// tried it again, or will.
  bool leaves_to_next_leader(const RunId& run) const {
    return job_.role == RegisterRole::idle && !job_.runs.list().has_begun(run);
  }
  /// A trigger that this term leaves to the leader of another group, in which the files define the job: it is that
  /// one's once it has the register. What the register shows is this term's to answer.
  bool leaves_to_another_group(const RunId& trigger) const;
  /// The register shows the run; or this attempt of it, as claimed.
  bool shows(const RunId& run) const { return job_.view.shows(run); }
  bool shows(const runner::AttemptId& attempt) const { return job_.view.shows(attempt); }

  Role role() const { return job_.role; }
  const Term* term() const { return job_.term; }
  bool is_known() const { return job_.view.is_known(); }
  std::uint64_t version() const { return job_.view.version(); }  // of its register, where that is known
  const std::string& trouble() const;                            // why halted
  std::optional<WallTime> unsound_since() const { return job_.view.unsound_since(); }
  bool paused() const { return job_.view.is_known() && job_.view.stored().paused; }
  /// The slot, which is not settled, will be skipped: paused, whenever the pause is over.
  bool passes(WallTime slot) const { return job_.passes(slot); }
  bool clock_skew(WallTime now) const { return job_.view.clock_skew(now); }
  std::optional<WallTime> next_slot(WallTime now) const { return next_slot(now, now); }
  /// The first one after `after` that is not settled yet.
  std::optional<WallTime> next_slot(WallTime now, WallTime after) const;
  /// By the plan that is in force, also where it is settled.
  std::optional<WallTime> next_of_plan(WallTime after) const {
    return job_.slots.next_of_plan(after, job_.view.stored());
  }
  /// The first slot of its backfill that is not begun.
  std::optional<WallTime> next_of_backfill() const {
    const Backfill* const backfill = job_.view.stored().backfill();
    return backfill ? job_.slots.first_within(backfill->left) : std::nullopt;
  }
  /// How many of them there are, up to `most`.
  std::size_t left_of_backfill(std::size_t most) const {
    const Backfill* const backfill = job_.view.stored().backfill();
    return backfill ? job_.slots.count_within(backfill->left, most) : 0;
  }
  const std::vector<LiveRun>& runs() const { return job_.runs.list().all(); }
  bool runner_has(const runner::AttemptId& id) { return job_.runs.runner_has(id); }
  std::vector<WallTime> waiting() const { return job_.waiting(); }  // see JobParts
  /// The register as last confirmed; null while it is not known or not there.
  const JobRegister* known_register() const {
    return job_.view.is_known() && job_.view.exists() ? &job_.view.stored() : nullptr;
  }

  OptionalTime<WallTime> wall_wake;
  OptionalTime<SteadyTime> steady_wake;

 private:
  friend class Invariants;

  JobWrites writes(Context& c);
  JobClaims claims(Context& c);

  // in the order of a step
  bool write_repair(Context& c);
  bool redefine(Context& c);
  bool change_pause(Context& c);
  bool finish_pause(Context& c);
  bool settle(Context& c);
  void rearm(Context& c);

  /// By its register. While that cannot be read, the leader of each group that files define the job in takes it for its
  /// own: the first one that repairs it makes it so, and does what was asked of the job.
  bool is_of_another_group() const { return job_.view.owner(job_.term->group) != job_.term->group; }
  /// To that group's leader, with what ends with this term.
  void leave(Context& c);

  void begin_repair(Context& c, Repair repair);
  void check_store(Context& c, const std::optional<Register>& stored);
  void resolve(Context& c, const std::optional<Register>& stored);
  void ask_trigger(Context& c, const Request& request);
  void ask_repair(Context& c, const Request& request);

  JobParts job_;
};

}  // namespace ballot::core
