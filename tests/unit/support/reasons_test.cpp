// The checker judges why a slot did not run and why a run ended: a right reason passes, a wrong one is found.
#include <gtest/gtest.h>

#include "right_evidence.hpp"

namespace ballot::testing {
namespace {

constexpr int last_slot = 30;

/// n1 leads for half a minute, and runs `tick` each second for 300 ms; nothing is done to it.
class Reasons : public ::testing::Test {
 protected:
  Reasons() {
    evidence.jobs = {{.definition = define("tick", {"* * * * * *"})}};
    evidence.from = slot(0), evidence.until = slot(last_slot), evidence.asked = slot(last_slot + 2);
    evidence.ledgers = {{.node = "n1", .rows = {}, .terms = {term("n1", 1, slot(-20))}}};
    for (int i = 0; i <= last_slot; ++i) {
      rows().push_back(row_of(i + 1, i, "n1", 1));
      evidence.reports.push_back(report_of(rows().back()));
    }
  }

  std::vector<Row>& rows(std::size_t node = 0) { return evidence.ledgers.at(node).rows; }
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
  void change(const std::function<void(Job&)>& how) {
    Job job = evidence.jobs[0].definition->job;
    how(job);
    evidence.jobs[0].definition = define(job);
  }

  /// These slots did not run: each is this instead.
  void instead(int first, int last, Status status, Reason reason, std::size_t node = 0, std::uint64_t epoch = 1) {
    for (int i = first; i <= last; ++i) {
      for (NodeLedger& ledger : evidence.ledgers)
        std::erase_if(ledger.rows, [&](const Row& row) { return row.slot == slot(i); });
      std::erase_if(evidence.reports, [&](const Report& report) { return report.slot == slot(i); });
      rows(node).push_back(row_without_run(i, evidence.ledgers[node].node, epoch, status, reason));
    }
  }
  void skipped(int first, int last, Reason reason) { instead(first, last, Status::skipped, reason); }
  void missed(int first, int last, Reason reason) { instead(first, last, Status::missed, reason); }
  /// That run takes until then.
  void lasts(int number, WallTime until) {
    row(number).ended_at = until;
    report(number).ended = report(number).gone = at(until - Millis(5));
  }
  void ends(int number, Status status, Reason reason) {
    row(number).status = status, row(number).reason = reason;
    row(number).exit_code.reset();
  }
  void done(const std::string& node, std::vector<std::string> words, WallTime from, WallTime until) {
    evidence.deeds.push_back({.node = node, .words = std::move(words), .from = from, .until = until});
  }
  void done(const std::string& node, std::vector<std::string> words, WallTime when) {
    done(node, std::move(words), when, when);
  }
  /// n1 is killed, and n2 leads later; what n1 had not run by then, n2 runs, or has another row.
  void fails_over(WallTime killed_at, WallTime elected_at) {
    evidence.deeds.push_back(killed("n1", killed_at));
    evidence.ledgers.push_back({.node = "n2", .rows = {}, .terms = {term("n2", 2, elected_at)}});
    for (const Row& before : std::vector<Row>(rows())) {
      if (before.slot <= killed_at) continue;
      std::erase_if(rows(), [&](const Row& row) { return row.slot == before.slot; });
      Row row = before;
      row.node = "n2", row.epoch = 2;
      rows(1).push_back(row);
      for (Report& report : evidence.reports)
        if (report.run == *row.run) report.node = "n2", report.epoch = 2;
    }
  }

  void expect_only(std::size_t count, const std::vector<std::string>& parts) {
    const Findings findings = check(evidence);
    ASSERT_EQ(findings.size(), count) << ::testing::PrintToString(findings);
    for (const std::string& part : parts)
      EXPECT_NE(findings[0].find(part), std::string::npos) << part << " is not in: " << findings[0];
  }
  void expect_none() { EXPECT_EQ(check(evidence), Findings{}); }

