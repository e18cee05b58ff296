// SimJudge: judges the reason of what became of each slot and run, from what the simulated world gave the nodes: their
// files, their clocks, what people asked, and the faults; never from what the core makes of them. Who led when, and
// what ran when, is the oracle's.
//
//   world.judge.loaded(...); world.judge.row(...);      // reported by nodes, as it happens
//   world.judge.judge_ends(ledger);                     // once all is over: what needs to be seen from the end
//   world.judge.judge_quiet(files, from, until, late);  // between two instants without a fault: every slot ran in time
//
// Findings go to the oracle.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedule/definition.hpp"
#include "support/sim/judge/sim_oracle.hpp"

namespace ballot {

class SimJudge {
 public:
  SimJudge(const SimLoop& loop, const SimStore& store, SimOracle& oracle)
      : loop_(loop), store_(store), oracle_(oracle) {}
  SimJudge(const SimJudge&) = delete;
  SimJudge& operator=(const SimJudge&) = delete;

  // reported by nodes and people
  void loaded(const std::string& node, const std::vector<schedule::DefinitionPtr>& jobs, bool dry_run);
  void clock_set(const std::string& node, Millis offset);
  /// Its daemon or its runner: what it had may be lost.
  void died(const std::string& node);
  void asked_to_stop(const std::string& node) { stops_[node] = loop_.now(); }
  /// To lead, of some group or of all.
  void found_fit(const std::string& node) { fit_again_[node] = loop_.now(); }
  /// Somebody has published what its runner knew then of ended runs, for its dead daemon.
  void published(const std::string& node, SteadyTime known_at) { published_[node] = {known_at, loop_.now()}; }
  /// Its way to the store, or it itself, is not in order now.
  void disturbed(const std::string& node) { disturbed_[node] = loop_.now(); }
  void spoiled(const std::string& job) { spoiled_.insert(job); }
  bool was_spoiled(const std::string& job) const { return spoiled_.contains(job); }
  void asked(const core::Request& request, const std::string& run_suffix);
  void answered(const core::Request& request, const core::Reply& reply);
  void row(const std::string& node, const Row& row);
  void notified(const std::string& node, const core::Notify& notice);
  /// A job's register, with each change of it that can be read.
  void changed(const std::string& job, const core::JobRegister& before, const core::JobRegister& next);
  /// By its leader, of a job that comes after others: the one that it lags behind, or "".
  void shown(const std::string& node, const std::string& job, std::string_view behind);
  /// Where it ended for an eviction, its node stays out for a while.
  void term(const TermRow& row);
  /// After each event.
  void watch();

  // at the end
  void judge_ends(const testing::MergedLedger& ledger);
  struct Quiet {
    WallTime from{}, until{};
    Millis late{1000};     // a start may be so late, without a hand-over
    bool limited = false;  // slots wait for places
  };
  void judge_quiet(const std::vector<Job>& files, const Quiet& quiet);

 private:
  struct Asked {
    core::Request request;
    std::string run_suffix;
    SteadyTime at;
    std::optional<SteadyTime> answered;
    bool done = false;
    std::optional<SteadyTime> forgotten{};  // the first death since it was answered
    bool judged = false;                    // kill: whether it was done soon
    bool right_clocks = true;               // from then until it was answered
  };
  struct Files {  // of one node
    std::map<std::string, schedule::DefinitionPtr> jobs;
    bool dry_run = false;
  };
  struct Begun {  // a run, by its node's rows
    std::string job, node;
    std::uint64_t epoch = 0;
    SteadyTime since;
    std::optional<SteadyTime> until;
    std::string failed_by{};  // the node that has recorded that its last attempt failed
  };
  struct Later {  // the term of a row must be over soon
    std::string group;
    std::uint64_t epoch;
    SteadyTime since, by;
    std::string what;
    bool waits_for_runs = false;
  };
  struct StaysOut {  // evicted
    std::string node;
    SteadyTime since;
  };
  using Term = SimOracle::Term;

