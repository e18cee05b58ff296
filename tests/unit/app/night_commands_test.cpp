// What somebody asks a node without a daemon in the night: by names, in times and in forms that come to mind.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/clocks.hpp"
#include "storage/ledger.hpp"
#include "support/process/terminal.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;
using testing::run_row;
using testing::slot;
using testing::slot_row;

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

struct NodeAtNight : ::testing::Test {
  NodeAtNight() {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/a.toml",
                 "[job.nightly]\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n"
                 "[job.new]\nschedule = \"0 7 29 2 *\"\ncommand = [\"/bin/true\"]\n");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
  }

  void record(const std::vector<Row>& rows) {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    for (const Row& row : rows) ledger.record(row);
  }
  /// A run that failed, and two slots that were missed.
  void record_two() {
    Row failed = run_row(Status::failed, Reason::exit_code);
    failed.exit_code = 3;
    failed.started_at = slot + Millis(20);
    failed.node = "host-1";
    Row missed = slot_row(slot + std::chrono::hours(24), Status::missed, Reason::no_leader);
    missed.slot_until = slot + std::chrono::hours(48);
    missed.slots = 2;
    record({failed, missed});
  }
  Ran asked(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--config", config});
    return testing::ballot(std::move(arguments));
  }

  TempFolder folder;
  std::string config;
};

TEST_F(NodeAtNight, HistoryTakesJobsByTheirNamesAndTimesAsPeopleWriteThem) {
  record_two();
  const auto rows = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"history"});
    words.insert(words.end(), {"--format", "csv"});
    const Ran ran = asked(std::move(words));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return std::count(ran.out.begin(), ran.out.end(), '\n') - 1;
  };
  EXPECT_EQ(rows({"nightly"}), 2);
  EXPECT_EQ(rows({"new", "nightly"}), 2);
  EXPECT_EQ(rows({"new"}), 0);
  EXPECT_EQ(rows({"--since", "2025-03-09", "--until", "2025-03-10"}), 1);
  EXPECT_EQ(rows({"--since", "2025-03-09 07:00:01"}), 1);
  EXPECT_EQ(rows({"--since", "yesterday"}), 0);
  EXPECT_EQ(rows({"--until", "22:30"}), 2);
  EXPECT_EQ(asked({"history", "nightyl"}).code, 3);
  const Ran wrong = asked({"history", "--since", "yesteryear"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.err, "22:30 or yesterday (in UTC)")) << wrong.err;
}

TEST_F(NodeAtNight, ATimeThatEndsBeforeItBeginsIsRefused) {
  record_two();
  const std::vector<std::string> span{"--since", "2025-03-10", "--until", "2025-03-09 22:00"};
  for (const char* command : {"history", "history --requests", "audit"}) {
    std::vector<std::string> words{std::string(command).substr(0, std::string(command).find(' '))};
    if (words[0] != command) words.emplace_back("--requests");
    words.insert(words.end(), span.begin(), span.end());
    const Ran ran = asked(words);
    EXPECT_EQ(ran.code, 2) << command << ran.out;
    EXPECT_TRUE(contains(ran.err, "--until 2025-03-09T22:00:00Z is before --since 2025-03-10T00:00:00Z")) << ran.err;
  }
}

TEST_F(NodeAtNight, HistoryShowsThePausedSlotsOfAJobAsOneRowOfItsTable) {
  std::vector<Row> rows;
  for (int minute = 0; minute < 60; ++minute)
    rows.push_back(slot_row(slot + std::chrono::minutes(minute), Status::skipped, Reason::paused));
  Row failed = run_row(Status::failed, Reason::exit_code);
  failed.slot = slot - std::chrono::hours(1);
  rows.push_back(failed);
  record(rows);
  const std::string shown = asked({"history", "--limit", "2"}).out;
  EXPECT_TRUE(contains(shown, "skipped  -             2025-03-09T07:00:00Z  paused")) << shown;
  EXPECT_TRUE(contains(shown, "     60\n")) << shown;
  EXPECT_TRUE(contains(shown, "failed")) << shown;
  const std::string json = asked({"history", "--format", "json", "--limit", "100"}).out;
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), 61) << "programs get all of them";
}

TEST_F(NodeAtNight, HistoryKeepsNodeAndAttemptInEightyColumns) {
  Row row = run_row(Status::succeeded);
  row.job = "nightly-backup-of-all";
  row.node = "host-1";
  row.slot += Millis(5);
  std::vector<Row> rows;
  for (int attempt = 1; attempt <= 3; ++attempt) {
    row.attempt = attempt;
    row.status = attempt == 3 ? Status::succeeded : Status::failed;
    row.reason = attempt == 3 ? Reason::none : Reason::exit_code;
    rows.push_back(row);
  }
  record(rows);
  const testing::AtTerminal shown = testing::run_at_terminal(
      {"/bin/sh", "-c", "stty cols 80; NO_COLOR=1 exec " BALLOT_PROGRAM " history --config " + config});
  EXPECT_TRUE(contains(shown.shown, "ATTEMPT  NODE")) << shown.shown;
  EXPECT_TRUE(contains(shown.shown, "SLOT IN 2025")) << shown.shown;
  EXPECT_TRUE(contains(shown.shown, "03-09 07:00:00")) << shown.shown;
}

