// JobMachine: one job's slots, claims and runs on this node. It owns what this node knows of the job's register, has at
// most one write of it in flight, and does nothing to it unless this node leads the register's group.
//
//   standing | event                                              | next
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
// Pure; on the loop thread; used by Core, which gives it a Context and performs what it leaves there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/job/job_commands.hpp"
#include "core/job/job_facts.hpp"
#include "core/job/register_view.hpp"
#include "core/job/register_writer.hpp"
#include "core/job/run_set.hpp"
#include "core/job/slot_feed.hpp"
#include "core/job/unclaimed_runs.hpp"

namespace ballot::core {

class JobMachine {
 public:
  enum class Standing { idle, leading, waiting, halted };

  explicit JobMachine(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// What the files say: another definition, or none any more.
  void define(schedule::DefinitionPtr definition) { definition_ = std::move(definition); }
  const schedule::DefinitionPtr& definition() const { return definition_; }

  /// The group whose leader may write the register, as far as known; "" if there is neither register nor definition.
  const std::string& owner() const;

  /// The register as read: absent (nullopt) or there. Whatever write was in flight is forgotten: this is what became of
  /// it. An older one than was seen may have been read before: it is asked for once more, and not known till then.
  void know(Context& c, const std::optional<Register>& stored);

  /// The owner's term is ours; the register has been read in it. `term` outlives the leadership.
  void lead(Context& c, const Term& term);
  void depose(Context& c);
  /// The term is halted: nothing of the job is launched or written until it is repaired.
  void halt(Context& c);
  /// This node's runs that the register shows, where they have not been taken up yet: what the runner does not know is
  /// lost. For a register of which it is not known whose it is.
  void adopt_own(Context& c);
  /// A run that a daemon before has started, and that no register is known to show: its end is recorded, whatever
  /// became of its slot.
  void adopt_row(Context& c, const Row& row) { runs_.adopt_row(c, facts(), row); }

  /// Does what is to be done now. Call it after anything that may have changed, and at its wake-up times.
  void advance(Context& c);

  void on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer);
  /// The answer to a read that was asked for.
  void on_read(Context& c, const std::optional<Register>& stored);
  void on_read_unknown(Context& c);

  void on_started(Context& c, const runner::Started& event) { runs_.on_started(c, facts(), event); }
  void on_refused(Context& c, const runner::Refused& event) { runs_.on_refused(c, facts(), event); }
  void on_cannot_start(Context& c, const runner::CannotStart& event) { runs_.on_cannot_start(c, facts(), event); }
  void on_ended(Context& c, const runner::Ended& event) { runs_.on_ended(c, facts(), event); }
  /// False where another row of the run, of this attempt or of another one, is still to be recorded.
  bool on_recorded(const runner::AttemptId& id) { return runs_.on_recorded(id); }
  /// True where the job had to wait for it.
  bool on_recorded(const Settled& settled) { return writer_.on_recorded(settled); }
  void on_inventory(Context& c) { runs_.on_inventory(c, facts()); }
  /// Another node's word on a run of this job.
  void on_outcome(Context& c, const Row& outcome);
  /// What the runner of a dead term's node says.
  void on_runner_word(Context& c, const RunnerWord& word) { runs_.on_runner_word(c, facts(), word); }
  /// A run of a dead term goes on there, or may.
  bool has_foreign(const std::string& node) const { return runs_.list().has_foreign(node); }
  /// The end of a run of this node stands in the store; or (not `done`) it could not be written.
  void on_published(Context& c, const runner::AttemptId& id, bool done) { runs_.on_published(c, facts(), id, done); }

  /// trigger, pause, resume, forget: of the leader; kill, replace: of the node that executes the run. What a term that
  /// ends leaves undone is not answered: the request stays for the next one.
  void ask(Context& c, const Request& request);
  /// The whole group's pause is over: the slots up to now are settled as skipped: paused.
  void settle_pause(Context& c);
  /// Ends a halt: a new register above every fence seen; or brings a cursor back that is ahead of the clock. `request`
  /// is answered, where there is one.
  void repair(Context& c, const std::optional<RunId>& request, const std::string& by);
  void kill_all(Context& c, Reason reason) { runs_.kill_all(c, facts(), reason); }

