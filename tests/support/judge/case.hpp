// Case: the evidence with what the checks look things up in, and the findings so far. The checker's own.
#pragma once

#include <initializer_list>
#include <map>
#include <set>

#include "support/judge/checker.hpp"
#include "support/judge/deeds.hpp"
#include "support/judge/merged_ledger.hpp"
#include "support/judge/slot_accounts.hpp"

namespace ballot::testing {

/// A term, as far as it is known for certain: by its node's ledger, by the STARTs under its epoch, and no longer than
/// until the next term, or until something was done to its node.
struct Led {
  std::string node;
  WallTime began{}, until{};
};

/// A run from its first attempt's start to its last one's end, by its processes, or by its row where they report none.
struct Life {
  std::uint64_t epoch = 0;
  bool scheduled = true;
  WallTime slot{}, from{}, until{};
  WallTime believed{};  // until when a leader may have taken it for running
};

class Case {
 public:
  /// The evidence outlives it.
  explicit Case(const Evidence& evidence);

  const Evidence& evidence;
  const MergedLedger ledger;
  const Deeds deeds;
  std::map<std::string, std::vector<const InForce*>> versions;         // by job
  std::map<std::string, std::vector<const Report*>> reports;           // by job, by the boot clock
  std::map<MergedLedger::Key, std::vector<const Report*>> reports_of;  // by attempt
  std::map<std::string, std::vector<const Entry*>> attempts;           // by job, by run and attempt
  std::map<std::string, std::map<std::uint64_t, Led>> terms;           // by group, epoch
  std::map<std::string, std::map<RunId, Life>> lives;                  // by job

  /// The job as it was last defined; null: no definition is known.
  const Job* job(const std::string& name) const;
  bool probed(const std::string& job) const;
  /// The slots that a row stands for: by the version that has as many there as the row says; else by the one that has
  /// most.
  Slots slots_of(const Entry& entry) const;
  /// Whether what the node recorded up to then may be gone.
  bool on_lost_disk(const std::string& node, WallTime recorded) const;

  /// The same finding twice is one.
  void report(const std::string& job, WallTime slot, const std::string& what,
              std::initializer_list<std::string> concerned);
  void report(const std::string& job, const Discrepancy& discrepancy);
  void report(const std::string& what);

  Findings take() { return {findings_.begin(), findings_.end()}; }

 private:
  void find_terms();
  void find_lives();

  std::set<std::string> findings_;
};

// Each judges one part; see the checker's table.
void check_slots(Case& c);
void check_open_rows(Case& c);
void check_launches(Case& c);
void check_attempts(Case& c);
void check_ends(Case& c);
void check_lives(Case& c);
void check_fences(Case& c);
void check_terms(Case& c);
void check_reasons(Case& c);
void check_outcomes(Case& c);
void check_launched(Case& c);
void check_lateness(Case& c);

}  // namespace ballot::testing
