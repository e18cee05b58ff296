// SimOracle: is outside all faults, sees every START and END in true time and every change of the store, and knows
// what may not be. It keeps the first finding, and what happened last before it.
//
// It knows: who leads a group in the store, since when, and how long the store had promised it; every claim that a
// register ever had; every slot that a cursor has passed, by the plan that was in force there.
//
//   oracle.watch();                            // after each event of the loop
//   EXPECT_EQ(oracle.finding(), "");
//   EXPECT_EQ(oracle.unaccounted({&ledger_a, &ledger_b}, until), "");   // one disposition a slot, none lost
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/action.hpp"
#include "core/record/register.hpp"
#include "schedule/plan.hpp"
#include "support/judge/slot_accounts.hpp"
#include "support/judge/slot_oracle.hpp"
#include "support/sim/sim_ledger.hpp"
#include "support/sim/sim_store.hpp"

namespace ballot {

/// What a child did, as it reports itself.
struct Start {
  std::string job, node, group;
  WallTime slot;
  int attempt = 0;
  RunId run;
  std::uint64_t fence = 0, epoch = 0;
  Trigger trigger = Trigger::schedule;
  bool terminate = true;
  bool is_function = false;  // of its daemon's process: no runner outside of it knows of it
  SteadyTime at;             // true time
  std::optional<SteadyTime> ended;
  bool orphaned = false;                   // nobody can end it: its runner died, or it is a function that does not end
  std::optional<runner::Ended> outcome{};  // as its runner saw it
  bool unreadable = false;                 // its job's register has become so while it went on
};

/// A run with all of its attempts, and what is between them.
struct RunLife {
  RunId run;
  SteadyTime from;
  std::optional<SteadyTime> until;
};

class SimOracle {
 public:
  /// Of the link between a node and its runner, which keeps what it has to say until the link is up again.
  struct Break {
    SteadyTime from, noticed, up;
  };
  struct Term {
    std::string group, node;
    std::uint64_t epoch = 0;
    SimStore::SessionId session = 0;
    SteadyTime began{}, alive{};  // when it was renewed last
    std::optional<SteadyTime> ended;
  };
  struct Claim {
    core::OpenRun run;
    bool open = true;
    bool is_superseded = false;  // given up, and landed after all
    SteadyTime closed{};         // where it is open no more

    bool was_open(SteadyTime at) const { return open || closed >= at; }
  };
  using Claims = std::map<runner::AttemptId, Claim>;

  SimOracle(const SimLoop& loop, const SimStore& store) : loop_(loop), store_(store) {}

  std::vector<Start> starts;
  /// The store ends terms before the time that it promised, and their successors cannot know: runs may overlap up to
  /// it.
  bool overlap_within_promise = false;
  /// Slots are counted second by second, and not by the program's own plans.
  bool counts_slots = false;
  std::map<std::string, int> at_once;                    // so many runs of a job; else 1
  std::map<std::string, int> node_limits, group_limits;  // so many runs on a node, of a group; else any number
  std::map<RunId, std::string> given;                    // variables, by the triggers that gave them
  bool trace = false;                                    // every event goes to standard output as well
  /// Whether the final row of an attempt is durable somewhere.
  std::function<bool(const runner::AttemptId&)> durable;
  /// Told of each change of a job's register, unless it is the first.
  std::function<void(const std::string& job, const core::JobRegister& before, const core::JobRegister& next)> changed;

