// Reasons that cannot be, and such that can.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditedReasons : public Audited {};

TEST_F(AuditedReasons, NobodyLedThoughTheTermHadBeenElected) {
  define();
  elected("12:02:30");
  missed("12:01:00", Reason::no_leader);
  missed("12:02:00", Reason::no_leader);
  missed("12:03:00", Reason::no_leader);
  EXPECT_EQ(findings(), Texts{"reason 12:03:00"});
}

TEST_F(AuditedReasons, NobodyLedThoughTheTermBeforeSaysThatItDid) {
  const auto term_before = [this](const std::string& from, const std::string& until, Cause cause) {
    terms_[{"nightly", epoch_ - 1}] = {"nightly", node_, epoch_ - 1, at(from), at(until), cause};
  };
  epoch_ = 7;
  define();
  for (const char* slot : {"12:01:00", "12:02:00", "12:03:00"}) missed(slot, Reason::no_leader);
  term_before("12:01:30", "12:02:30", Cause::shutdown);
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  EXPECT_EQ(found_[0].what, "is missed as nobody led the group, and it lies in term 6 of n1");
  term_before("12:01:30", "12:02:30", Cause::expired);  // whoever came next may not know how long it lasted
  EXPECT_EQ(findings(), Texts{});
  term_before("12:01:30", "12:02:30", Cause::shutdown);
  definitions_[0].row.jitter = std::chrono::minutes(1);  // the slot was due later
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedReasons, NobodyLedThoughATermSaysThatItEndedAfterThisOneBegan) {
  epoch_ = 7;
  define();
  elected("12:02:05");
  missed("12:01:00", Reason::no_leader);
  missed("12:02:00", Reason::no_leader);
  terms_[{"nightly", 6}] = {"nightly", node_, 6, at("12:00:30"), at("12:05:00"), Cause::shutdown};
  EXPECT_EQ(findings(), Texts{"reason 12:01:00"}) << "its clock was ahead at its end, and by then perhaps not yet";
}

TEST_F(AuditedReasons, MisfireBeforeAnElectionByAClockThatWasSetBackWhenItsTermRepairedTheJob) {
  DefinitionRow& row = define("12:01:00", Basis::repaired);
  elected("13:30:00");
  missed("12:02:00", Reason::misfire);
  EXPECT_EQ(findings(), Texts{});
  row.basis = Basis::created;
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
}

TEST_F(AuditedReasons, OverlapWithoutARun) {
  define();
  ran("12:01:00");
  missed("12:02:00");
  not_run("12:30:00", Status::skipped, Reason::overlap);
  rows_.back().first.slots = 1;
  kept_since_ = {};
  const Texts found = findings();
  EXPECT_EQ(found, (Texts{"missing 12:03:00 x27", "reason 12:30:00"}));
}

class Overlap : public AuditedReasons {
 protected:
  Overlap() {
    define().schedule = {"*/10 * * * *"};
    ran("12:10:00").ended_at = at("12:25:00");
    not_run("12:20:00", Status::skipped, Reason::overlap);
    not_run("12:30:00", Status::skipped, Reason::overlap);
  }
  const Texts only_the_last_{"reason 12:30:00"};
};

TEST_F(Overlap, BesideARunThatHadEnded) { EXPECT_EQ(findings(), only_the_last_); }

TEST_F(Overlap, BesideARunThatEndsByTheBootClock) {
  rows_[0].first.duration = std::chrono::minutes(21);  // the clock on the wall was set back meanwhile
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, BesideARunWhoseEndWasWrittenLaterByAClockThatWasSetBack) {
  rows_[0].second = ++change_;
  EXPECT_EQ(findings(), Texts{});
}

/// The write that says so was on its way to the store when the run ended.
TEST_F(Overlap, OfASlotThatWasDecidedByAClockThatWasAhead) {
  elected("12:05:00");
  terms_.begin()->second.ended_at = at("12:29:00");
  EXPECT_EQ(findings(), Texts{});
  terms_.begin()->second.ended_at = at("12:31:00");
  EXPECT_EQ(findings(), only_the_last_);
  terms_.begin()->second.ended_at.reset();
  EXPECT_EQ(findings(), only_the_last_);
}

