// The checker finds each thing that can be wrong, that and nothing else, and finds nothing where nothing is.
#include "support/judge/checker.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "right_evidence.hpp"

namespace ballot::testing {
namespace {

class Checker : public ::testing::Test {
 protected:
  Row& row(int number) {
    for (NodeLedger& ledger : evidence.ledgers)
      for (Row& row : ledger.rows)
        if (row.run == run_id(number)) return row;
    throw std::logic_error("no such row");
  }
  Report& report(int number) {
    for (Report& report : evidence.reports)
      if (report.run == run_id(number)) return report;
    throw std::logic_error("no such report");
  }
  std::vector<Row>& rows(int node) { return evidence.ledgers.at(static_cast<std::size_t>(node - 1)).rows; }
  void change(const std::string& job, const std::function<void(Job&)>& how) {
    for (InForce& version : evidence.jobs)
      if (Job copy = version.definition->job; copy.name == job) how(copy), version.definition = define(copy);
  }
  /// A second attempt of a run, right after the first one, on node 2.
  Row second_attempt(const Row& first) {
    Row row = first;
    row.attempt = 2;
    row.node = "n2";
    row.epoch = 2;
    row.fence = 9;
    row.started_at = slot(4) + Millis(400);
    row.ended_at = slot(4) + Millis(710);
    return row;
  }

  /// One finding, which has all of these in it.
  void expect_only(const std::vector<std::string>& parts) {
    const Findings findings = check(evidence);
    ASSERT_EQ(findings.size(), 1u) << ::testing::PrintToString(findings);
    for (const std::string& part : parts)
      EXPECT_NE(findings[0].find(part), std::string::npos) << part << " is not in: " << findings[0];
  }
  /// The same of one among others: what is spoiled breaks a rule about reasons too.
  void expect_some(const std::vector<std::string>& parts) {
    const Findings findings = check(evidence);
    const auto has_all = [&](const std::string& finding) {
      return std::all_of(parts.begin(), parts.end(),
                         [&](const std::string& part) { return finding.find(part) != std::string::npos; });
    };
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), has_all)) << ::testing::PrintToString(findings);
  }
  void expect_none() { EXPECT_EQ(check(evidence), Findings{}); }

  Evidence evidence = right_evidence();
};

TEST_F(Checker, FindsNothingWhereNothingIsWrong) { expect_none(); }

// Slots.

TEST_F(Checker, FindsASlotWithoutADisposition) {
  std::erase_if(rows(2), [](const Row& row) { return row.slot == slot(3); });
  expect_only({"tick 2025-03-09T12:00:03Z has no disposition"});
}

TEST_F(Checker, FindsASlotThatIsNotInTheSchedule) {
  change("tick", [](Job& job) { job.schedule = {"0-2,4-59 * * * * *"}; });
  expect_only({"tick 2025-03-09T12:00:03Z is not in the schedule", "missed: no_leader", "ledger of n2"});
}

TEST_F(Checker, FindsASlotOfAJobThatNobodyDefined) {
  rows(1).push_back(row_without_run(3, "n1", 1, Status::missed, Reason::misfire));
  rows(1).back().job = "ghost";
  expect_only({"ghost 2025-03-09T12:00:03Z is of a job that nobody defined"});
}

TEST_F(Checker, FindsASlotThatTwoRunsClaimed) {
  rows(2).push_back(row_of(5, 1, "n2", 2));
  rows(2).back().status = Status::lost;
  rows(2).back().fence = 2;
  evidence.deeds.push_back(killed("n2", slot(5)));
  row(2).fence = 1, report(2).fence = 1;  // fences grow all the same
  row(1).fence = 0, report(1).fence = 0;
  expect_only({"tick 2025-03-09T12:00:01Z was claimed by two runs", run_id(2).text(), run_id(5).text()});
}

TEST_F(Checker, FindsASlotThatRanAndWasMissed) {
  rows(2).push_back(row_without_run(1, "n2", 2, Status::missed, Reason::start_deadline));
  expect_only(
      {"tick 2025-03-09T12:00:01Z was claimed and has another disposition too", run_id(2).text(), "start_deadline"});
}

