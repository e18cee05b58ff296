// Rows against the pauses that the ledger has, and against what it cannot know of them.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

struct AuditedPauses : Audited {
  AuditedPauses() {
    define();
    elected("12:00:00");
    pauses_.since = 0;
    ran("12:01:00");
  }
  PauseRow& paused(const std::string& from, const std::string& until = {}) {
    PauseRow row{job_, "nightly", node_, at(from), std::nullopt, "ada"};
    if (!until.empty()) row.until = at(until);
    return pauses_.rows.emplace_back(std::move(row));
  }
  Row& skipped(const std::string& slot) { return not_run(slot, Status::skipped, Reason::paused); }
};

TEST_F(AuditedPauses, HaveTheSlotsThatWereSkippedInThem) {
  skipped("12:02:00");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  EXPECT_EQ(found_[0].what, "is skipped for a pause, and neither its job nor its group was paused");
  paused("12:01:30", "12:02:30");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedPauses, MayBeOfTheWholeGroupAndOfNoOther) {
  skipped("12:02:00");
  PauseRow& pause = paused("12:01:30", "12:02:30");
  pause.job = "";
  EXPECT_EQ(findings(), Texts{});
  pause.group = "other";
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  pause.group = "nightly";
  pause.job = "restore";
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
}

TEST_F(AuditedPauses, EndBeforeASlotThatIsSkippedForThem) {
  missed("12:02:00", "12:29:00", 28);
  skipped("12:30:00");
  PauseRow& pause = paused("12:01:30", "12:10:00");
  pause.node = "n2";
  EXPECT_EQ(findings(), Texts{"reason 12:30:00"});
  pause.until.reset();  // another node has ended it, who knows when
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedPauses, EndAtTheEndThatTheyWereToHaveAlsoWhereAnotherNodeHasSeenThat) {
  missed("12:02:00", "12:04:00", 3);
  skipped("12:05:00");
  missed("12:06:00", "12:29:00", 24);
  skipped("12:30:00");
  PauseRow& pause = paused("12:04:30");
  pause.node = "n2";
  pause.ends = at("12:10:00");
  EXPECT_EQ(findings(), Texts{"reason 12:30:00"});
  pause.until = at("12:31:00");  // it was given another one since
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedPauses, BeginSoonAfterASlotThatWaitsForTheStoreOrForAPlace) {
  Row& row = skipped("12:02:00");
  paused("12:16:00", "12:20:00");
  EXPECT_EQ(findings(), Texts{});
  pauses_.rows[0].from = at("12:18:00");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  terms_.begin()->second.elected_at = row.slot;  // it was open when the term began
  EXPECT_EQ(findings(), Texts{});
}

/// The clock was ahead when the pause began, and was set back within it: it ends before it begins.
TEST_F(AuditedPauses, ThatBeganByAWrongClockHaveWhatIsWrittenAfterThem) {
  PauseRow& pause = paused("13:05:00", "12:03:30");
  pause.change = change_;
  skipped("12:02:00");
  EXPECT_EQ(findings(), Texts{});
  pause.until = at("12:01:30");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"}) << "it had ended";
  pause.until = at("12:03:30");
  pause.change = rows_.back().second;
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"}) << "the slot was settled before it";
}

TEST_F(AuditedPauses, OfOtherNodesAndOfOlderBallotsAreNotKnown) {
  skipped("12:02:00");
  pauses_.since = change_;
  EXPECT_EQ(findings(), Texts{}) << "nor those of an older ballot";
  pauses_.since = 0;
  terms_.clear();
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedPauses, HaveNoSlotThatIsClaimedInThem) {
  definitions_[0].row.start_deadline = std::chrono::hours(1);
  paused("12:01:30", "12:10:00");
  claimed(ran("12:02:00"), "12:05:00");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  EXPECT_EQ(found_[0].what, "was claimed by the schedule while it was paused");
  claimed(rows_.back().first, "12:09:55");  // by a clock that differs
  rows_.back().first.slot = at("12:02:00");
  EXPECT_EQ(findings(), Texts{});
  claimed(rows_.back().first, "12:05:00").trigger = Trigger::manual;
  EXPECT_EQ(findings(), Texts{}) << "who asks by hand is not held back";
}