  // reported by runners
  std::size_t started(const std::string& node, const core::Launch& launch);
  void ended(std::size_t start, SteadyTime lived_until, std::optional<runner::Ended> outcome = std::nullopt);
  void orphaned(std::size_t start);
  /// It goes on, and nobody can end it: a function that does not want to.
  void outlives(std::size_t start) { starts[start].orphaned = true; }
  /// Its link to the node breaks, which the node knows from `noticed` on, up to `up`.
  void link_breaks(const std::string& node, SteadyTime noticed, SteadyTime up) {
    breaks_[node].push_back({loop_.now(), noticed, up});
  }
  /// The daemon was stopped from then until now, and takes for going on what it had not heard of by then.
  void stood_still(const std::string& node, SteadyTime from) {
    breaks_[node].push_back({from, loop_.now(), loop_.now()});
  }
  /// Nobody knows how the attempt ended.
  void evidence_gone(const runner::AttemptId& id) { gone_.insert(id); }

  // reported by nodes
  void clock_set(Millis offset);
  void asked(const core::Request& request);
  void answered(const core::Request& request, bool done);
  void notified(const std::string& node, const core::Notify& notice);
  bool was_notified(const RunId& run, core::Notify::Event event) const {
    return notified_.contains({"run " + run.text(), event});
  }

  void watch();
  /// Somebody has changed its register by hand: what was promised begins anew.
  void edited(const std::string& job) { jobs_.erase(job); }
  void note(const std::string& who, std::string what);
  void note(const std::string& who, const Row& recorded);
  void find(const std::string& what);
  /// "" or the first that was wrong, with the last events.
  const std::string& finding() const { return finding_; }

  // at the end
  /// Of the slots up to `until`.
  std::string unaccounted(const std::vector<const SimLedger*>& ledgers, WallTime until) const;
  std::string overlapping() const;
  std::string overlapping_catch_ups() const;
  std::string over_limits() const;
  /// What registers and ledgers say of a job around a slot.
  std::string story(const std::string& job, WallTime slot, const std::vector<const SimLedger*>& ledgers) const;
  const core::JobRegister* job_register(const std::string& job) const;
  bool is_claimed(const std::string& job, const runner::AttemptId& attempt) const;
  /// By some node, whatever its own says of its end.
  /// The break in which the attempt has ended; null: it ended in none.
  const Break* break_at_end(const Start& start) const;
  /// Until then its node takes an attempt that has ended for one that goes on.
  SteadyTime seems_to_go_on_until(const Start& start) const;
  bool is_taken_for_lost(const runner::AttemptId& attempt) const { return taken_for_lost_.contains(attempt); }
  const Term* term(const std::string& group, std::uint64_t epoch) const;
  std::vector<const Term*> terms_of(const std::string& group) const;
  /// Who leads it in the store now; nullptr: nobody.
  const Term* leading(const std::string& group) const;
  std::map<std::string, const Term*> leaders() const;
  const Claims* claims_of(const std::string& job) const;
  const std::vector<RunLife>& lives(const std::string& job) const;
  bool has_started(const RunId& run) const { return life_of_.contains(run); }
  const Start* start_of(const runner::AttemptId& id) const;

 private:
  bool is_paused(const std::string& key) const;
  WallTime wall() const;
  struct Undone {  // what terms up to that one, all before the one that repaired it, had decided of these slots
    WallTime after, until;
    std::uint64_t epoch = 0;
    core::JobRegister repaired{};  // of the slots that it shows as claimed the rows stay
    // Rows that the term which repaired it had recorded before. One that it records anew takes the place of the old
    // one. Where a later term decides instead, from another node, the old row stays in its own node's ledger.
    std::set<WallTime> by_same_term{};

    bool has(const Row& row, WallTime slot) const;
  };
  struct History {  // of a job's register
    std::uint64_t version = 0;
    core::JobRegister now;
    std::optional<schedule::Plan> plan;
    std::optional<testing::SlotOracle> own_slots;  // where slots are counted
    std::vector<WallTime> anchors;
    std::vector<WallTime> settled;  // slots that the cursor has passed
    std::set<WallTime> left_out;    // those of them that calendars leave out
    Claims claims;
    std::map<WallTime, RunId> claimed;  // scheduled slots
    std::uint64_t fence = 0;
    std::vector<Undone> undone;  // by repairs that have brought the cursor back