TEST_F(Checker, FindsLedgersThatSayDifferentThingsOfASlot) {
  rows(2)[0].reason = Reason::overlap;
  expect_some({"tick 2025-03-09T12:00:02Z has two dispositions", "overlap", "paused", "ledger of n1", "ledger of n2"});
}

TEST_F(Checker, FindsASlotThatOneLedgerHasTwice) {
  Row range = row_without_run(3, "n2", 2, Status::missed, Reason::no_leader);
  range.slot = slot(2), range.slot_until = slot(3), range.slots = 2;
  rows(2)[1] = range;
  rows(2).erase(rows(2).begin());
  rows(1).erase(rows(1).begin() + 2);
  expect_none();
  rows(2).push_back(row_without_run(3, "n2", 2, Status::missed, Reason::no_leader));
  expect_only({"tick 2025-03-09T12:00:03Z has two dispositions", "(2 slots)"});
}

TEST_F(Checker, FindsARowThatStandsForAnotherNumberOfSlots) {
  rows(2)[1].slot_until = slot(3);
  rows(2)[1].slots = 7;
  expect_only({"tick 2025-03-09T12:00:03Z stands for 7 slots, the schedule has 1"});
}

TEST_F(Checker, FindsARunThatIsStillOpen) {
  row(3).status = Status::running;
  row(3).exit_code.reset();
  row(3).ended_at.reset();
  expect_only({"tick 2025-03-09T12:00:04Z is still open", "running"});
}

// Launches.

TEST_F(Checker, FindsAnAttemptThatWasStartedTwice) {
  change("tick", [](Job& job) { job.concurrency = Concurrency::allow; });
  Report again = report(2);
  again.pid = 77;
  evidence.reports.push_back(again);
  expect_only({"tick 2025-03-09T12:00:01Z was started twice", "pid 77"});
}

TEST_F(Checker, FindsASlotThatTwoRunsStarted) {
  change("tick", [](Job& job) { job.concurrency = Concurrency::allow; });
  Report other = report(2);
  other.run = run_id(6);
  other.node = "n3";
  evidence.lost_disks = {{"n3", slot(5)}};  // else it also has no row
  evidence.reports.push_back(other);
  expect_only({"tick 2025-03-09T12:00:01Z was started by two runs", run_id(2).text(), run_id(6).text()});
}

TEST_F(Checker, FindsAStartWithoutARow) {
  Report stray = report(4);
  stray.run = run_id(9);
  stray.started = at(slot(5)), stray.ended = stray.gone = at(slot(6));
  stray.fence = 2;
  evidence.reports.push_back(stray);
  expect_only({"tool 2025-03-09T12:00:04.005Z has no row", run_id(9).text()});
}

TEST_F(Checker, FindsAStartThatItsRowDoesNotKnow) {
  for (const auto& spoil : std::vector<std::function<void(Report&)>>{
           [](Report& r) { r.epoch = 7; }, [](Report& r) { r.fence = 7; }, [](Report& r) { r.node = "n2"; }}) {
    evidence = right_evidence();
    change("tick", [](Job& job) { job.concurrency = Concurrency::allow; });
    spoil(report(1));
    expect_only({"tick 2025-03-09T12:00:00Z started as its row does not say", run_id(1).text()});
  }
}

TEST_F(Checker, FindsAStartOfARunThatWasMissed) {
  row(2).status = Status::missed;
  row(2).reason = Reason::stale;
  row(2).exit_code.reset();
  expect_only({"tick 2025-03-09T12:00:01Z was started, though its row says that it never was", "missed: stale"});
}

TEST_F(Checker, FindsAStartAfterTheRowHadEnded) {
  row(2).status = Status::killed;
  row(2).reason = Reason::shutdown;
  row(2).exit_code.reset();
  row(2).leftover = Leftover::escaped;  // else it also outlived its row
  evidence.deeds.push_back({.node = "n1", .words = {"TERM"}, .from = slot(1) + Millis(100)});
  report(2).started = at(*row(2).ended_at + Millis(1));
  report(2).ended = at(*row(2).ended_at + Millis(300));
  expect_only({"tick 2025-03-09T12:00:01Z was started after its row had ended", "killed: shutdown"});
}

