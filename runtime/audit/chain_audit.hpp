// ChainAudit: runs of jobs that come after others, against the rows of those: none was begun whose parent's slot was
// skipped or missed, or had ended otherwise than it asks.
//
//   the run is of                                   | the parent's row that it is held against
//   the slot of its first parent, which it has too  | of that slot
//   a chain that somebody has triggered             | of the same trigger's slot, where one trigger alone may
//                                                   | have begun both
//   a slot of its own schedule; any slot, for a     | of its latest slot at or before that one, where one term has
//     parent but the first whose slots it has       | settled that slot and begun the run
//
// Whether the parent had ended by then is not asked: a clock that was set back has runs end after what followed them.
// What a ledger does not have is in another node's, and nothing is said of it; nor of jobs that were repaired, whose
// registers say since what rows do not; nor of a parent's slot that a clock had passed which was ahead: another node
// may have repaired that job.
//
// Pure. Knows nothing of schedules. Used by Audit.
//
//   ChainAudit chains(definitions, report);
//   chains.add(row);     // by slot
//   chains.finish();
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/job_audit.hpp"
#include "audit/spans.hpp"
#include "audit/terms.hpp"
#include "schedule/after.hpp"

namespace ballot::audit {

class ChainAudit {
 public:
  using Definitions = std::map<std::string, std::vector<InForce>>;

  /// `definitions` and `terms` outlive it.
  ChainAudit(const Definitions& definitions, const Terms& terms, Report report);

  /// By slot.
  void add(const Row& row);
  void finish();

 private:
  std::optional<schedule::After> after(const Row& row) const;
  void judge_slot();
  void judge_by_slot(const Row& row, const std::string& parent, AfterStatus asked);
  void judge_by_latest(const Row& row, const std::string& parent, AfterStatus asked);
  void report(const Row& row, const Row& parent, std::string what) const;

  const Definitions& definitions_;
  const Terms& terms_;
  const Report report_;
  std::set<std::string, std::less<>> jobs_;  // in chains
  std::vector<Row> at_slot_;                 // theirs, of the slot that is not judged yet
  std::map<std::string, Row> latest_;        // of each the last row of its latest slot, of its schedule
};

}  // namespace ballot::audit
