#include "library/why/why_text.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "app/history/headline.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using library::attempts_text;
using library::before_text;
using library::circumstances;
using library::evidence_text;
using library::rule_of;
using testing::run_row;
using testing::slot;
using testing::slot_row;

/// Each status with each of its reasons, as 1-semantics lists them.
const std::vector<std::pair<Status, std::vector<Reason>>> pairs{
    {Status::queued, {Reason::none}},
    {Status::claimed, {Reason::none}},
    {Status::running, {Reason::none}},
    {Status::succeeded, {Reason::none}},
    {Status::failed,
     {Reason::exit_code, Reason::signal, Reason::cannot_start, Reason::oom, Reason::lost_limit, Reason::exception,
      Reason::temporary, Reason::permanent}},
    {Status::timed_out, {Reason::deadline}},
    {Status::killed, {Reason::operator_, Reason::replaced, Reason::leadership_lost, Reason::shutdown}},
    {Status::lost, {Reason::node_died, Reason::runner_died, Reason::forgotten, Reason::evidence_lost}},
    {Status::skipped,
     {Reason::overlap, Reason::queue_full, Reason::paused, Reason::dry_run, Reason::upstream, Reason::calendar}},
    {Status::missed,
     {Reason::misfire, Reason::start_deadline, Reason::unclaimed, Reason::stale, Reason::dst_gap, Reason::no_leader,
      Reason::no_definition, Reason::halted}}};

TEST(WhyText, HasARuleOfItsOwnForEveryReason) {
  std::set<std::string_view> rules;
  std::size_t count = 0;
  for (const auto& [status, reasons] : pairs) {
    for (const Reason reason : reasons) {
      const std::string_view rule = rule_of(status, reason);
      EXPECT_GT(rule.size(), 30u) << to_string(reason);
      EXPECT_EQ(rule.back(), '.') << rule;
      rules.insert(rule);
      ++count;
    }
  }
  EXPECT_EQ(rules.size(), count) << "two reasons share a rule";
  EXPECT_EQ(count, 4 + static_cast<std::size_t>(last_reason));
}

TEST(WhyText, RulesStandByTheirReasons) {
  EXPECT_TRUE(rule_of(Status::skipped, Reason::overlap).find("concurrency = \"skip\"") != std::string_view::npos);
  EXPECT_TRUE(rule_of(Status::missed, Reason::halted).find("ballot repair") != std::string_view::npos);
  EXPECT_TRUE(rule_of(Status::killed, Reason::operator_).find("ballot kill") != std::string_view::npos);
  EXPECT_TRUE(rule_of(Status::lost, Reason::forgotten).find("ballot forget") != std::string_view::npos);
  EXPECT_TRUE(rule_of(Status::skipped, Reason::dry_run).find("--dry-run") != std::string_view::npos);
}

TEST(WhyText, CountsTheAttemptsOfARunThatIsOverAndOfNoOther) {
  Row last = run_row(Status::failed), first = last, other = last, next = last;
  last.attempt = 2;
  other.run->bytes[15] ^= 1;
  EXPECT_EQ(attempts_text({last, first}, "this ledger knows"), " It is the last of 2 attempts that this ledger knows.");
  EXPECT_EQ(attempts_text({last}, "this ledger knows"), "");
  EXPECT_EQ(attempts_text({last, other}, "this ledger knows"), "") << "of the same slot, and another run's";
  next.attempt = 3;
  EXPECT_EQ(attempts_text({last, next}, "this ledger knows"), "");
  last.status = Status::running;
  EXPECT_EQ(attempts_text({last, first}, "this ledger knows"), "") << "another may follow";
}

TEST(WhyText, SaysOfARunThatWaitsForItsNextAttemptHowTheOneBeforeEnded) {
  Row waits = run_row(Status::queued), before = run_row(Status::failed);
  waits.attempt = 2;
  before.reason = Reason::exit_code;
  before.exit_code = 3;
  EXPECT_TRUE(evidence_text(waits).find("no ledger that was asked has a row of attempt 2.") != std::string::npos)
      << evidence_text(waits);
  const std::string text = before_text({waits, before});
  EXPECT_TRUE(text.find(" Before it: Attempt 1 ") == 0) << text;
  EXPECT_TRUE(text.find("exit code 3") != std::string::npos) << text;
  EXPECT_EQ(before_text({before}), "");
}

TEST(WhyText, RulesOfFunctionsSpeakOfNoCommand) {
  Row row = run_row(Status::succeeded);
  row.exit_code = 0;
  EXPECT_NE(rule_of(row).find("success_codes"), std::string_view::npos);
  row.exit_code.reset();
  EXPECT_NE(rule_of(row).find("it returned success"), std::string_view::npos) << rule_of(row);
  for (const Reason reason : {Reason::operator_, Reason::leadership_lost})
    EXPECT_NE(rule_of(Status::killed, reason).find("a function is asked to stop"), std::string_view::npos);
  EXPECT_NE(rule_of(Status::timed_out, Reason::deadline).find("a function is asked to stop"), std::string_view::npos);
  EXPECT_EQ(rule_of(Status::running, Reason::none).find("command"), std::string_view::npos);
}