/// Each slot from the fifth on is run by n2, so late.
TEST_F(Checker, FindsThatAllStartsAreALittleLate) {
  const auto with_starts = [&](Millis late) {
    evidence = right_evidence();
    for (int i = 0; i < 12; ++i) {
      Row row = row_of(40 + i, 5 + i, "n2", 2);
      row.started_at = row.slot + late;
      row.ended_at = row.slot + late + Millis(50);
      rows(2).push_back(row);
      evidence.reports.push_back(report_of(row));
    }
    evidence.until = slot(16);
    for (const std::string& finding : check(evidence))
      if (finding.find("starts in quiet time were late") != std::string::npos) return finding;
    return std::string();
  };
  EXPECT_EQ(with_starts(Millis(20)), "");
  EXPECT_NE(with_starts(Millis(400)).find("late by 405 ms or more"), std::string::npos);
}

// Attempts.

TEST_F(Checker, FindsAnAttemptOfALostRunThatIsAtMostOnce) {
  row(2).status = Status::lost;
  row(2).exit_code.reset();
  rows(2).push_back(second_attempt(row(2)));
  rows(2).back().status = Status::succeeded, rows(2).back().exit_code = 0;
  evidence.reports.push_back(report_of(rows(2).back()));
  expect_only({"tick 2025-03-09T12:00:01Z was attempted again without a reason", "attempt 2"});
  change("tick", [](Job& job) { job.guarantee = Guarantee::at_least_once; });
  expect_none();
}

TEST_F(Checker, FindsMoreAttemptsThanRetries) {
  row(2).status = Status::failed;
  row(2).reason = Reason::exit_code;
  row(2).exit_code = 1;
  report(2).how = "exit 1";
  Row again = second_attempt(row(2));
  again.exit_code = 0, again.status = Status::succeeded, again.reason = Reason::none;
  rows(2).push_back(again);
  evidence.reports.push_back(report_of(again));
  change("tick", [](Job& job) { job.retries = 1; });
  expect_none();
  change("tick", [](Job& job) { job.retries = 0; });
  expect_only({"tick 2025-03-09T12:00:01Z was attempted again without a reason", "attempt 2"});
}

TEST_F(Checker, FindsMoreAttemptsOfARunThatIsAtLeastOnceThanRetriesAndLosses) {
  row(2).status = Status::failed;
  row(2).reason = Reason::exit_code;
  row(2).exit_code = 1;
  report(2).how = "exit 1";
  Row again = second_attempt(row(2));
  again.exit_code = 0, again.status = Status::succeeded, again.reason = Reason::none;
  rows(2).push_back(again);
  evidence.reports.push_back(report_of(again));
  change("tick", [](Job& job) { job.guarantee = Guarantee::at_least_once, job.retries = 1; });
  expect_none();
  change("tick", [](Job& job) { job.retries = 0; });
  expect_only({"tick 2025-03-09T12:00:01Z was attempted again without a reason", "attempt 2"});
}

TEST_F(Checker, FindsAnAttemptWithoutTheOneBefore) {
  row(2).attempt = report(2).attempt = 2;
  expect_only({"tick 2025-03-09T12:00:01Z has an attempt without the one before", "attempt 2"});
}

// Ends and lives.

TEST_F(Checker, FindsARunThatEndedWithoutAStart) {
  std::erase_if(evidence.reports, [](const Report& report) { return report.run == run_id(2); });
  expect_only({"tick 2025-03-09T12:00:01Z ended without a START", "succeeded"});
  evidence.jobs[0].probed = false;
  expect_none();
}

TEST_F(Checker, FindsARunThatSucceededWithoutAnEnd) {
  report(2).ended.reset();
  expect_only({"tick 2025-03-09T12:00:01Z ended without an END", "gone at"});
}

