// Reasons that cannot be, and such that can.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditedReasons : public Audited {
 protected:
  void elected(const std::string& time) {
    terms_[{"nightly", epoch_}] = {"nightly", "n1", epoch_, at(time), std::nullopt, Cause::none};
  }
};

TEST_F(AuditedReasons, NobodyLedThoughTheTermHadBeenElected) {
  define();
  elected("12:02:30");
  missed("12:01:00", Reason::no_leader);
  missed("12:02:00", Reason::no_leader);
  missed("12:03:00", Reason::no_leader);
  EXPECT_EQ(findings(), Texts{"reason 12:03:00"});
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

}  // namespace
}  // namespace ballot::audit