  // rows without a run (sim_judge.cpp)
  void judge_skipped(const std::string& node, const Row& row, WallTime slot);
  void judge_missed(const std::string& node, const Row& row, WallTime slot);
  std::string why_no_overlap(const std::string& node, const Row& row, WallTime slot) const;
  bool is_claim_under_way(const Row& row, WallTime slot, SteadyTime due) const;
  bool is_end_unseen(const Row& row, SteadyTime due) const;
  std::string why_no_misfire(const std::string& node, const Row& row, WallTime slot) const;
  std::string why_not_paused(const std::string& node, const Row& row, WallTime slot) const;
  std::string why_not_full(const std::string& node, const Row& row, WallTime slot) const;
  std::string why_led(const std::string& node, const Row& row, WallTime slot) const;
  std::string why_no_claim_failed(const std::string& node, const Row& row, WallTime slot) const;
  const Term* term_before(const Row& row) const;
  std::string why_defined(const std::string& node, const Row& row, WallTime slot) const;
  bool is_paused_for_certain(const std::string& job, const std::string& group, SteadyTime at) const;
  bool may_be_paused(const std::string& job, const std::string& group, SteadyTime from, SteadyTime until) const;
  static SteadyTime true_end(WallTime ends);

  // runs (sim_judge_runs.cpp)
  void judge_run(const std::string& node, const Row& row);
  std::string why_not_lost(const std::string& node, const Row& row) const;
  bool was_published(const Start& start, const std::string& to) const;
  std::string why_not_killed(const Row& row) const;
  void judge_term_end(const std::string& node, const Row& row);
  void judge_truth(const Row& row, const Start& start);
  bool was_to_be_killed(const RunId& run) const;
  bool was_to_be_forgotten(const RunId& run) const;
  void judge_repeats(const testing::MergedLedger& ledger);
  void judge_attempts(const testing::MergedLedger& ledger);
  void judge_triggers(const testing::MergedLedger& ledger);
  std::string variable_not_allowed(const core::Request& request) const;
  bool is_kept_by_a_run(const Later& later) const;
  bool is_asked_twice(const Start& start, const Asked& refused) const;
  void compare_files();
  void judge_evictions();
  void judge_kills();
  void judge_clocks();

  // jobs that come after others (sim_chain.cpp)
  void judge_chains(const testing::MergedLedger& ledger);
  using BySlot = std::map<std::string, std::map<WallTime, Row>>;
  bool has_waited_for_chain(const Row& row, WallTime slot, SteadyTime due) const;
  void judge_chained_start(const Start& start, const Job& job, const BySlot& all);
  bool was_behind(const Row& row, const Job& job, const std::string& parent, const BySlot& all) const;
  void judge_upstream(const Row& row, const Job& job, const BySlot& all, const testing::MergedLedger& ledger);
  void judge_chained_missed(const Row& row, const Job& job, const BySlot& all, const testing::MergedLedger& ledger);
  std::optional<SteadyTime> parents_ended(const Row& row, const Job& job, const BySlot& all,
                                          const testing::MergedLedger& ledger) const;
  bool was_edited(const std::string& job) const;
  void judge_phase(const Job& job);
  struct Lag {  // of a job that comes after others, as the registers have it
    WallTime cursor{};
    std::string behind{};      // "": none
    bool is_given_up = false;  // the end that its first slot waits for
    bool operator==(const Lag&) const = default;
  };
  Lag lag_of(const Job& job, const core::JobRegister& stored) const;
  // chains that were triggered (sim_triggered_chain.cpp)
  void judge_triggered_chains(const testing::MergedLedger& ledger);
  void judge_triggered_job(const core::ChainedSlot& slot, const std::string& parent,
                           const testing::MergedLedger& ledger);
  void judge_triggered_skip(const core::ChainedSlot& slot, const schedule::Definition& definition,
                            const testing::MergedLedger& ledger);
  void judge_order(const Start& start, const core::ChainedSlot& slot, const testing::MergedLedger& ledger);
  bool is_steady(const std::string& job) const;
  void judge_repaired(const Start& start, const core::ChainedSlot& slot);

  // what is expected (sim_expectations.cpp)
  struct Success {  // that a node has recorded
    RunId run;
    int attempt = 0;
    SteadyTime recorded;
  };
  struct Owed {  // of a run that is over: that it took longer
    RunId run;
    std::string group, node;
    std::uint64_t epoch = 0;
    SteadyTime since;
  };
  void judge_expectations(const Job& job, const Quiet& quiet);
  void judge_slow(const std::string& node, const core::Notify& notice);
  void judge_overdue(const std::string& node, const core::Notify& notice);
  bool was_resumed_within(const Row& row, SteadyTime noticed, Millis expected) const;
  bool has_taken_longer(const core::OpenRun& run) const;
  void judge_overdue_still(const std::string& job, const core::JobRegister& before, const core::JobRegister& next);
  void judge_owed();
  void judge_late(const std::string& job, const core::JobRegister& before, const core::JobRegister& next);