TEST_F(Checker, FindsAnotherExitCodeThanTheProcessHad) {
  row(2).status = Status::failed;
  row(2).reason = Reason::exit_code;
  row(2).exit_code = 3;
  expect_only({"tick 2025-03-09T12:00:01Z ended otherwise than its row says", "exit_code 3", "exit 0"});
}

TEST_F(Checker, FindsALostRunThatIsAtLeastOnceAndNotRepeated) {
  change("tick", [](Job& job) { job.guarantee = Guarantee::at_least_once; });
  row(2).status = Status::lost;
  row(2).reason = Reason::node_died;
  row(2).exit_code.reset();
  report(2).ended.reset();
  expect_only({"tick 2025-03-09T12:00:01Z was lost, and is not repeated", "lost: node_died"});
  change("tick", [](Job& job) { job.guarantee = Guarantee::at_most_once; });
  expect_none();
}

TEST_F(Checker, FindsRunsSideBySideOverAllNodes) {
  report(2).started = at(slot(4) + Millis(1));
  report(2).ended = at(slot(4) + Millis(30));
  row(2).ended_at = slot(4) + Millis(30);
  expect_only({"tick 2025-03-09T12:00:01Z ran beside another run", " on n1", " on n2"});
  change("tick", [](Job& job) { job.on_leadership_lost = OnLeadershipLost::finish; });
  expect_none();
}

TEST_F(Checker, AKilledRunEndsWhenTheOracleSawItGone) {
  row(2).status = Status::killed;
  row(2).reason = Reason::leadership_lost;
  row(2).exit_code.reset();
  row(2).leftover = Leftover::escaped;
  report(2).ended.reset();
  expect_none();
  report(2).gone = at(slot(5));
  expect_only({"tick 2025-03-09T12:00:01Z ran beside another run"});
}

TEST_F(Checker, FindsAProcessThatOutlivesItsRow) {
  report(2).ended = at(*row(2).ended_at + Millis(1));
  expect_only({"tick 2025-03-09T12:00:01Z outlived its row"});
  row(2).leftover = Leftover::escaped;
  expect_none();
}

TEST_F(Checker, FindsAProcessThatLivesWhenItIsSettledAsLost) {
  row(3).status = Status::lost;
  row(3).reason = Reason::node_died;
  row(3).exit_code.reset();
  row(3).node = report(3).node = "n1";
  row(3).epoch = report(3).epoch = 1;
  expect_none();
  report(3).ended.reset(), report(3).gone.reset();
  expect_only({"tick 2025-03-09T12:00:04Z outlived its row", "lost: node_died"});
  change("tick", [](Job& job) { job.on_leadership_lost = OnLeadershipLost::finish; });
  expect_none();
}

// Fences, terms, the rest.

TEST_F(Checker, FindsAFenceThatTwoClaimsShare) {
  row(2).fence = report(2).fence = 1;
  expect_only({"tick 2025-03-09T12:00:01Z has a fence that did not grow", run_id(1).text(), run_id(2).text()});
}

TEST_F(Checker, FindsAFenceThatShrinksFromSlotToSlot) {
  change("tick", [](Job& job) { job.concurrency = Concurrency::allow; });
  row(1).fence = report(1).fence = 2;
  row(2).fence = report(2).fence = 1;
  expect_only({"tick 2025-03-09T12:00:01Z has a fence that did not grow", "fence 2", "fence 1"});
}

TEST_F(Checker, FindsAFenceThatShrinksFromTermToTerm) {
  change("tick", [](Job& job) { job.concurrency = Concurrency::allow, job.retries = 1; });
  row(2).status = Status::failed;
  row(2).reason = Reason::exit_code;
  row(2).exit_code = 0;
  Row again = second_attempt(row(2));  // under term 2, with a fence of term 1
  again.fence = 2;
  row(2).fence = report(2).fence = 4;
  row(3).fence = report(3).fence = 5;
  rows(2).push_back(again);
  evidence.reports.push_back(report_of(again));
  expect_only({"tick 2025-03-09T12:00:01Z has a fence that did not grow", "epoch 1 fence 4", "epoch 2 fence 2"});
}

