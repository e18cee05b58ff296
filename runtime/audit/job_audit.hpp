// JobAudit: one job's rows against its definitions, as they come by slot. What it remembers does not grow with the
// rows.
//
//   event                         | what follows
//   a row of the slot before      | kept: attempts of a run come one after the other
//   a row of a later slot         | the slot before is judged, and all that are due between are missing: at once where
//                                 | the span is closed; else once a row shows that they were settled
//   the next definition begins    | what waits for such a row is dropped
//
// Pure. Knows nothing of other jobs, of files and of databases. Used by Audit.
//
//   JobAudit job("backup", definitions, kept_since, report);
//   job.add(row, change);
//   job.finish();
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/finding.hpp"
#include "audit/pauses.hpp"
#include "audit/reasons.hpp"
#include "audit/spans.hpp"

namespace ballot::audit {

using Report = std::function<void(Finding)>;

/// A row, with the number of its last change.
struct Entry {
  Row row;
  std::int64_t change = 0;
};

class JobAudit {
 public:
  /// Rows of slots before `kept_since` may be gone. `terms`: this node's, of all groups; like `pauses` they
  /// outlive it.
  JobAudit(std::string job, const std::vector<InForce>& definitions, WallTime kept_since, const Terms& terms,
           const KnownPauses& pauses, Report report);

  /// By slot, then attempt.
  void add(const Row& row, std::int64_t change);
  void finish();
  /// Of all its rows so far.
  const std::optional<WallTime>& newest_slot() const { return newest_slot_; }

 private:
  struct Gap {  // slots due, one after the other, that have no row
    WallTime from{}, to{};
    std::int64_t slots = 0;
    std::optional<Row> after{};  // the last row before them that settled slots
  };

  void judge_slot();
  void pass_to(WallTime slot);
  void miss_between(WallTime until);
  void report(std::optional<Gap>& gap) const;
  void forget_gaps();
  void match_schedule(const Entry& entry, const Span& span);
  bool is_undone(const Entry& entry) const;
  bool was_ahead_of_a_repair(const Row& row, std::int64_t change) const;
  WallTime elected_at(const TermRow& term) const;
  bool was_ahead_of_a_repair(const Entry& passed, const std::vector<const Entry*>& runs) const;
  bool is_of_a_repair(const Entry& passed, const Entry& run) const;
  bool was_ahead_of_another_repair(const Entry& passed, const Row& run) const;
  bool was_ahead_of_a_later_term(const Entry& run) const;
  std::optional<WallTime> time_over(const Entry& passed, WallTime slot) const;
  void check_twice(const std::vector<const Entry*>& rows);
  void check_attempts(const std::vector<const Entry*>& rows);
  void check_attempt(const Row& row, const Row* before);
  void check_fence(const Entry& claimed);
  bool is_before_repair(const Entry& claimed) const;
  void check_start(const Entry& entry, const DefinitionRow& by);
  void check_end(const Row& row);
  void report(Kind kind, const Row& row, std::string what, const Row* other = nullptr) const;

  bool is_all_here(const Row& row, const Span& span) const;
  void expect_retry(const std::vector<const Entry*>& attempts, const Span& span);
  void settle_expected(const Row& claimed);

  const std::string job_;
  const WallTime kept_since_;
  const Terms& terms_;
  const Report report_;
  Spans spans_;
  Reasons reasons_;
  Pauses pauses_;
  std::vector<Entry> at_slot_;     // rows of the slot that is not judged yet
  WallTime passed_{};              // slots up to here have been compared with the schedule
  std::optional<Gap> gap_;         // not reported yet: whether it was settled here, or how far it goes, is not known
  std::optional<Gap> unsure_gap_;  // before a run that may have been launched ahead of its claim
  bool left_ = false;              // another node's term has settled slots of the current span
  std::optional<WallTime> newest_slot_;
  std::optional<Row> last_;     // that settled slots
  std::optional<Entry> range_;  // the last row of many slots
  std::optional<Row> claimed_;  // the last scheduled slot that was claimed
  std::optional<Row> failed_;  // the last attempt of a run, which has retries left: the job's next run comes after them
  int life_of_claimed_ = 0;
  std::uint64_t first_fence_ = 0;  // of that life of the register
};

}  // namespace ballot::audit
