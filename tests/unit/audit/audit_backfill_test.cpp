// Slots that a backfill has run again: their rows stand beside those of the slots, and say nothing of them.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditsOfBackfills : public Audited {
 protected:
  /// A run that a backfill has made of the slot, at that time.
  Row& backfilled(const std::string& slot, const std::string& time) {
    Row& row = claimed(ran(slot), time);
    row.trigger = Trigger::backfill;
    return row;
  }
};

TEST_F(AuditsOfBackfills, FindNothingInRunsOfSlotsThatHaveTheirRows) {
  define();
  ran("12:01:00");
  missed("12:02:00");
  missed("12:03:00", "12:10:00", 8);
  ran("12:11:00");
  backfilled("12:01:00", "12:11:05");
  backfilled("12:02:00", "12:11:10");
  backfilled("12:05:00", "12:11:15");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditsOfBackfills, FindNothingInSlotsOfBeforeTheJobWasThere) {
  define();
  backfilled("11:58:00", "12:00:30");
  ran("12:01:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditsOfBackfills, FindASlotThatHasARowOfABackfillAlone) {
  define();
  ran("12:01:00");
  ran("12:03:00");
  backfilled("12:02:00", "12:03:30");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
}

TEST_F(AuditsOfBackfills, FindAnAttemptThatWasDeleted) {
  define().retries = 2;
  ran("12:01:00");
  ran("12:02:00");
  Row& first = backfilled("12:01:00", "12:02:30");
  first.status = Status::failed;
  first.reason = Reason::exit_code;
  again(first).status = Status::succeeded;
  EXPECT_EQ(findings(), Texts{});
  std::erase_if(rows_,
                [](const auto& one) { return one.first.trigger == Trigger::backfill && one.first.attempt == 1; });
  EXPECT_EQ(findings(), Texts{"missing 12:01:00"});
}

TEST_F(AuditsOfBackfills, FindARunThatWasLaunchedAgainBeyondItsRetries) {
  define();
  ran("12:01:00");
  Row& first = backfilled("12:01:00", "12:02:30");
  first.status = Status::failed;
  first.reason = Reason::exit_code;
  again(first).status = Status::succeeded;
  EXPECT_EQ(findings(), Texts{"relaunch 12:01:00"});
}

}  // namespace
}  // namespace ballot::audit
