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
}

}  // namespace
}  // namespace ballot::audit
