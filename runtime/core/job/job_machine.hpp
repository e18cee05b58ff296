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

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_commands.hpp"
#include "core/job/job_context.hpp"
#include "core/job/live_run.hpp"
#include "core/job/register_view.hpp"
#include "core/job/slot_feed.hpp"
#include "core/register.hpp"

namespace ballot::core {

inline constexpr Millis close_delay{250};   // ended runs are closed with the next claim, or this much later
inline constexpr Millis flush_delay{5000};  // decided slots are written with the next claim, or this much later
inline constexpr Millis retry_delay{1000};  // after the store refused a write for want of space, or did not answer
inline constexpr Millis manual_slack{
    1000};  // a trigger's claim that is confirmed later past its `until` starts nothing
inline constexpr Millis adoption_limit{60'000};  // from a release to an adoption whose slots between are accounted for

class JobMachine {
 public:
  enum class Standing { idle, leading, waiting, halted };

  explicit JobMachine(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// What the files say: another definition, or none any more.
  void define(schedule::DefinitionPtr definition);
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
  void adopt_row(Context& c, const Row& row);

  /// Does what is to be done now. Call it after anything that may have changed, and at its wake-up times.
  void advance(Context& c);

  void on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer);
  /// The answer to a read that was asked for.
  void on_read(Context& c, const std::optional<Register>& stored);
  void on_read_unknown(Context& c);

  void on_started(Context& c, const runner::Started& event);
  void on_refused(Context& c, const runner::Refused& event);
  void on_cannot_start(Context& c, const runner::CannotStart& event);
  void on_ended(Context& c, const runner::Ended& event);
  /// False where another row of the run, of this attempt or of another one, is still to be recorded.
  bool on_recorded(const runner::AttemptId& id);
  /// True where the job had to wait for it.
  bool on_recorded(const Settled& settled);
  void on_inventory(Context& c);
  /// Another node's word on a run of this job.
  void on_outcome(Context& c, const Row& outcome);
  /// What the runner of a dead term's node says.
  void on_runner_word(Context& c, const RunnerWord& word);
  /// A run of a dead term goes on there, or may.
  bool has_foreign(const std::string& node) const;
  /// The end of a run of this node stands in the store; or (not `done`) it could not be written.
  void on_published(Context& c, const runner::AttemptId& id, bool done);

  /// trigger, pause, resume, forget: of the leader; kill, replace: of the node that executes the run. What a term that
  /// ends leaves undone is not answered: the request stays for the next one.
  void ask(Context& c, const Request& request);
  /// The whole group's pause is over: the slots up to now are settled as skipped: paused.
  void settle_pause(Context& c);
  /// Ends a halt: a new register above every fence seen; or brings a cursor back that is ahead of the clock. `request`
  /// is answered, where there is one.
  void repair(Context& c, const std::optional<RunId>& request, const std::string& by);
  void kill_all(Context& c, Reason reason);

  /// No write in flight, nothing decided that is not written, nothing ended that is not closed.
  bool is_clean() const;
  /// Runs of this node, or of a dead term, that have not ended.
  int open_runs() const;
  /// Those among them that this node has.
  int own_runs() const;
  /// Those among them that end with their term.
  int bound_runs() const;
  /// A run that is not by hand may still start: its claim is in flight, or the runner has not answered.
  bool may_start() const;
  bool is_settling_pause() const { return commands_.unpause_until().has_value(); }
  bool is_mending() const { return commands_.repair() != nullptr; }
  /// Why the store seems to have gone back: "" where it does not.
  const std::string& regress() const { return view_.regress(); }
  bool executes(const RunId& run) const;
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
  const std::vector<LiveRun>& runs() const { return runs_; }
  /// Slots that are due and wait: for a run to end, for a place, for their next attempt.
  std::vector<WallTime> waiting() const;
  /// The register as last confirmed; null while it is not known or not there.
  const JobRegister* known_register() const { return view_.is_known() && view_.exists() ? &view_.stored() : nullptr; }

  std::optional<WallTime> wall_wake;
  std::optional<SteadyTime> steady_wake;

 private:
  friend class Invariants;

  struct PendingWrite {
    std::uint64_t serial = 0;
    RegisterWrite request;
    JobRegister next;
    std::size_t decided = 0;                 // how many ranges it carries that no write has carried before
    std::vector<Row> rows;                   // recorded once it is confirmed
    std::optional<runner::AttemptId> claim;  // launched once it is confirmed
    std::optional<OpenRun> waited;           // it claims this one, which goes on waiting where it fails
    bool claims_due_slot = false;
    bool follows = false;  // it brings what is in ahead_ into the register
    std::vector<runner::AttemptId> closes;
    std::optional<RunId> answers;  // a pause: done once it is confirmed
    std::optional<RunId> queues;   // a run that was asked for by hand and waits
    bool mends = false;            // the last write of a repair
    bool unknown = false;          // an outcome of it was unknown
    std::optional<SteadyTime> repeat_at;
    bool reading = false;
  };

  /// A run that was started without a confirmed claim, or (nullopt) the ranges of a write whose fate is unknown.
  struct Ahead {
    std::vector<Disposition> passed;  // decided before its slot
    std::optional<runner::AttemptId> run;
    WallTime until() const { return passed.back().to; }
  };

  // what to do next (job.cpp)
  bool settle(Context& c);
  bool redefine(Context& c);
  bool claim_manual(Context& c);
  bool claim_due(Context& c);
  bool claim_again(Context& c);
  bool claim_waiting(Context& c);
  enum class Queued { written, refused, waits };
  Queued queue_manual(Context& c, const Request& request);
  bool may_begin(Context& c, WallTime due);
  Millis launch_budget(const Context& c) const;
  bool may_claim(const Context& c) const { return c.may_claim(launch_budget(c)); }
  void replace_running(Context& c);
  int runs_begun() const;
  bool is_busy() const;
  int runs_queued() const;
  bool change_pause(Context& c);
  bool flush(Context& c);
  bool write_ahead(Context& c);
  bool finish_pause(Context& c);
  void refuse_manual(Context& c, const Request& request, Reason reason);
  void refuse_asked(Context& c, const std::string& why);
  bool is_paused() const { return view_.stored().paused || (term_ && term_->paused); }
  void rearm(Context& c);
  void anchor(JobRegister& next, const Context& c) const;
  void see_boot(JobRegister& next, const Context& c) const;
  bool began_late(const LiveRun& run, WallTime now) const;
  Overlap overlap(const Context& c) const;
  JobFacts facts() const;
  bool is_defined() const;
  int most_at_once() const;
  bool is_free() const;
  bool may_go_on() const;
  bool is_full() const;
  bool waits_to_pause() const;
  std::size_t closable() const;
  bool may_write(const Context& c);

  // halts and repairs (job_store.cpp)
  void begin_repair(Context& c, Repair repair);
  void look_at_store(Context& c, const std::optional<Register>& stored);
  void go_on_from_store(Context& c, std::uint64_t known);
  std::vector<OpenRun> going_on() const;
  void end_what_waited(Context& c);
  bool is_before_repair(const LiveRun& run) const;
  bool mend(Context& c);

  // the write in flight (job_write.cpp)
  PendingWrite begin_write(Context& c, std::size_t most_decided);
  void carry(const Context& c, PendingWrite& write, const Disposition& range) const;
  void send(Context& c, PendingWrite write);
  void repeat_write(Context& c);
  void confirm(Context& c, std::uint64_t version);
  void settle_late(Context& c, const WriteAnswer& answer);
  void on_write_failed(Context& c, const std::string& text);
  void give_up(Context& c, const PendingWrite& write);
  void close(Context& c, const PendingWrite& write);
  void resolve(Context& c, const std::optional<Register>& stored);
  std::size_t carried() const { return static_cast<std::size_t>(ranges_recorded_ - ranges_durable_); }
  std::size_t room_to_carry() const { return disposition_limit - std::min(disposition_limit, carried()); }
  void await_settled(Context& c, std::size_t ranges);
  Row row_of_slots(const JobRegister& in, const std::string& node) const;

  // who is told (notify.cpp)
  void tell_started(Context& c, const LiveRun& run) const;
  void tell_written(Context& c, const PendingWrite& write);
  void tell_missed(Context& c, const Disposition& d, const JobRegister& in) const;
  void remember_failure(PendingWrite& write);
  const schedule::DefinitionPtr& definition_of(const LiveRun& run) const;

  // runs without a confirmed claim (job_ahead.cpp)
  bool may_run_ahead(const Context& c) const;
  void run_ahead(Context& c);
  bool is_full_ahead() const;
  bool never_was(const OpenRun& open) const;
  void leave_behind(Context& c, PendingWrite& write);
  void start_unclaimed(Context& c, LiveRun& run);
  void launch_in_doubt(Context& c, LiveRun& run);
  bool catch_up(Context& c);
  void enter_shown(Context& c, const JobRegister& shown);
  void entered(Context& c, LiveRun& run, const OpenRun& open);
  void drop_ahead_in_register();
  void forget_unclaimed(Context& c);
  bool is_ahead(const LiveRun& run) const;
  void resume_settlement();

  // runs (job_runs.cpp)
  OpenRun begin_run(Context& c, const DueSlot& due) const;
  void bind_run(const Context& c, OpenRun& run) const;
  void claim(Context& c, PendingWrite write, OpenRun run);
  void publish(Context& c);
  void kill(Context& c, LiveRun& run, Reason reason);
  void ask_kill(Context& c, const Request& request);
  void ask_replace(Context& c, const Request& request);
  void ask_forget(Context& c, const Request& request);
  void ask_trigger(Context& c, const Request& request);
  void ask_repair(Context& c, const Request& request);
  void confirm_claim(Context& c, const runner::AttemptId& id);
  void follow_up(Context& c, LiveRun& run);
  void repeat_if_lost(LiveRun& run);
  void retry_if_failed(Context& c, LiveRun& run);
  void rerun_or_reelect(Context& c, LiveRun& run);
  void end_waiting(Context& c, Status status, Reason reason);
  OpenRun make_rerun(Context& c, Millis in);
  bool is_late(const Context& c, const LiveRun& run) const;
  void launch(Context& c, LiveRun& run);
  void advance_runs(Context& c);
  void await_recorded(Context& c, LiveRun& run);
  void end(Context& c, LiveRun& run);
  void end(Context& c, LiveRun& run, Status status, Reason reason);
  void drop_claim(Context& c, const runner::AttemptId& id);
  void answer_kills(Context& c, const RunId& run);
  void drop_claims_that_failed(Context& c);
  void take_up(Context& c);
  void settle_open_runs(Context& c);
  void adopt_run(Context& c, const OpenRun& open);
  bool adopt_known(Context& c, LiveRun& run);
  void copy_dispositions(Context& c);
  LiveRun* find(const runner::AttemptId& id);

  std::string name_;
  schedule::DefinitionPtr definition_;

  RegisterView view_;

  Standing standing_ = Standing::idle;
  const Term* term_ = nullptr;
  SlotFeed slots_;
  std::uint64_t last_serial_ = 0;
  bool held_ = false;  // no write may be begun now
  // Ranges that were recorded in this node's ledger, and how many of them are durable: the others, the register's last
  // ones, are carried by each write.
  std::uint64_t ranges_recorded_ = 0, ranges_durable_ = 0;
  std::unique_ptr<PendingWrite> pending_;
  std::vector<Ahead> ahead_;  // of this term, in order: settlement_ goes on behind it, the register stands before it
  std::vector<LiveRun> runs_;
  JobCommands commands_;
  std::vector<RunId> given_up_;                 // claims whose write may land yet, the last few
  std::vector<std::pair<RunId, RunId>> kills_;  // requests, and the runs whose end answers them
  std::optional<SteadyTime> publish_at_;
  std::optional<SteadyTime> flush_at_, close_at_, retry_at_;
  WallTime last_manual_{};
};

}  // namespace ballot::core