  /// No write in flight, nothing decided that is not written, nothing ended that is not closed.
  bool is_clean() const;
  /// Runs of this node, or of a dead term, that have not ended.
  int open_runs() const { return runs_.list().open(); }
  /// Those among them that this node has.
  int own_runs() const { return runs_.list().own(); }
  /// Those among them that end with their term.
  int bound_runs() const { return runs_.list().bound(); }
  /// A run that is not by hand may still start: its claim is in flight, or the runner has not answered.
  bool may_start() const { return runs_.list().may_start(); }
  bool is_settling_pause() const { return commands_.unpause_until().has_value(); }
  bool is_mending() const { return commands_.repair() != nullptr; }
  /// Why the store seems to have gone back: "" where it does not.
  const std::string& regress() const { return view_.regress(); }
  bool executes(const RunId& run) const { return runs_.list().executes(run); }
  /// The register shows the run; or this attempt of it, as claimed.
  bool shows(const RunId& run) const { return view_.shows(run); }
  bool shows(const runner::AttemptId& attempt) const { return view_.shows(attempt); }

  Standing standing() const { return standing_; }
  const Term* term() const { return term_; }
  bool is_known() const { return view_.is_known(); }
  const std::string& trouble() const;  // why halted
  bool paused() const { return view_.is_known() && view_.stored().paused; }
  bool clock_skew(WallTime now) const { return view_.clock_skew(now); }
  std::optional<WallTime> next_slot(WallTime now) const;
  const std::vector<LiveRun>& runs() const { return runs_.list().all(); }
  /// Slots that are due and wait: for a run to end, for a place, for their next attempt.
  std::vector<WallTime> waiting() const;
  /// The register as last confirmed; null while it is not known or not there.
  const JobRegister* known_register() const { return view_.is_known() && view_.exists() ? &view_.stored() : nullptr; }

  std::optional<WallTime> wall_wake;
  std::optional<SteadyTime> steady_wake;

 private:
  friend class Invariants;

  JobFacts facts() const;
  bool leads() const { return standing_ == Standing::leading; }
  bool is_defined() const;
  bool is_paused() const { return view_.stored().paused || (term_ && term_->paused); }
  bool is_full() const;
  Millis launch_budget(const Context& c) const;
  bool may_claim(const Context& c) const { return c.may_claim(launch_budget(c)); }
  bool waits_to_pause() const { return commands_.is_pause_next() && runs_.list().is_starting(); }

  // the register and the term
  void take_up(Context& c);
  void copy_dispositions(Context& c);
  Row row_of_slots(const JobRegister& in, const Context& c) const;
  void settle_open_runs(Context& c);
  void resume_slots();
  void refuse_asked(Context& c, const std::string& why);

  // repairs
  void begin_repair(Context& c, Repair repair);
  bool mend(Context& c);
  void look_at_store(Context& c, const std::optional<Register>& stored);

  // what is to be done now
  bool scan(const Context& c, ScanRules::Mode mode, WallTime until);
  bool settle(Context& c);
  bool redefine(Context& c);
  bool change_pause(Context& c);
  bool finish_pause(Context& c);
  bool write_ahead(Context& c);
  void flush(Context& c);
  void rearm(Context& c);

  // claims
  bool may_begin(Context& c, WallTime due);
  void claim(Context& c, PendingWrite write, OpenRun run, std::optional<WallTime> begin_by = std::nullopt);
  OpenRun run_of_slot(Context& c, const DueSlot& due) const;
  bool claim_due(Context& c);
  bool claim_again(Context& c);
  bool claim_waiting(Context& c);
  bool claim_manual(Context& c);
  OpenRun run_by_hand(const Context& c, const Request& request);
  enum class Queued { written, refused, waits };
  Queued queue_manual(Context& c, const Request& request);
  void refuse_manual(Context& c, const Request& request, Reason reason);

  // runs ahead of the register
  bool may_run_ahead(const Context& c) const;
  void run_ahead(Context& c);
  void leave_behind(Context& c);
  bool catch_up(Context& c);

  // the write in flight
  PendingWrite begin_write(Context& c, std::size_t most_decided);
  void carry(const Context& c, PendingWrite& write, const Disposition& range) const;
  void send(Context& c, PendingWrite write);
  void repeat_write(Context& c);
  void on_write_failed(Context& c, const std::string& text);
  void settle_late(Context& c, const WriteAnswer& answer);
  void resolve(Context& c, const std::optional<Register>& stored);
  void go_on_from_store(Context& c, std::uint64_t known);
  void give_up(Context& c, const PendingWrite& write);
  void confirm(Context& c, std::uint64_t version);
  void record_decided(Context& c, PendingWrite& write);

  // what people ask
  void ask_trigger(Context& c, const Request& request);
  void ask_repair(Context& c, const Request& request);

  std::string name_;
  schedule::DefinitionPtr definition_;
  Standing standing_ = Standing::idle;
  const Term* term_ = nullptr;

  RegisterView view_;
  RegisterWriter writer_;
  SlotFeed slots_;
  RunSet runs_;
  UnclaimedRuns unclaimed_;
  JobCommands commands_;
};

}  // namespace ballot::core
