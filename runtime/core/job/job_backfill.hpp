// JobBackfill: what becomes of a job's backfill beside its runs, which JobClaims begins: it is taken up, stopped as
// somebody asks, and over.
//
//   the backfill | event                                              | next
//   none         | asked for, and some of its slots are settled       | goes on
//   goes on      | asked for again under its id                       | answered as done
//   goes on      | another one is asked for                           | that one is refused
//   goes on      | all slots are begun, and their runs have ended     | none: done
//   goes on      | its stop is asked for                              | none; what was begun goes on
//   goes on      | an edit changes the job's slots, or no file of the | none, which is logged and recorded
//                | group defines it any more; the job is repaired     |
//
// It is in the register; a failover, a hand-over, a pause and an edit that leaves the slots as they are change nothing
// of it. Slots that the cursor has not passed are the schedule's, and are left out when it is taken up.
//
//   JobBackfill backfill{c, job, machine};
//   if (!backfill.change()) ... if (!claims.begin_backfill()) backfill.finish();
//
// Pure; made for one call; used by JobMachine and JobWrites.
#pragma once

#include <optional>
#include <string>

#include "core/job/job_parts.hpp"

namespace ballot::core {

class JobBackfill {
 public:
  JobBackfill(Context& c, JobParts& job, JobMachine& machine) : c_(c), job_(job), machine_(machine) {}

  /// Does what is asked, or says why not. True if it has begun a write.
  bool change();
  /// Ends the one of which nothing is left. True if it has begun a write.
  bool finish();

  /// The write is confirmed: answers who has asked for it, and says what is over. Before the register is known as
  /// written.
  void confirm(const PendingWrite& write);

 private:
  void answer(const RunId& request, Answer answer);
  std::optional<Answer> answer_at_once(const Request& asked) const;
  std::optional<Answer> answer_of_repeated(const RunId& request) const;
  SlotRanges settled(SlotRanges slots) const;
  std::string left_text(const Backfill& backfill) const;
  void record_end(const Backfill& before, const std::string& why);

  Context& c_;
  JobParts& job_;
  JobMachine& machine_;
};

}  // namespace ballot::core