  Evidence evidence;
};

TEST_F(Reasons, AreNotAskedForWhereEverySlotRan) { expect_none(); }

// Overlap.

TEST_F(Reasons, OverlapStandsBesideARunThatGoesOn) {
  skipped(6, 7, Reason::overlap);
  expect_only(2, {"tick 2025-03-09T12:00:06Z is skipped, and no run of the job goes on then"});
  lasts(6, slot(7) + Millis(900));  // of slot 5
  expect_none();
  skipped(8, 8, Reason::overlap);
  expect_none();  // what was on its way when the slot was due
  skipped(9, 9, Reason::overlap);
  expect_only(1, {"12:00:09Z is skipped, and no run of the job goes on then"});
}

TEST_F(Reasons, OverlapStandsBesideARunWhoseEndAFrozenLeaderLearnsLate) {
  skipped(6, 6, Reason::overlap);
  expect_only(1, {"12:00:06Z is skipped, and no run of the job goes on then"});
  done("n1", {"STOP"}, slot(5) + Millis(100));
  done("n1", {"CONT"}, slot(6) + Millis(500));
  expect_none();
}

TEST_F(Reasons, OverlapIsOfARunByHandToo) {
  skipped(6, 6, Reason::overlap);
  Row by_hand = row_of(90, 5, "n1", 1);
  by_hand.trigger = Trigger::manual;
  by_hand.fence = 7;  // of the slot that was skipped
  by_hand.slot += Millis(450);
  by_hand.started_at = by_hand.slot, by_hand.ended_at = slot(6) + Millis(200);
  rows().push_back(by_hand);
  evidence.reports.push_back(report_of(by_hand));
  expect_none();
  std::erase_if(rows(), [](const Row& row) { return row.run == run_id(90); });
  std::erase_if(evidence.reports, [](const Report& report) { return report.run == run_id(90); });
  expect_only(1, {"12:00:06Z is skipped, and no run of the job goes on then"});
}

TEST_F(Reasons, OverlapIsOfASlotThatWaitedAndRunsNow) {
  skipped(7, 7, Reason::overlap);
  row(7).started_at = slot(9), row(7).ended_at = slot(9) + Millis(300);  // of slot 6
  report(7).started = at(slot(9)), report(7).ended = report(7).gone = at(slot(9) + Millis(290));
  skipped(8, 9, Reason::overlap);
  expect_none();
}

TEST_F(Reasons, OverlapIsNotOfAJobThatQueuesOrAllows) {
  lasts(6, slot(7));
  skipped(6, 6, Reason::overlap);
  for (const Concurrency concurrency : {Concurrency::queue, Concurrency::allow}) {
    change([&](Job& job) { job.concurrency = concurrency; });
    expect_only(1, {"12:00:06Z is skipped, and its job does not skip what overlaps"});
  }
}

TEST_F(Reasons, QueueFullIsOfAJobThatQueues) {
  skipped(6, 6, Reason::queue_full);
  expect_only(1, {"12:00:06Z is skipped, and its job has no queue"});
  change([](Job& job) { job.concurrency = Concurrency::queue; });
  expect_none();
}

// Pauses and halts.

TEST_F(Reasons, PausedStandsWithinAPause) {
  skipped(10, 14, Reason::paused);
  expect_only(5, {"12:00:10Z is skipped, and nobody had paused it"});
  done("n1", {"pause", "tick"}, slot(9) + Millis(400), slot(9) + Millis(450));
  done("n1", {"resume", "tick"}, slot(14) + Millis(400), slot(14) + Millis(500));
  expect_none();
  skipped(20, 20, Reason::paused);
  expect_only(1, {"12:00:20Z is skipped, and nobody had paused it"});
}

TEST_F(Reasons, PausedIsWrongOfASlotBeforeThePause) {
  skipped(5, 5, Reason::paused);
  done("n1", {"pause", "--group", "default"}, slot(20), slot(20));
  done("n1", {"resume", "--group", "default"}, slot(20) + Millis(10), slot(20) + Millis(20));
  expect_only(1, {"12:00:05Z is skipped, and it was due before the pause"});
  done("n1", {"pause", "other"}, slot(5), slot(5));
  done("n1", {"pause", "--group", "other"}, slot(5), slot(5));
  expect_only(1, {"12:00:05Z is skipped, and it was due before the pause"});
}

TEST_F(Reasons, ASlotWithinAPauseIsNoMisfire) {
  done("n1", {"pause", "tick"}, slot(9) + Millis(100), slot(9) + Millis(200));
  done("n1", {"resume", "tick"}, slot(14) + Millis(900), slot(14) + Millis(950));
  skipped(10, 14, Reason::paused);
  expect_none();
  for (const Reason reason : {Reason::misfire, Reason::no_leader, Reason::unclaimed, Reason::start_deadline}) {
    missed(10, 14, reason);
    expect_only(5, {"12:00:10Z is missed, and it was due within a pause"});
    skipped(11, 14, Reason::paused);
    expect_only(1, {"12:00:10Z is missed, and it was due within a pause"});
  }
}

TEST_F(Reasons, NothingIsStartedWithinAPause) {
  done("n1", {"pause", "tick"}, slot(9) + Millis(100), slot(9) + Millis(200));
  done("n1", {"resume", "tick"}, slot(10) + Millis(800), slot(10) + Millis(900));
  expect_only(1, {"12:00:10Z was started within a pause"});
  row(11).trigger = report(11).trigger = Trigger::manual;
  rows().push_back(row_without_run(10, "n1", 1, Status::skipped, Reason::paused));
  row(11).slot = report(11).slot = slot(10) + Millis(5);
  expect_none();
}

TEST_F(Reasons, HaltedStandsWhereAHaltWas) {
  missed(10, 12, Reason::halted);
  expect_only(3, {"12:00:10Z is missed, and nothing was halted"});
  done("", {"halt", "default"}, slot(10));
  done("n1", {"repair", "--group", "default"}, slot(12) + Millis(400), slot(12) + Millis(500));
  expect_none();
  missed(20, 20, Reason::halted);
  expect_only(1, {"12:00:20Z is missed, and nothing was halted"});
}

TEST_F(Reasons, NoDefinitionIsOfAJobThatWasEdited) {
  missed(10, 10, Reason::no_definition);
  expect_only(1, {"12:00:10Z is missed, and it is defined"});
  done("n1", {"edit", "tick"}, slot(10) + Millis(300));
  expect_none();
}

TEST_F(Reasons, ReasonsThatNothingGivesAreFound) {
  skipped(10, 10, Reason::dry_run);
  missed(11, 11, Reason::dst_gap);
  missed(12, 12, Reason::stale);
  missed(13, 13, Reason::start_deadline);
  expect_only(4, {"12:00:10Z is skipped, and its node runs its jobs"});
  evidence.asked = slot(13) + std::chrono::minutes(5);
  expect_only(3, {});
}

// Misfires, and slots that nobody led.

TEST_F(Reasons, NoLeaderStandsWhereNoTermIs) {
  fails_over(slot(10) + Millis(500), slot(13) + Millis(200));
  instead(11, 12, Status::missed, Reason::no_leader, 1, 2);
  expect_none();
  instead(7, 7, Status::missed, Reason::no_leader, 1, 2);
  expect_only(1, {"12:00:07Z is missed, and the term of n1 covered it"});
}

TEST_F(Reasons, NoLeaderMayBeSaidOfATermBeforeTheLastOne) {
  fails_over(slot(10) + Millis(500), slot(13) + Millis(200));
  instead(7, 7, Status::missed, Reason::no_leader, 1, 2);
  expect_only(1, {"12:00:07Z is missed, and the term of n1 covered it"});
  rows(1).back().epoch = 3;
  evidence.ledgers[1].terms.push_back(term("n2", 3, slot(40)));
  expect_none();
}

TEST_F(Reasons, NoLeaderIsWrongInTheNextTerm) {
  fails_over(slot(10) + Millis(500), slot(13) + Millis(200));
  instead(16, 16, Status::missed, Reason::no_leader, 1, 2);
  expect_only(1, {"12:00:16Z is missed, and the term of n2 covered it"});
}

TEST_F(Reasons, NoLeaderIsToldFromTheEndOfATermThatEndedWell) {
  fails_over(slot(10) + Millis(500), slot(13) + Millis(200));
  evidence.deeds.clear();
  instead(11, 12, Status::missed, Reason::no_leader, 1, 2);
  expect_only(1, {"12:00:11Z is missed, and the term of n1 covered it"});
  evidence.ledgers[0].terms[0].ended_at = slot(10) + Millis(600);
  expect_none();
}

TEST_F(Reasons, AMisfireIsWrongWhereATermCouldDecide) {
  missed(10, 12, Reason::misfire);
  expect_only(3, {"12:00:10Z is missed, and the term of n1 could decide it in time"});
  evidence.stalls = {{slot(10) + Millis(300), slot(12) + Millis(100)}};
  expect_none();  // the machine stood still
  missed(13, 13, Reason::misfire);
  expect_only(1, {"12:00:13Z is missed, and the term of n1 could decide it in time"});
  evidence.stalls = {{slot(10) + Millis(300), slot(13) + Millis(100)}};
  expect_only(4, {"12:00:10Z is missed, and the term of n1 could decide it in time"});
  done("", {"fault"}, slot(10) - Millis(200));
  done("", {"healed"}, slot(13) + Millis(200));
  expect_none();
}

TEST_F(Reasons, AMisfireIsWrongWhereAnotherJobOfThatInstantRan) {
  missed(10, 10, Reason::misfire);
  evidence.stalls = {{slot(10), slot(11)}};
  expect_none();
  Row other = row_of(80, 10, "n1", 1);
  other.job = "other";
  evidence.jobs.push_back({.definition = define("other", {"10 0 12 * * *"})});
  rows().push_back(other);
  evidence.reports.push_back(report_of(other));
  expect_only(1, {"12:00:10Z is missed, and the term of n1 could decide it in time"});
}

TEST_F(Reasons, AllMisfiresAreRunWhereThePolicySaysSo) {
  fails_over(slot(10) + Millis(500), slot(13) + Millis(200));
  instead(11, 11, Status::missed, Reason::no_leader, 1, 2);
  change([](Job& job) { job.misfire = Misfire::all; });
  expect_only(1, {"12:00:11Z is missed, and the policy is to run all of them"});
  instead(11, 11, Status::missed, Reason::misfire, 1, 2);
  expect_only(1, {"12:00:11Z is missed, and the policy is to run all of them"});
  change([](Job& job) { job.start_deadline = Millis(5000); });
  expect_none();
}

TEST_F(Reasons, AMisfireWaitsForARunOfATermBefore) {
  fails_over(slot(10) + Millis(500), slot(11) + Millis(200));
  instead(11, 20, Status::missed, Reason::misfire, 1, 2);
  ends(11, Status::killed, Reason::leadership_lost);
  expect_only(5, {"12:00:16Z is missed, and the term of n2 could decide it in time"});
  lasts(11, slot(20) + Millis(400));
  expect_none();
}

TEST_F(Reasons, UnclaimedIsOfAFault) {
  missed(10, 13, Reason::unclaimed);
  done("n1", {"TERM"}, evidence.asked);  // how a test ends
  expect_only(4, {"12:00:10Z is missed, and nothing was in the way of its claim"});
  done("n1", {"fault"}, slot(10) + Millis(200));
  done("n1", {"healed"}, slot(13) + Millis(200));
  expect_none();
}

// Runs.

TEST_F(Reasons, LostIsOfANodeThatWasNotWell) {
  ends(11, Status::lost, Reason::node_died);
  expect_only(1, {"12:00:10Z is lost, and its node was well"});
  done("n1", {"KILL"}, slot(10) + Millis(100));
  done("n1", {"start"}, slot(10) + Millis(200));
  expect_none();
  evidence.deeds[0].node = evidence.deeds[1].node = "n2";
  expect_only(1, {"12:00:10Z is lost, and its node was well"});
  evidence.deeds[0] = {.node = "n1", .words = {"KILL"}, .from = slot(5), .until = slot(5)};
  evidence.deeds[1] = {.node = "n1", .words = {"start"}, .from = slot(6), .until = slot(6)};
  expect_only(1, {"12:00:10Z is lost, and its node was well"});
}

TEST_F(Reasons, ForgottenIsWhatSomebodySaidToForget) {
  ends(11, Status::lost, Reason::forgotten);
  expect_only(1, {"12:00:10Z is lost, and nobody said to forget it"});
  done("n1", {"forget", run_id(12).text()}, slot(12));
  expect_only(1, {"12:00:10Z is lost, and nobody said to forget it"});
  done("n1", {"forget", run_id(11).text()}, slot(12));
  expect_none();
}

TEST_F(Reasons, ALostRunThatIsAtLeastOnceIsRepeatedOrAtItsLimit) {
  change([](Job& job) { job.guarantee = Guarantee::at_least_once; });
  done("n1", {"KILL"}, slot(10) + Millis(100));
  done("n1", {"start"}, slot(10) + Millis(200));
  ends(11, Status::lost, Reason::node_died);
  expect_only(1, {"12:00:10Z was lost, and is not repeated"});
  Row again = row(11);
  again.attempt = 2, again.fence = 50;
  again.started_at = slot(last_slot) + Millis(400), again.ended_at = slot(last_slot) + Millis(700);
  again.status = Status::failed, again.reason = Reason::lost_limit;
  rows().push_back(again);
  expect_none();
  change([](Job& job) { job.details.edit().lost_limit = 3; });
  expect_only(1, {"12:00:10Z is failed, and it was not lost so often"});
  rows().back().status = Status::succeeded, rows().back().reason = Reason::none;
  rows().back().exit_code = 0;
  evidence.reports.push_back(report_of(rows().back()));
  expect_none();
}

TEST_F(Reasons, KilledIsWhatSomebodyKilled) {
  ends(11, Status::killed, Reason::operator_);
  expect_only(1, {"12:00:10Z is killed, and nobody asked to kill it"});
  done("n1", {"kill", run_id(11).text().substr(28)}, slot(10));
  expect_none();
  ends(11, Status::killed, Reason::replaced);
  expect_only(1, {"12:00:10Z is killed, and its job replaces nothing"});
  change([](Job& job) { job.concurrency = Concurrency::replace; });
  expect_none();
  ends(11, Status::killed, Reason::shutdown);
  expect_only(1, {"12:00:10Z is killed, and nobody asked its node to stop"});
  done("n1", {"TERM"}, slot(10) + Millis(100));
  expect_none();
}

TEST_F(Reasons, KilledWithItsTermIsOfATermThatEnded) {
  ends(11, Status::killed, Reason::leadership_lost);
  expect_only(1, {"12:00:10Z is killed, and its term was not over"});
  done("", {"fault"}, slot(9));
  expect_none();
}

TEST_F(Reasons, StaleIsOfAStartThatWasHeldUp) {
  ends(11, Status::missed, Reason::stale);
  row(11).started_at.reset();
  std::erase_if(evidence.reports, [](const Report& report) { return report.run == run_id(11); });
  expect_only(1, {"12:00:10Z is missed, and nothing delayed its start"});
  done("n1", {"STOP"}, slot(10));
  expect_none();
}

// A fleet that does nothing.

TEST_F(Reasons, AFleetThatSkipsEverythingIsFoundWhateverReasonsItGives) {
  for (const auto& [status, reason] : std::vector<std::pair<Status, Reason>>{{Status::skipped, Reason::overlap},
                                                                             {Status::skipped, Reason::paused},
                                                                             {Status::missed, Reason::misfire},
                                                                             {Status::missed, Reason::no_leader},
                                                                             {Status::missed, Reason::no_definition}}) {
    instead(0, last_slot, status, reason);
    const Findings findings = check(evidence);
    EXPECT_EQ(findings.size(), last_slot + 2u) << to_string(reason);
    EXPECT_NE(findings[0].find("and 30 others were not launched, and nothing was in their way"), std::string::npos)
        << findings[0];
  }
}

TEST_F(Reasons, AJobThatIsNeverLaunchedIsFoundBesideOneThatIs) {
  evidence.jobs.push_back({.definition = define("idle", {"*/5 * * * * *"})});
  for (int i = 0; i <= last_slot; i += 5) {
    rows().push_back(row_without_run(i, "n1", 1, Status::missed, Reason::start_deadline));
    rows().back().job = "idle";
  }
  evidence.asked = WallTime::max();  // what was read an hour later
  expect_only(1, {"idle 2025-03-09T12:00:00Z and 6 others were not launched, and nothing was in their way"});
  done("n2", {"KILL"}, slot(-60));
  expect_only(1, {"idle 2025-03-09T12:00:00Z and 6 others were not launched, and nothing was in their way"});
  done("n1", {"fault"}, slot(0));
  expect_none();
}

}  // namespace
}  // namespace ballot::testing