TEST_F(NodeAtNight, WhyAndShowAreJsonForPrograms) {
  record_two();
  const Ran why = asked({"why", "0123456789ab", "--format", "json"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_TRUE(
      why.out.starts_with("{\"job\":\"nightly\",\"slot\":\"2025-03-09T07:00:00Z\",\"status\":\"failed\","
                          "\"reason\":\"exit_code\",\"run_id\":\"0195798e-1f00-7abc-8def-0123456789ab\","
                          "\"why\":\"Attempt 1 (schedule) on host-1 started "))
      << why.out;
  EXPECT_TRUE(contains(why.out, "\"rows\":[{\"run_id\":\"0195798e-1f00-7abc-8def-0123456789ab\",\"job\":\"nightly\""));
  const Ran none = asked({"why", "nightly", "--at", "2025-03-12T08:00:00Z", "--format", "json"});
  EXPECT_TRUE(contains(none.out, "\"status\":\"not recorded\",\"reason\":null,\"run_id\":null,")) << none.out;
  EXPECT_TRUE(contains(none.out, "\"rows\":[],\"missing\":[]}")) << none.out;
  const Ran show = asked({"show", "nightly", "--format", "json"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_TRUE(contains(show.out,
                       "\"job\":\"nightly\",\"description\":null,\"group\":\"default\",\"leader\":null,"
                       "\"state\":null,\"pauses\":[],\"backfill\":null,\"file\":"))
      << show.out;
  EXPECT_TRUE(contains(show.out, "/jobs.d/a.toml\",\"line\":1,\"timezone\":\"UTC\"")) << show.out;
  EXPECT_TRUE(contains(show.out, "\"rows\":[{\"run_id\":null,\"job\":\"nightly\"")) << show.out;
  EXPECT_EQ(asked({"why", "nightly", "--format", "yaml"}).code, 2);
}

TEST_F(NodeAtNight, WhyOfATimeoutNamesTheDeadline) {
  folder.write("jobs.d/a.toml", "[job.nightly]\ndeadline = \"90s\"\ncommand = [\"/bin/true\"]\n");
  Row row = run_row(Status::timed_out, Reason::deadline);
  row.duration = std::chrono::seconds(91);
  record({row});
  const std::string text = on_one_line(asked({"why", "nightly"}).out);
  EXPECT_TRUE(contains(text, "The job's deadline is 1m30s.")) << text;
}

TEST_F(NodeAtNight, CommandsKnowTheInstancesOfOtherNodes) {
  folder.write("jobs.d/each.toml",
               "[job.trim]\nrun_on = \"each\"\ngroup = \"all\"\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n");
  record_two();
  const Ran history = asked({"history", "--job", "trim@other", "--group", "all@other"});
  EXPECT_EQ(history.code, 0) << history.err;
  const Ran why = asked({"why", "trim@other"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_TRUE(contains(on_one_line(why.out), "It is the instance of node other")) << why.out;
  const Ran show = asked({"show", "trim@other"});
  EXPECT_EQ(show.code, 3);
  EXPECT_TRUE(contains(show.err, "trim@other is the instance of node other: ask there")) << show.err;
  EXPECT_EQ(asked({"history", "--job", "nightly@other"}).code, 3) << "the job does not run on each node";
}

/// Its daemon and its runner were killed.
TEST_F(NodeAtNight, ARunThatWasOpenIsSaidToBeAsItWasKnown) {
  Row open = run_row(Status::running);
  open.ended_at.reset();
  open.node.clear();
  record({open});
  const Ran why = asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"});
  EXPECT_TRUE(contains(why.out, "running")) << why.out << why.err;
  EXPECT_TRUE(contains(why.err, "no daemon answers: rows that are queued, claimed or running show what was known"))
      << why.err;
  const Ran output = asked({"output", "nightly"});
  EXPECT_EQ(output.code, 69) << output.err;
  EXPECT_TRUE(contains(output.err, "no runner listens")) << output.err;
}

/// The epochs of many stores count other things too: a gap between two is no term.
TEST_F(NodeAtNight, NoTermsAreMadeUpBetweenTwoThatAreKnown) {
  {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    Row missed = slot_row(slot, Status::missed, Reason::no_leader);
    missed.node = "host-1";
    ledger.record(missed);
    TermRow term{.group = missed.group, .node = "host-1", .epoch = 2, .elected_at = slot - std::chrono::hours(2)};
    ledger.record(term);
    term.epoch = 4, term.elected_at = slot + std::chrono::minutes(1);
    ledger.record(term);
  }
  const std::string why = on_one_line(asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"}).out);
  EXPECT_TRUE(contains(why, "Before it was term 2 of node host-1")) << why;
  EXPECT_FALSE(contains(why, "Between them")) << why;
}

TEST_F(NodeAtNight, WhyOfASlotThatWasSkippedForARunBetweenTwoAttemptsSaysWhenTheNextOneStarts) {
  folder.write("jobs.d/a.toml",
               "[job.nightly]\nschedule = \"*/10 * * * *\"\ncommand = [\"/bin/true\"]\nretries = 3\n"
               "retry_delay = \"20m\"\nretry_max_delay = \"20m\"\n");
  Row failed = run_row(Status::failed, Reason::exit_code);
  failed.exit_code = 3;
  failed.node = "host-1";
  failed.started_at = slot + Millis(20);
  failed.ended_at = slot + Millis(500);
  Row queued = run_row(Status::queued);
  queued.attempt = 2;
  const Row skipped = slot_row(slot + std::chrono::minutes(10), Status::skipped, Reason::overlap);
  record({failed, queued, skipped});
  const std::string text = on_one_line(asked({"why", "nightly", "--at", "2025-03-09 07:11"}).out);
  EXPECT_TRUE(contains(text, "which waits for attempt 2. It was to start between 2025-03-09T07:20:00Z and")) << text;
  EXPECT_TRUE(contains(text, "With retries = 3, 3 attempts are left.")) << text;
}

}  // namespace
}  // namespace ballot::app