    bool is_undone(const Row& row, WallTime slot) const;
    void settle(WallTime slot, bool is_left_out) {
      settled.push_back(slot);
      is_left_out ? void(left_out.insert(slot)) : void(left_out.erase(slot));
    }
  };
  struct Noted {
    SteadyTime at;
    std::string who;
    std::variant<std::string, Row> what;
  };
  using Event = core::Notify::Event;

  void note_without_run(const Row& recorded);
  void forget_notified(const std::string& job, const Undone& undone);
  void judge_cause(const std::string& node, const core::Notify& notice, const std::string& what);
  void watch_expectations(const std::string& job, const core::JobRegister& before, const core::JobRegister& next);
  void watch_recovery(const core::JobRegister& before, const core::JobRegister& next);
  SteadyTime counted_from(const Start& start) const;
  void end_life(const Start& over);
  void check_claimed(const core::Launch& launch, const std::string& what);
  std::string unrecorded(const testing::MergedLedger& ledger) const;
  static bool is_open(const History& history, WallTime slot);
  void watch_terms();
  void watch_register(const std::string& job, const Register& stored);
  void unreadable(const std::string& job);
  static const Claim* another_claim(const History& history, const core::OpenRun& run);
  void watch_claims(const std::string& job, History& history, const core::JobRegister& next);
  void check_text(const std::string& job, const std::string& text, const core::JobRegister& read);
  void check_anchors(const std::string& job, const core::JobRegister& before, const core::JobRegister& next);
  void settle(History& history, const core::JobRegister& next);
  void make_plan(const std::string& job, History& history);
  static std::string enter(const testing::Entry& entry, const History& history, testing::SlotAccounts& accounts);
  std::string unended(const History& history, const testing::MergedLedger& ledger) const;
  void keep(Noted noted);
  static std::string text_of(const Noted& noted);

  const SimLoop& loop_;
  const SimStore& store_;
  std::uint64_t revision_ = 0;
  std::map<std::pair<std::string, std::uint64_t>, Term> terms_;
  std::map<std::string, Term*> leading_;  // by group
  std::uint64_t term_changes_ = 0;        // of the store, up to which the terms are known
  std::map<std::string, History> jobs_;
  std::map<std::string, std::map<WallTime, std::uint64_t>> without_run_;  // recorded rows: their terms, by job and slot
  std::set<std::tuple<std::string, WallTime, int>> begun_;
  std::map<runner::AttemptId, std::size_t> by_attempt_;
  std::map<std::string, std::vector<RunLife>> lives_;
  std::map<RunId, std::size_t> life_of_;  // in its job's
  std::set<runner::AttemptId> gone_;
  std::set<runner::AttemptId>
      taken_for_lost_;  // by some node: a machine may go down when it has an end and nobody knows of it
  std::map<RunId, SteadyTime> forgotten_;                    // runs that an operator says are over
  std::map<std::string, std::vector<Break>> breaks_;         // of the link to its runner, by node
  std::map<std::string, std::uint64_t> fences_;              // of the last START, by job
  std::map<std::string, WallTime> paused_;                   // acknowledged when: jobs, and "group G"
  std::map<std::string, std::vector<WallTime>> pause_ends_;  // that were asked for, by the same
  Millis most_off_{0}, most_ahead_{0}, most_behind_{0};      // so far a clock has been wrong, at most
  std::map<std::string, std::set<RunId>> resuming_;
  std::map<RunId, std::size_t> asked_;                // requests, in their order
  std::map<std::string, std::size_t> last_resume_;    // of them, by what it resumes
  std::set<std::pair<std::string, Event>> notified_;  // runs, or slots without one
  std::map<RunId, bool> recovers_;                    // runs that are over, by whether their job was not well before
  std::deque<Noted> last_;
  std::string finding_;
};

/// A row as one line of a story.
std::string line_of(const Row& row);

}  // namespace ballot