/// The clock was wrong when the pause began.
TEST_F(AuditedPauses, HaveNoSlotThatWasSettledBeforeTheyWereWritten) {
  definitions_[0].row.start_deadline = std::chrono::hours(1);
  claimed(ran("12:02:00"), "12:05:00");
  paused("12:01:30", "12:10:00").change = change_;
  EXPECT_EQ(findings(), Texts{});
  pauses_.rows[0].change = rows_.back().second - 1;
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
}

/// The clock was set back while the run went on, and its row was written again at its end.
TEST_F(AuditedPauses, MayHaveBegunAfterARunThatHasEndedBeforeItWasClaimed) {
  definitions_[0].row.start_deadline = std::chrono::hours(1);
  paused("12:01:30", "12:10:00");
  Row& row = claimed(ran("12:02:00"), "12:05:00");
  row.ended_at = at("12:01:40");
  EXPECT_EQ(findings(), Texts{});
  row.ended_at = at("12:05:00");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
}

/// Its end came by a clock that was ahead, in a term that says that it ended after the next one began.
TEST_F(AuditedPauses, KnowThatAPauseEndedByAClockThatWasAhead) {
  elected("12:00:00");
  terms_.begin()->second.ended_at = at("12:15:00");
  paused("12:00:30", "12:10:00").change = -1;
  epoch_ = 2;
  elected("12:01:30");
  define("12:01:00", Basis::taken_over);
  claimed(ran("12:02:00"), "12:02:00");
  EXPECT_EQ(findings(), Texts{});
  terms_.begin()->second.ended_at = at("12:01:30");
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
}

/// The clock was set back when the pause began, and was right again when the run ended.
TEST_F(AuditedPauses, DidNotBeginBeforeTheTermThatWasThereWhenTheyWereWritten) {
  definitions_[0].row.start_deadline = std::chrono::hours(1);
  elected("12:01:30");
  paused("12:01:00", "12:10:00").change = definitions_[0].change + 1;
  claimed(ran("12:02:00"), "12:05:00");
  EXPECT_EQ(findings(), Texts{});
  pauses_.rows[0].change = 0;
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"}) << "the term found it";
}

TEST_F(AuditedPauses, HaveNoSlotThatIsMissedByPolicy) {
  for (const Reason reason : {Reason::misfire, Reason::start_deadline, Reason::unclaimed, Reason::no_leader}) {
    rows_.resize(1);
    paused("12:01:30", "12:10:00");
    missed("12:02:00", reason);
    const Texts found = findings();
    EXPECT_TRUE(std::find(found.begin(), found.end(), "reason 12:02:00") != found.end()) << to_string(reason);
  }
  rows_.resize(1);
  missed("12:02:00", Reason::no_definition);
  EXPECT_EQ(findings(), Texts{});
}

// ---- jobs that are at-least-once, and attempts

struct AuditedRepeats : Audited {
  AuditedRepeats() { define().at_least_once = true; }
};

/// The last one may have been launched ahead of its claim: where its term ends before that is confirmed, the next term
/// writes the rows of the slots before.
TEST_F(AuditedRepeats, AreMissedWhereASlotHasNoRowAndAnotherIsSettledAfterwards) {
  ran("12:01:00");
  ran("12:03:00");
  EXPECT_EQ(findings(), Texts{});
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
  ASSERT_EQ(found_[0].rows.size(), 1u);
  EXPECT_EQ(found_[0].rows[0].slot, at("12:01:00"));
  missed("12:06:00");
  EXPECT_EQ(findings(), (Texts{"missing 12:02:00", "missing 12:04:00"}));
}

/// Ahead of its claim a run is started before what was passed over is written.
TEST_F(AuditedRepeats, ProveNothingWhereTheyWereNotClaimed) {
  ran("12:01:00");
  ran("12:03:00").fence = 0;
  EXPECT_EQ(findings(), Texts{});
  ran("12:04:00");
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
}

TEST_F(AuditedRepeats, HaveTheAttemptThatWasLost) {
  Row& lost = ran("12:01:00");
  lost.status = Status::lost;
  again(lost).status = Status::succeeded;
  EXPECT_EQ(findings(), Texts{});
  rows_.pop_front();
  EXPECT_EQ(findings(), Texts{"missing 12:01:00"});
}

TEST_F(Audited, FindAnAttemptWithoutTheOneBeforeOfARunThatItsTermHasBegun) {
  define("12:00:00", Basis::taken_over).retries = 1;
  definitions_[0].row.before = 9;  // another node's
  elected("12:00:30");
  claimed(ran("12:01:00"), "12:01:00").attempt = 2;
  EXPECT_EQ(findings(), Texts{"missing 12:01:00"});
  claimed(rows_[0].first, "12:00:35");
  EXPECT_EQ(findings(), Texts{}) << "the term before may have, by its clock";
}

