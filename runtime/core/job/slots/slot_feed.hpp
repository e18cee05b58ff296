// SlotFeed: a job's scheduled slots as this term decides them: the plan that is in force with its anchors, what a scan
// has made of the slots so far, and since when no claim could be confirmed.
//
//   scanned      | event                                     | next
//   to its end   | time passes, a scan finds the slots due   | to its end, or part of the way
//   part of it   | the next step                             | goes on from there
//   any          | block(): no claim can be confirmed        | blocked: what is due from here on waits, undecided
//   blocked      | settle(), once a claim may be made again  | as scanned; what is missed till then is `unclaimed`
//
//   SlotFeed slots;
//   slots.make_plan(facts);
//   slots.resume(register.cursor);
//   if (slots.settle(c, facts, overlap)) claim(slots.settlement().first_due());
//
// Pure. Knows nothing of writes and runs but how these overlap; used by JobMachine only.
#pragma once

#include <optional>
#include <vector>

#include "core/job/job_facts.hpp"
#include "core/job/slots/settlement.hpp"

namespace ballot::core {

/// Where each `@every` of the plan counts from, as the register has it; none: it does not have all.
std::optional<std::vector<WallTime>> phase_of(const schedule::Plan& plan, const JobRegister& stored);

class SlotFeed {
 public:
  /// The plan of the register's definition.
  void make_plan(const JobFacts& job);
  /// A job that another group has just released: the slots since then are missed, not unheard of.
  void plan_to_adopt(const JobFacts& job);

  /// Everything up to `from` is settled.
  void resume(WallTime from) { settlement_.reset(from); }
  /// A term begins: what kept the one before from claiming counts no more.
  void unblock();

  /// A step begins.
  void begin_step() { scanning_ = false; }
  /// Decides the slots up to `until` by the rules of `mode`. False while there is more to decide than a step may take.
  bool scan(const Context& c, const JobFacts& job, const Overlap& overlap, ScanRules::Mode mode, WallTime until);
  /// The same up to now, where a claim may be made; what has waited past its start deadline is missed.
  bool settle(const Context& c, const JobFacts& job, const Overlap& overlap);
  /// No claim can be confirmed now.
  void block(const Context& c, const JobFacts& job);
  /// A write was confirmed.
  void confirmed() { blocked_since_.reset(); }

  /// The slots as the scans have settled them.
  const Settlement& settlement() const { return settlement_; }
  /// Slots that are due and wait, also those that are not decided yet: for a job that it comes after, perhaps.
  std::vector<WallTime> waiting(const JobRegister& stored) const;
  void rewind() { settlement_.rewind(); }
  void decide_first(Status status, Reason reason) { settlement_.decide_first(status, reason); }
  void drop_decided(std::size_t count) { settlement_.drop_decided(count); }
  void drop_first_due() { settlement_.drop_first_due(); }

  /// Fills in the plan that is in force now, with its anchors.
  void describe(const JobFacts& job, DefinitionRow& row) const;
  /// A row for each slot of the range; one for all where there are many, or where the plan cannot name them.
  std::vector<Row> rows_of(const Disposition& range, const Row& like) const;

  bool is_scanning() const { return scanning_; }
  bool is_blocked() const { return blocked_; }
  /// When there is something to decide next.
  std::optional<WallTime> next_due(const Context& c, const JobFacts& job) const;
  /// The first slot of the plan after `after` that `stored` does not show as claimed ahead of its cursor.
  std::optional<WallTime> next_of_plan(WallTime after, const JobRegister& stored) const;
  /// The first slot of the plan within the ranges that is due; none: there is none.
  std::optional<WallTime> first_within(const SlotRanges& ranges) const;
  /// How many there are, or `most`, if there are as many.
  std::size_t count_within(const SlotRanges& ranges, std::size_t most) const;
  /// For people: the next slot after `after` that `stored` does not show as claimed, by what the files say now.
  std::optional<WallTime> next_slot(WallTime now, WallTime after, const schedule::Definition& definition,
                                    const JobRegister& stored) const;
  /// The slots after `now` that were claimed or skipped already, by a clock that was ahead; at most 10,000 of them.
  std::vector<WallTime> claimed_after(WallTime now, const JobRegister& stored) const;

 private:
  AnchoredPlan anchored(const Context& c, const JobFacts& job) const;
  ScanRules rules(const Context& c, const JobFacts& job, const Overlap& overlap, ScanRules::Mode mode) const;

  schedule::Plan plan_;                          // in force: what the register's definition says
  RareList<WallTime> anchors_;                   // of plan_
  OptionalTime<WallTime> blocked_since_;         // no claim could be confirmed since
  [[no_unique_address]] Settlement settlement_;  // the flags fit into its last bytes
  bool scanning_ = false;                        // a scan goes on in the next step
  bool blocked_ = false;                         // no claim can be made now
};

}  // namespace ballot::core
