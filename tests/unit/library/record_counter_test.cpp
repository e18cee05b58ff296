// What is counted of rows and terms: each slot, attempt and election once over all nodes.
#include "library/metrics/record_counter.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

struct Counted : ::testing::Test {
  web::Metrics metrics{"1"};
  RecordCounter counter{"host-1", metrics};
  int runs = 0;

  Row row(Status status, Reason reason, Trigger trigger = Trigger::schedule) {
    Row row;
    row.job = "backup";
    row.group = "nightly";
    row.node = "host-1";
    row.status = status;
    row.reason = reason;
    row.trigger = trigger;
    return row;
  }
  Row run(Status status, Reason reason = Reason::none, Trigger trigger = Trigger::schedule, int attempt = 1) {
    Row of = row(status, reason, trigger);
    of.run = Random(static_cast<std::uint64_t>(++runs)).run_id(WallTime(1s));
    of.attempt = attempt;
    return of;
  }
  /// The samples of that family that are not 0, without the group.
  std::string counts(const std::string& family) {
    const std::string all = metrics.exposition().next(), wanted = family + "{group=\"nightly\",";
    std::string text;
    for (std::size_t at = all.find(wanted); at != std::string::npos; at = all.find(wanted, at + 1)) {
      const std::size_t from = at + wanted.size();
      text += (text.empty() ? "" : "; ") + all.substr(from, all.find('\n', from) - from);
    }
    return text;
  }
};

TEST_F(Counted, AreSlotsWithoutARunByHowManyTheyAre) {
  Row missed = row(Status::missed, Reason::no_leader);
  missed.slots = 7;
  counter.on_row({missed});
  EXPECT_EQ(counts("ballot_slots_total"), R"(status="missed",reason="no_leader"} 7)");
  EXPECT_EQ(counts("ballot_attempts_total"), "");
}

TEST_F(Counted, IsWhatJobsWereExpectedToKeepAndDidNotByTheKeyThatSaysSo) {
  core::Notify notice;
  notice.row = row(Status::running, Reason::none);
  for (const auto event : {core::Notify::Event::late, core::Notify::Event::slow, core::Notify::Event::slow,
                           core::Notify::Event::overdue, core::Notify::Event::missed, core::Notify::Event::ended}) {
    notice.event = event;
    counter.on_notify(notice);
  }
  EXPECT_EQ(counts("ballot_unmet_expectations_total"),
            R"(expectation="expect_success"} 1; expectation="expect_within"} 2; expectation="late_after"} 1)");
}

TEST_F(Counted, IsOfASlotHowItsFirstAttemptEndedAndOfItsAttemptsEachOne) {
  Row first = run(Status::failed, Reason::exit_code);
  Row second = first;
  second.attempt = 2;
  second.status = Status::succeeded;
  second.reason = Reason::none;
  counter.on_row({first});
  counter.on_row({second});
  EXPECT_EQ(counts("ballot_slots_total"), R"(status="failed",reason="exit_code"} 1)");
  EXPECT_EQ(counts("ballot_attempts_total"),
            R"(status="failed",reason="exit_code"} 1; status="succeeded",reason=""} 1)");
}

TEST_F(Counted, IsARunByHandAsAnAttemptAndNotAsASlot) {
  counter.on_row({run(Status::succeeded, Reason::none, Trigger::manual)});
  counter.on_row({row(Status::skipped, Reason::overlap, Trigger::manual)});
  EXPECT_EQ(counts("ballot_slots_total"), "");
  EXPECT_EQ(counts("ballot_attempts_total"), R"(status="succeeded",reason=""} 1)");
}

TEST_F(Counted, IsAnEndOnceThoughItIsRecordedTwiceAndNothingBeforeTheEnd) {
  Row of = run(Status::claimed);
  counter.on_row({of});
  of.status = Status::running;
  counter.on_row({of});
  of.status = Status::succeeded;
  of.duration = 2s;
  counter.on_row({of});
  of.fence = 5;
  counter.on_row({of});
  EXPECT_EQ(counts("ballot_attempts_total"), R"(status="succeeded",reason=""} 1)");
  EXPECT_NE(metrics.exposition().next().find("ballot_run_duration_seconds_sum{group=\"nightly\"} 2\n"),
            std::string::npos);
}

TEST_F(Counted, IsARunOfAnotherNodeThereButWhereThatIsGone) {
  Row elsewhere = run(Status::succeeded);
  elsewhere.node = "host-2";
  counter.on_row({elsewhere});
  EXPECT_EQ(counts("ballot_attempts_total"), "");
  Row lost = run(Status::lost, Reason::node_died);
  lost.node = "host-2";
  counter.on_row({lost});
  EXPECT_EQ(counts("ballot_attempts_total"), R"(status="lost",reason="node_died"} 1)");
}

TEST_F(Counted, IsNotWhatATermBeforeHasRecorded) {
  counter.on_row({.row = row(Status::missed, Reason::misfire), .if_absent = true});
  EXPECT_EQ(counts("ballot_slots_total"), "");
}

TEST_F(Counted, AreDelaysOfClaimsAndStarts) {
  counter.on_row({.row = run(Status::claimed), .claim_took = 30ms});
  counter.on_row({.row = run(Status::running), .start_lateness = 1s});
  const std::string all = metrics.exposition().next();
  EXPECT_NE(all.find("ballot_claim_duration_seconds_sum{group=\"nightly\"} 0.030\n"), std::string::npos);
  EXPECT_NE(all.find("ballot_start_lateness_seconds_sum{group=\"nightly\"} 1\n"), std::string::npos);
}

TEST_F(Counted, AreElectionsByWhyTheTermBeforeHasEnded) {
  const TermRow term{"nightly", "host-1", 3, WallTime(1s), {}, Cause::none};
  counter.on_term({term, Cause::expired});
  counter.on_term({term, Cause::none});
  counter.on_term({term, {}});
  EXPECT_EQ(counts("ballot_elections_total"), R"(cause="expired"} 1; cause="none"} 1)");
}

}  // namespace
}  // namespace ballot::library