TEST(WhyText, HeadlineNamesJobSlotStatusReasonAndRun) {
  EXPECT_EQ(headline(run_row(Status::failed, Reason::exit_code)),
            "nightly 2025-03-09T07:00:00Z failed: exit_code (run 0123456789ab)");
  Row manual = run_row(Status::succeeded);
  manual.slot += Millis(5);
  EXPECT_EQ(headline(manual), "nightly 2025-03-09T07:00:00.005Z succeeded (run 0123456789ab)");
  Row many = slot_row(slot, Status::missed, Reason::no_leader);
  many.slot_until = slot + std::chrono::hours(3);
  many.slots = 180;
  EXPECT_EQ(headline(many), "nightly 2025-03-09T07:00:00Z/2025-03-09T10:00:00Z (180 slots) missed: no_leader");
}

TEST(WhyText, HeadlineNamesWhatOnlyANewerVersionKnows) {
  Row row = run_row(Status::failed, Reason::exit_code);
  row.run.reset();
  row.reason = Named<Reason>::parse("57").value();
  EXPECT_EQ(headline(row), "nightly 2025-03-09T07:00:00Z failed: reason 57 (of a newer version)");
  EXPECT_NE(rule_of(row.status, row.reason).find("newer version"), std::string_view::npos);
  row.status = Named<Status>::parse("deferred").value();
  row.reason = Reason::none;
  EXPECT_EQ(headline(row), "nightly 2025-03-09T07:00:00Z deferred (of a newer version)");
  EXPECT_NE(rule_of(row.status, row.reason).find("newer version"), std::string_view::npos);
}

TEST(WhyText, DoesNotSayThatALostRunEndedWhenItWasTakenForLost) {
  Row row = run_row(Status::lost, Reason::node_died);
  row.node = "host-1";
  row.fence = 7;
  row.started_at = slot + Millis(12);
  row.ended_at = slot + Millis(3612);
  const std::string text = circumstances(row);
  EXPECT_NE(text.find("started 2025-03-09T07:00:00.012Z, taken for lost 2025-03-09T07:00:03.612Z"), std::string::npos)
      << text;
  EXPECT_EQ(text.find(" ended "), std::string::npos) << text;
}

TEST(WhyText, TellsTheCircumstances) {
  Row row = run_row(Status::timed_out, Reason::deadline);
  row.trigger = Trigger::catch_up;
  row.attempt = 2;
  row.signal = 15;
  row.started_at = slot + Millis(12);
  row.ended_at = slot + Millis(3612);
  row.duration = Millis(3600);
  row.node = "host-1";
  row.fence = 7;
  row.leftover = Leftover::escaped;
  EXPECT_EQ(circumstances(row),
            "Attempt 2 (catch_up) on host-1 started 2025-03-09T07:00:00.012Z, ended 2025-03-09T07:00:03.612Z after "
            "3s600ms, signal TERM. A process of it left its group and may still run.");
  row.fence = 0;
  EXPECT_NE(circumstances(row).find("no confirmed claim"), std::string::npos);
  Row passed = slot_row(slot, Status::missed, Reason::misfire);
  EXPECT_EQ(circumstances(passed), "");
  passed.node = "host-1";
  EXPECT_EQ(circumstances(passed), "Recorded by host-1.");
}

TEST(WhyText, SaysThatTheStoreAloneKnowsHowARunEnded) {
  Row row = run_row(Status::failed, Reason::exit_code);
  row.node = "host-2";
  row.exit_code = 3;
  EXPECT_EQ(evidence_mark(row, {"host-1", "host-2"}),
            " (by the store's register; the node that ran it, host-2, does not answer)");
  EXPECT_EQ(evidence_mark(row, {"host-1"}),
            " (by the store's register; the node that ran it, host-2, has no row of it)");
  const std::string text = evidence_text(row);
  EXPECT_NE(text.find("exit code 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("not been closed"), std::string::npos) << text;
  EXPECT_EQ(evidence_mark(run_row(Status::claimed), {"host-2"}), "");
}

TEST(WhyText, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("a bb  ccc dddd", 6), "a bb\nccc\ndddd");
  EXPECT_EQ(wrapped("endlesslylong b", 4), "endlesslylong\nb");
  std::istringstream lines(wrapped(rule_of(Status::queued, Reason::none), 60));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u);
}

}  // namespace
}  // namespace ballot::app