TEST_F(Overlap, BesideARunThatGoesOn) {
  rows_[0].first.status = Status::running;
  rows_[0].first.ended_at.reset();
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, BesideARunThatWasTakenForLost) {
  rows_[0].first.status = Status::lost;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, BesideARunThatWaitsForItsNextAttempt) {
  rows_[0].first.status = Status::failed;
  definitions_[0].row.retries = 1;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, BesideARunByHandThatBeganWhenTheSlotWasDecided) {
  Row& by_hand = ran("12:30:02");
  by_hand.trigger = Trigger::manual;
  by_hand.ended_at = at("12:31:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, BesideARunOfAnotherNode) {
  definitions_[0].row.basis = Basis::taken_over;  // one that was there before
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(Overlap, OfAJobThatQueues) {
  definitions_[0].row.concurrency = Concurrency::queue;
  EXPECT_EQ(findings(), (Texts{"reason 12:20:00", "reason 12:30:00"}));
}

TEST_F(AuditedReasons, AFullQueueOfAJobThatHasNone) {
  define();
  not_run("12:01:00", Status::skipped, Reason::queue_full);
  EXPECT_EQ(findings(), Texts{"reason 12:01:00"});
  definitions_[0].row.concurrency = Concurrency::queue;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedReasons, AGapOfLocalTimeThatIsNone) {
  define();
  missed("12:01:00", Reason::dst_gap);
  EXPECT_EQ(findings(), Texts{"reason 12:01:00"});
}

TEST_F(AuditedReasons, AMisfireOfASlotThatWasDueBeforeTheElectionOfItsTerm) {
  define();
  elected("12:10:00");
  missed("12:01:00", Reason::misfire);
  missed("12:02:00", Reason::no_leader);
  EXPECT_EQ(findings(), Texts{"reason 12:01:00"});
  elected("12:02:00");  // it may have gone on with its term, which was elected before
  EXPECT_EQ(findings(), Texts{});
  elected("12:10:00");
  definitions_[0].row.jitter = std::chrono::minutes(8);  // the slot was due later
  EXPECT_EQ(findings(), Texts{});
  definitions_[0].row.jitter = Millis(0);
  terms_.clear();  // another node's
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedReasons, NoMisfireOfASlotThatHasWaitedForAnotherJobIntoALaterTerm) {
  define().schedule = {"* * * * *", "@after extract succeeded"};
  elected("12:10:00");
  missed("12:01:00", Reason::misfire);
  EXPECT_EQ(findings(), Texts{});
  definitions_[0].row.schedule = {"* * * * *"};
  EXPECT_EQ(findings(), Texts{"reason 12:01:00"});
}

TEST_F(AuditedReasons, AMisfireOfAJobThatQueuesWhatIsLate) {
  define().concurrency = Concurrency::queue;
  elected("12:00:00");
  missed("12:01:00", Reason::start_deadline);
  missed("12:02:00", Reason::misfire);
  EXPECT_EQ(findings(), Texts{"reason 12:02:00"});
  definitions_[0].row.concurrency = Concurrency::allow;
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedReasons, APauseOfAnythingButASkippedSlot) {
  define();
  not_run("12:01:00", Status::skipped, Reason::paused);
  EXPECT_EQ(findings(), Texts{});
  not_run("12:02:00", Status::missed, Reason::paused);
  Row& run = ran("12:03:00");
  run.status = Status::skipped;
  run.reason = Reason::paused;
  not_run("12:03:30", Status::skipped, Reason::paused).trigger = Trigger::manual;
  EXPECT_EQ(findings(), (Texts{"reason 12:02:00", "reason 12:03:00", "reason 12:03:30"}));
}

TEST_F(AuditedReasons, AStartDeadlineOfARunThatHadNotPassed) {
  define();
  Row& given_up = ran("12:01:00");
  given_up.status = Status::missed;
  given_up.started_at.reset();
  for (const Reason reason : {Reason::start_deadline, Reason::unclaimed}) {
    given_up.reason = reason;
    given_up.ended_at = at("12:05:59");
    EXPECT_EQ(findings(), Texts{"reason 12:01:00"});
    given_up.ended_at = at("12:06:01");
    EXPECT_EQ(findings(), Texts{});
  }
  given_up.reason = Reason::stale;  // its term was over
  given_up.ended_at = at("12:01:01");
  EXPECT_EQ(findings(), Texts{});
}

}  // namespace
}  // namespace ballot::audit
