// An audit of jobs that come after others: no run was begun before the slot of its parent had ended as it asks.
#include "audited.hpp"

namespace ballot::audit {
namespace {

struct AuditedChain : Audited {
  template <class Do>
  decltype(auto) of(const std::string& job, Do what) {
    job_ = job;
    return what();
  }
  AuditedChain() {
    of("extract", [&] { define(); });
    of("load", [&] { define().schedule = {"* * * * *", "@after extract succeeded, as extract"}; });
  }
  Row& extracted(const std::string& slot) {
    return of("extract", [&]() -> Row& { return ran(slot); });
  }
  Row& loaded(const std::string& slot) {
    return of("load", [&]() -> Row& {
      Row& row = ran(slot);
      row.started_at = at(slot) + Millis(2000);
      row.ended_at = at(slot) + Millis(3000);
      return row;
    });
  }
};

TEST_F(AuditedChain, FindsNothingWhereEachRunFollowsThatOfItsParent) {
  extracted("12:01:00"), loaded("12:01:00");
  loaded("12:02:00"), extracted("12:02:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedChain, FindsARunWhoseParentHasFailedOrWasSkipped) {
  extracted("12:01:00").status = Status::failed;
  loaded("12:01:00");
  EXPECT_EQ(findings(), Texts{"early 12:01:00"});
  definitions_[1].row.schedule[1] = "@after extract failed, as extract";
  EXPECT_EQ(findings(), Texts{});
  rows_.clear();
  of("extract", [&] { not_run("12:01:00", Status::skipped, Reason::overlap); });
  loaded("12:01:00");
  EXPECT_EQ(findings(), (Texts{"reason 12:01:00", "early 12:01:00"})) << "and there was no run that it could overlap";
  EXPECT_EQ(found_[1].rows.size(), 2u);
}

/// Another node may have repaired the parent since, and have begun that slot.
TEST_F(AuditedChain, SaysNothingOfAParentsSlotThatAClockHadPassedWhichWasAhead) {
  of("extract", [&] { missed("12:01:00"); });
  epoch_ = 3;
  elected("12:00:30");
  epoch_ = 5;
  loaded("12:01:00");
  EXPECT_EQ(findings(), Texts{});
  terms_.begin()->second.elected_at = at("12:01:30");
  EXPECT_EQ(findings(), Texts{"early 12:01:00"});
}

TEST_F(AuditedChain, GoesByTheLastAttemptOfTheParent) {
  Row& first = extracted("12:01:00");
  first.status = Status::failed;
  definitions_[0].row.retries = 1;
  of("extract", [&] { again(first).status = Status::succeeded; });
  loaded("12:01:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedChain, SaysNothingOfParentsThatAreLostRunOrAreInAnotherLedger) {
  loaded("12:01:00");
  extracted("12:02:00").status = Status::lost;
  loaded("12:02:00");
  const Texts found = findings();
  EXPECT_TRUE(
      std::none_of(found.begin(), found.end(), [](const std::string& one) { return one.starts_with("early"); }));
}

/// Its node was cut off: it has the end in its ledger, and the next term went by another one.
TEST_F(AuditedChain, SaysNothingOfASuccessThatATermBetweenMayHaveTakenForLost) {
  definitions_[1].row.schedule[1] = "@after extract failed, as extract";
  const auto is_early = [this] {
    const Texts found = findings();
    return std::find(found.begin(), found.end(), "early 12:01:00") != found.end();
  };
  extracted("12:01:00");
  Row& alarm = loaded("12:01:00");
  EXPECT_TRUE(is_early()) << "their term knew that it had succeeded";
  alarm.epoch += 2;
  EXPECT_FALSE(is_early());
}

/// When its slot was due depends on another job: no deadline counts from it.
TEST_F(AuditedChain, SaysNothingOfHowLateARunBeganAfterItsSlot) {
  extracted("12:01:00").ended_at = at("12:31:00");
  Row& row = loaded("12:01:00");
  claimed(row, "12:31:01");
  row.started_at = at("12:31:01"), row.ended_at = at("12:31:02");
  const Texts found = findings();
  EXPECT_EQ(std::count(found.begin(), found.end(), "late 12:01:00"), 0);
}

TEST_F(AuditedChain, FindsARowOfAChildThatIsGone) {
  extracted("12:01:00"), loaded("12:01:00"), extracted("12:02:00"), extracted("12:03:00"), loaded("12:03:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
}

/// Two triggers of one instant have the same slot.
TEST_F(AuditedChain, HoldsARunAgainstThatOfItsOwnTrigger) {
  claimed(extracted("12:01:00.250"), "12:01:00.100").trigger = Trigger::manual;
  rows_[0].first.status = Status::failed;
  Row& child = loaded("12:01:00.250");
  child.trigger = Trigger::chain;
  claimed(child, "12:01:00.200");
  EXPECT_EQ(findings(), Texts{});
  claimed(child, "12:01:00.100");
  EXPECT_EQ(findings(), Texts{"early 12:01:00"});
  claimed(extracted("12:01:00.250"), "12:01:00.100").trigger = Trigger::chain;
  EXPECT_EQ(findings(), Texts{}) << "nothing says which of two triggers of a millisecond it is of";
}

/// Somebody has triggered the parent: the jobs of the chain have its slot.
TEST_F(AuditedChain, FindsARunOfATriggeredChainWhoseParentHasFailed) {
  const auto early = [&] {
    const Texts found = findings();
    return std::count_if(found.begin(), found.end(), [](const std::string& one) { return one.starts_with("early"); });
  };
  extracted("12:01:00.250").trigger = Trigger::manual;
  loaded("12:01:00.250").trigger = Trigger::chain;
  EXPECT_EQ(early(), 0);
  rows_[0].first.status = Status::failed;
  EXPECT_EQ(early(), 1);
  rows_[0].first.trigger = Trigger::schedule;
  EXPECT_EQ(early(), 0) << "of a schedule it is another slot";
  of("extract", [&] { not_run("12:01:00.250", Status::skipped, Reason::overlap).trigger = Trigger::manual; });
  EXPECT_EQ(early(), 0) << "one that was refused has begun no chain";
}

/// Of a child with a schedule of its own: each of its slots waits for the parent's latest one.
struct AuditedOwnSchedule : AuditedChain {
  AuditedOwnSchedule() {
    definitions_[0].row.schedule = {"*/5 * * * *"};
    definitions_[1].row.schedule = {"2-59/5 * * * *", "@after extract succeeded"};
  }
};

TEST_F(AuditedOwnSchedule, FindsNothingWhereTheParentsLatestSlotHasEndedAsAsked) {
  extracted("12:05:00"), loaded("12:07:00"), extracted("12:10:00").status = Status::failed;
  of("load", [&] { not_run("12:12:00", Status::skipped, Reason::upstream); });
  extracted("12:15:00"), loaded("12:17:00");
  EXPECT_EQ(findings(), (Texts{"missing 12:02:00"})) << "which waited for the first one";
}

TEST_F(AuditedOwnSchedule, FindsARunWhoseParentsLatestSlotFailedOrNeverRan) {
  extracted("12:05:00"), loaded("12:07:00");
  extracted("12:10:00").status = Status::failed, loaded("12:12:00");
  of("extract", [&] { not_run("12:15:00", Status::missed, Reason::misfire); });
  loaded("12:17:00");
  const auto early = [&] {
    Texts found = findings();
    std::erase_if(found, [](const std::string& one) { return !one.starts_with("early"); });
    return found;
  };
  EXPECT_EQ(early(), (Texts{"early 12:12:00", "early 12:17:00"}));
  EXPECT_EQ(found_.back().rows.size(), 2u);
  EXPECT_NE(
      found_.back().what.find("the last slot of job extract before it, after which it comes, was missed: misfire"),
      std::string::npos)
      << found_.back().what;
  definitions_[1].row.schedule[1] = "@after extract failed";
  EXPECT_EQ(early(), (Texts{"early 12:07:00", "early 12:17:00"}));
  definitions_[1].row.schedule[1] = "@after extract ended";
  EXPECT_EQ(early(), Texts{"early 12:17:00"});
}

TEST_F(AuditedOwnSchedule, FindsARunForWhichAnyParentOfSeveralHadFailed) {
  definitions_[1].row.schedule = {"*/5 * * * *", "@after extract,clean succeeded, as extract"};
  of("clean", [&] { define().schedule = {"1-59/5 * * * *"}; });
  of("clean", [&] { ran("12:01:00").status = Status::failed; });
  extracted("12:05:00"), loaded("12:05:00");
  const Texts found = findings();
  EXPECT_EQ(std::count(found.begin(), found.end(), "early 12:05:00"), 1);
}

TEST_F(AuditedOwnSchedule, SaysNothingOfAnEndThatAnotherTermMayHaveHadOtherwise) {
  const auto early = [&] {
    const Texts found = findings();
    return std::count_if(found.begin(), found.end(), [](const std::string& one) { return one.starts_with("early"); });
  };
  Row& parent = extracted("12:10:00");
  parent.status = Status::failed;
  Row& child = loaded("12:12:00");
  EXPECT_EQ(early(), 1);
  child.epoch = 2;
  EXPECT_EQ(early(), 0) << "the next leader had it otherwise, or has a later slot of it";
  child.epoch = 1;
  of("load", [&] { define("12:13:00").schedule = {"2-59/5 * * * *", "@after clean succeeded"}; });
  claimed(child, "12:14:00");
  EXPECT_EQ(early(), 0) << "another definition was in force when it was decided on";
}

}  // namespace
}  // namespace ballot::audit