TEST_F(Checker, TakesAFenceOfAnEpochCountedAnewForLaterOnceTheStoreHasGoneBack) {
  change("tick", [](Job& job) { job.concurrency = Concurrency::allow; });
  row(1).epoch = report(1).epoch = row(2).epoch = report(2).epoch = 9;
  expect_some({"has a fence that did not grow", "epoch 9"});
  evidence.deeds.push_back(
      {.node = "n1", .words = {"halt", "default"}, .from = slot(2) + Millis(900), .until = slot(2) + Millis(900)});
  for (const auto& finding : check(evidence)) EXPECT_EQ(finding.find("fence"), std::string::npos) << finding;
}

TEST_F(Checker, FindsAStartAfterThatOfALaterClaim) {
  report(2).started = at(slot(4) + Millis(500));
  report(2).ended = report(2).gone = at(slot(4) + Millis(600));
  row(2).ended_at = slot(4) + Millis(600);
  expect_only({"tick 2025-03-09T12:00:01Z was started after a later claim", run_id(3).text(), run_id(2).text()});
}

TEST_F(Checker, FindsTermsThatShareAnEpoch) {
  evidence.ledgers[1].terms.push_back(term("n2", 1, slot(0)));
  expect_only({"epoch 1 of group default is shared by n1 n2"});
}

TEST_F(Checker, TakesAnEpochForAnotherOnceTheStoreHasGoneBack) {
  evidence.ledgers[1].terms.push_back(term("n2", 1, slot(6)));
  evidence.deeds.push_back({.node = "n1", .words = {"halt", "default"}, .from = slot(5), .until = slot(5)});
  expect_none();
  evidence.ledgers[1].terms.push_back(term("n3", 1, slot(7)));
  expect_only({"epoch 1 of group default is shared by n2 n3"});
}

TEST_F(Checker, FindsATriggerThatWasAcknowledgedAndForgotten) {
  evidence.triggered.push_back(run_id(8));
  expect_only({"run " + run_id(8).text() + " was acknowledged and has no row"});
}

TEST_F(Checker, ReportsDamagedDatabases) {
  evidence.ledgers[1].damage = {"history.db: row 5 missing from index"};
  expect_only({"the ledger of n2 is damaged: history.db: row 5 missing"});
  evidence = right_evidence();
  evidence.damage = {"registers.db: malformed"};
  expect_only({"a database is damaged: registers.db: malformed"});
}

// What is excused.

TEST_F(Checker, ExcusesWhatALostDiskHeld) {
  rows(1).clear();
  rows(2).erase(rows(2).begin());
  EXPECT_EQ(check(evidence).size(), 5u) << "three slots and two STARTs that nobody knows of";
  evidence.lost_disks = {{"n1", slot(2)}};
  expect_none();
  evidence.lost_disks = {{"n1", slot(1) + Millis(900)}};
  expect_only({"tick 2025-03-09T12:00:02Z has no disposition"});
}

TEST_F(Checker, TakesAnUnclaimedRunForAnAttemptOfTheOneThatClaimedTheSlot) {
  change("tick", [](Job& job) { job.guarantee = Guarantee::at_least_once; });
  Row early = row_of(7, 4, "n1", 1);
  early.fence = 0;
  early.started_at = slot(4) - Millis(600), early.ended_at = slot(4) - Millis(290);
  rows(1).push_back(early);
  evidence.reports.push_back(report_of(early));
  expect_none();
}

TEST_F(Checker, AsksForEachVersionOfAJobInItsOwnTime) {
  std::erase_if(rows(2), [](const Row& row) { return row.slot == slot(3); });
  evidence.jobs[0].until = slot(2);
  expect_none();
  evidence.jobs.push_back({.definition = define("tick", {"3 * * * * *"}), .from = slot(3)});
  expect_only({"tick 2025-03-09T12:00:03Z has no disposition"});
}

}  // namespace
}  // namespace ballot::testing