  // backfills (sim_backfill.cpp)
  struct SeenBackfill {        // of one job
    core::JobRegister before;  // as it was seen last
    std::set<RunId> ids;       // of all that there were
    std::set<WallTime> begun;  // of the last one
  };
  static std::optional<schedule::Plan> plan_of(const std::string& job, const core::JobRegister& stored);
  void watch_backfills();
  void watch_backfill(const std::string& job, const core::JobRegister& stored);
  void judge_step_of_backfill(const std::string& job, SeenBackfill& seen, const core::JobRegister& stored);
  void judge_end_of_backfill(const std::string& job, const SeenBackfill& seen, const core::JobRegister& now);
  void judge_backfills();

  // quiet (sim_quiet.cpp)
  void judge_quiet(const Job& job, const Quiet& quiet);
  void judge_left_out();
  void judge_spread(const Job& job, const Quiet& quiet);
  void judge_replaced(const Job& job, const Quiet& quiet);
  void judge_priority(const std::vector<Job>& files, const Quiet& quiet);
  bool changed_hands(const std::string& group, SteadyTime from, SteadyTime until) const;

  void find(const std::string& what, const Row& row, const std::string& node);
  const Job* job_of(const std::string& node, const std::string& name) const;
  const schedule::Definition* definition_of(const std::string& node, const std::string& name) const;
  std::vector<WallTime> slots_after(const std::string& node, const std::string& job, WallTime slot, WallTime until,
                                    std::size_t most) const;
  bool is_to_be_retried(const core::OpenRun& run, const Row& by) const;
  /// Runs of the job that went on, as their node knew, at some moment between the two.
  int going_on(const std::string& job, const Row& by, SteadyTime from, SteadyTime until) const;
  WallTime wall(const std::string& node) const;
  /// The true time of what a node's clock showed; none where that clock was set meanwhile.
  std::optional<SteadyTime> true_time(const std::string& node, WallTime wall) const;
  /// No clock has been wrong since then.
  bool clocks_right_since(SteadyTime time) const;
  bool is_earlier_attempt_killed(const Start& last, SteadyTime asked) const;
  bool disturbed_since(const std::string& node, SteadyTime time) const { return any_since(disturbed_, node, time); }
  static bool any_since(const std::map<std::string, SteadyTime>& of, const std::string& node, SteadyTime time);

  const SimLoop& loop_;
  const SimStore& store_;
  SimOracle& oracle_;
  std::map<std::string, Files> files_;
  std::map<std::string, schedule::DefinitionPtr> last_files_;  // by job, of whoever loaded it last
  std::map<std::string, SteadyTime> in_flux_;                  // jobs that nodes define differently: until when
  std::vector<SteadyTime*> differing_;                         // of them those that differ now
  std::map<std::string, std::pair<SteadyTime, Millis>> clocks_;
  std::map<std::string, SteadyTime> deaths_, stops_, disturbed_, fit_again_;  // by node: the last one
  std::map<std::string, std::pair<SteadyTime, SteadyTime>> published_;        // by node: what was known when, and when
  std::set<std::string> spoiled_;                                             // jobs whose register was
  std::map<RunId, Asked> asked_;
  std::map<RunId, core::Reply> triggers_;
  std::map<RunId, Begun> begun_;
  std::map<std::string, std::uint64_t> evictions_;  // epochs that were to end, by group
  std::map<std::string, StaysOut> stay_out_;        // by group
  std::vector<Later> later_;
  std::map<runner::AttemptId, SteadyTime> lost_;                                   // when it was recorded last
  std::map<std::string, SeenBackfill> backfills_;                                  // by job
  std::uint64_t backfills_seen_at_ = 0;                                            // the store's revision
  std::map<std::pair<std::string, std::string>, std::vector<Success>> successes_;  // by node and job
  std::vector<Owed> owed_;
  std::map<std::string, SteadyTime> repaired_;                     // jobs, by when
  std::map<std::string, std::pair<Lag, SteadyTime>> lags_;         // by job: the last one, and since when
  std::map<std::pair<std::string, WallTime>, SteadyTime> missed_;  // when slots were decided, by job; clocks were right
  std::set<std::pair<std::string, WallTime>> by_wrong_clock_;      // the others, by job
};

}  // namespace ballot