TEST_F(Audited, KnowThatARunWasBegunBeforeItsTermByAClockThatWasAhead) {
  define("12:00:00").retries = 1;
  epoch_ = 6;
  DefinitionRow& taken_over = define("12:03:00", Basis::taken_over);
  taken_over.before = 5;  // another node's
  taken_over.retries = 1;
  elected("12:01:30");
  claimed(ran("12:03:00"), "12:03:00").attempt = 2;
  EXPECT_EQ(findings(), Texts{});
  definitions_[1].row.from = at("12:02:00");
  EXPECT_EQ(findings(), Texts{"missing 12:03:00"}) << "its term did not find the slot claimed";
}

struct AuditedRetries : Audited {
  AuditedRetries() {
    define().retries = 1;
    ran("12:01:00").status = Status::failed;
    ran("12:02:00");
  }
};

TEST_F(AuditedRetries, AreMissedBeforeTheNextRunOfAJobThatSkips) {
  EXPECT_EQ(findings(), Texts{"missing 12:01:00"});
  EXPECT_EQ(found_[0].what, "has failed with retries left, and no row of attempt 2");
  again(rows_[0].first).fence = 1'000;
  const Texts found = findings();
  EXPECT_TRUE(std::find(found.begin(), found.end(), "missing 12:01:00") == found.end());
}

/// It has the row of the attempt, and this node has taken up the run after it.
TEST_F(AuditedRetries, MayHaveBeenMadeByANodeThatLedInBetween) {
  Row& next = rows_.back().first;
  next.node = "n2";
  ++next.epoch;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedRetries, MayBeToCome) {
  rows_.pop_back();
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedRetries, OfAJobThatAllowsOverlapsMayBeToCome) {
  definitions_[0].row.concurrency = Concurrency::allow;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedRetries, AreNotMadeOfWhatCannotSucceed) {
  rows_[0].first.reason = Reason::permanent;
  EXPECT_EQ(findings(), Texts{});
}

// ---- local times that do not exist

struct AuditedGap : Audited {
  AuditedGap() {
    DefinitionRow& row = define("00:00:00");
    row.schedule = {"0 12 * * *"};
    row.timezone = "Pacific/Apia";  // whose 2011-12-30 does not exist
    row.from = *parse_wall("2011-12-28T00:00:00Z");
  }
  Row& of_gap(Row& row) {
    row.slot = *parse_wall("2011-12-30T09:59:59Z");  // the last second before it
    if (row.started_at) row.started_at = row.slot + Millis(20), row.ended_at = row.slot + Millis(1000);
    return row;
  }
};

TEST_F(AuditedGap, HasASlotThatIsMissed) {
  ran("00:00:00").slot = *parse_wall("2011-12-28T22:00:00Z");
  ran("00:00:00").slot = *parse_wall("2011-12-29T22:00:00Z");
  of_gap(missed("00:00:00", Reason::dst_gap));
  ran("00:00:00").slot = *parse_wall("2011-12-30T22:00:00Z");
  for (auto& [row, change] : rows_)
    if (row.started_at) row.started_at = row.slot + Millis(20), row.ended_at = row.slot + Millis(1000);
  EXPECT_EQ(findings(), Texts{});
  of_gap(rows_[2].first).reason = Reason::misfire;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedGap, HasNoRun) {
  ran("00:00:00").slot = *parse_wall("2011-12-28T22:00:00Z");
  ran("00:00:00").slot = *parse_wall("2011-12-29T22:00:00Z");
  of_gap(ran("00:00:00"));
  for (auto& [row, change] : rows_) row.started_at = row.slot + Millis(20), row.ended_at = row.slot + Millis(1000);
  EXPECT_EQ(findings(), Texts{"reason 09:59:59"});
  EXPECT_EQ(found_[0].what, "ran, and its local time does not exist");
}

TEST_F(AuditedGap, IsNotWhereALocalTimeExists) {
  missed("00:00:00", Reason::dst_gap).slot = *parse_wall("2011-12-28T22:00:00Z");
  EXPECT_EQ(findings(), Texts{"reason 22:00:00"});
  EXPECT_EQ(found_[0].what, "is missed as its local time does not exist, and it does");
}

}  // namespace
}  // namespace ballot::audit
