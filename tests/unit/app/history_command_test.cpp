#include <gtest/gtest.h>

#include <filesystem>

#include "io/clocks.hpp"
#include "storage/ledger.hpp"
#include "support/process/terminal.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;
using testing::run;
using testing::run_row;
using testing::slot;
using testing::slot_row;

const RunId other_run = *RunId::parse("0195798e-1f00-7abc-8def-99999abcdef0");
const RunId third_run = *RunId::parse("0195798e-1f00-7abc-8def-88888abcdef0");

/// Text that was broken into lines.
std::string joined(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// A node with a ledger and two jobs, no daemon.
struct Node : ::testing::Test {
  Node() {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/a.toml",
                 "[job.nightly]\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n"
                 "[job.new]\nschedule = \"0 7 29 2 *\"\ncommand = [\"/bin/true\"]\ngroup = \"fresh\"\n"
                 "[job.by-hand]\ncommand = [\"/bin/true\"]\n");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
  }

  void record(const std::vector<Row>& rows, const std::optional<Output>& output = {}) {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    for (const Row& row : rows) ledger.record(row);
    if (output) ledger.record(run, 1, *output);
  }
  void record_two() {
    Row failed = run_row(Status::failed, Reason::exit_code);
    failed.exit_code = 3;
    failed.started_at = slot + Millis(20);
    failed.ended_at = slot + Millis(1520);
    failed.duration = Millis(1500);
    failed.node = "host-1";
    failed.epoch = 4;
    failed.fence = 9;
    failed.output_bytes = 11;
    Row missed = slot_row(slot + std::chrono::hours(24), Status::missed, Reason::no_leader);
    missed.slot_until = slot + std::chrono::hours(48);
    missed.slots = 2;
    missed.node = "host-1";
    missed.epoch = 5;
    record({failed, missed});
  }
  Ran asked(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--config", config});
    return ballot(std::move(arguments));
  }

  TempFolder folder;
  std::string config;
};

TEST_F(Node, HistoryPrintsEveryFieldAsJson) {
  record_two();
  const Ran ran = asked({"history", "--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      "[\n"
      "{\"run_id\":null,\"job\":\"nightly\",\"group\":\"g\",\"slot\":\"2025-03-10T07:00:00Z\","
      "\"slot_until\":\"2025-03-11T07:00:00Z\",\"slots\":2,\"trigger\":\"schedule\",\"attempt\":0,"
      "\"status\":\"missed\",\"reason\":\"no_leader\",\"exit_code\":null,\"signal\":null,\"started_at\":null,"
      "\"ended_at\":null,\"duration_ms\":null,\"node\":\"host-1\",\"epoch\":5,\"fence\":null,\"output_bytes\":0,\"left"
      "over\":null,\"triggered_by\":null,\"ended_by\":null,\"paused_by\":null,\"resumed_by\":null,\"env\":null},\n"
      "{\"run_id\":\"0195798e-1f00-7abc-8def-0123456789ab\",\"job\":\"nightly\",\"group\":\"g\","
      "\"slot\":\"2025-03-09T07:00:00Z\",\"slot_until\":null,\"slots\":1,\"trigger\":\"schedule\",\"attempt\":1,"
      "\"status\":\"failed\",\"reason\":\"exit_code\",\"exit_code\":3,\"signal\":null,"
      "\"started_at\":\"2025-03-09T07:00:00.020Z\",\"ended_at\":\"2025-03-09T07:00:01.520Z\",\"duration_ms\":1500,"
      "\"node\":\"host-1\",\"epoch\":4,\"fence\":9,\"output_bytes\":11,\"leftover\":null,\"triggered_by\":null,\"ended_"
      "by\":null,\"paused_by\":null,\"resumed_by\":null,\"env\":null}\n"
      "]\n");
}

/// With an API the answer would be the fleet's.
TEST_F(Node, JsonSaysThatItIsOneLedgersViewWhereNoDaemonCouldAskTheOthers) {
  record_two();
  const std::string why = "no daemon answers here that could ask the other nodes";
  const std::vector<std::vector<std::string>> commands = {
      {"history"}, {"history", "--requests"}, {"why", "nightly"}, {"show", "nightly"}, {"audit"}};
  config = folder.write("fleet.toml", "node = \"host-1\"\njobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" +
                                          folder.path() + "\"\nrun_dir = \"" + folder.path() +
                                          "\"\n[http]\nlisten = \"127.0.0.1:8780\"\nanonymous = \"viewer\"\n");
  for (auto command : commands) {
    const bool is_list = command.front() == "history";
    command.insert(command.end(), {"--format", "json"});
    const Ran ran = asked(command);
    EXPECT_TRUE(contains(ran.err, why)) << command.front() << ": " << ran.err;
    EXPECT_TRUE(
        contains(ran.out, is_list ? "{\"alone\":\"host-1\",\"why\":\"" + why + "\"}\n]" : "\"alone\":\"" + why + "\""))
        << command.front() << ": " << ran.out;
    command.emplace_back("--local");
    EXPECT_FALSE(contains(asked(command).out, "\"alone\"")) << "it is what was asked for";
  }
}

TEST_F(Node, HistoryPrintsATableAndCsv) {
  record_two();
  EXPECT_EQ(asked({"history"}).out,
            "JOB      STATUS  RUN           SLOT                  REASON     EXIT  DURATION  ATTEMPT  NODE    SLOTS\n"
            "nightly  missed  -             2025-03-10T07:00:00Z  no_leader     -         -        0  host-1      2\n"
            "nightly  failed  0123456789ab  2025-03-09T07:00:00Z  exit_code     3   1s500ms        1  host-1      1\n");
  folder.write("jobs.d/a.toml", "[job.nightly]\ntimezone = \"Asia/Kolkata\"\ncommand = [\"/bin/true\"]\n");
  const Ran local = asked({"history", "--local-time", "--limit", "1"});
  EXPECT_TRUE(contains(local.out, "  2025-03-10T12:30:00+05:30  no_leader")) << local.out << local.err;
  EXPECT_TRUE(contains(asked({"history", "--local-time", "--format", "json"}).out, "\"2025-03-10T07:00:00Z\""))
      << "in tables only";
  const Ran csv = asked({"history", "--format", "csv", "--run", "0123456789ab"});
  EXPECT_TRUE(contains(csv.out,
                       "run_id,job,group,slot,slot_until,slots,trigger,attempt,status,reason,exit_code,signal,"
                       "started_at,ended_at,duration_ms,node,epoch,fence,output_bytes,leftover,triggered_by,ended_by,"
                       "paused_by,resumed_by,env,evidence\n"))
      << csv.out << csv.err;
}

TEST_F(Node, HistoryPrintsWhatPeopleAsked) {
  {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    RequestRow row;
    row.id = run, row.kind = "trigger", row.job = "nightly", row.node = "host-1", row.at = slot;
    row.by = "host-2 uid 1000";
    ledger.record(row);
    ledger.record(AnswerRow{run, "done", "", slot + Millis(20)});
    row.id = other_run, row.kind = "pause", row.job = "", row.group = "fresh", row.at = slot + Millis(5);
    row.by = "host-2 token ci from 192.0.2.7";
    ledger.record(row);
    ledger.record(AnswerRow{other_run, "refused", "it has no leader", slot + Millis(30)});
  }
  EXPECT_EQ(asked({"history", "--requests"}).out,
            "AT                        REQUEST  JOB      GROUP  BY                              RESULT   RUN           "
            "NODE    TEXT\n"
            "2025-03-09T07:00:00.005Z  pause    -        fresh  host-2 token ci from 192.0.2.7  refused  -             "
            "host-1  it has no leader\n"
            "2025-03-09T07:00:00Z      trigger  nightly  -      host-2 uid 1000                 done     0123456789ab  "
            "host-1  -\n");
  EXPECT_EQ(asked({"history", "--requests", "--job", "nightly", "--format", "json"}).out,
            "[\n"
            "{\"request_id\":\"0195798e-1f00-7abc-8def-0123456789ab\",\"at\":\"2025-03-09T07:00:00.000Z\","
            "\"kind\":\"trigger\",\"job\":\"nightly\",\"group\":null,"
            "\"run_id\":\"0195798e-1f00-7abc-8def-0123456789ab\",\"by\":\"host-2 uid 1000\",\"node\":\"host-1\","
            "\"result\":\"done\",\"text\":null,\"answered_at\":\"2025-03-09T07:00:00.020Z\",\"env\":null}\n"
            "]\n");
  const Ran csv = asked({"history", "--requests", "--group", "fresh", "--format", "csv"});
  EXPECT_TRUE(contains(csv.out, "request_id,at,kind,job,group,run_id,by,node,result,text,answered_at,env,evidence\n"))
      << csv.out;
  EXPECT_TRUE(contains(csv.out, ",pause,,fresh,,host-2 token ci from 192.0.2.7,host-1,refused,it has no leader,"));
  EXPECT_TRUE(contains(asked({"history", "--requests", "--failed"}).err, "--requests goes without --failed"));
  const Ran wrong = asked({"history", "--requests", "--status", "failed"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.err, "--requests goes without --status")) << wrong.err;
}

TEST_F(Node, HistoryFilters) {
  record_two();
  const auto rows = [&](std::vector<std::string> filter) {
    filter.insert(filter.begin(), {"history", "--format", "csv"});
    const Ran ran = asked(std::move(filter));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return std::count(ran.out.begin(), ran.out.end(), '\n') - 1;
  };
  EXPECT_EQ(rows({}), 2);
  EXPECT_EQ(rows({"--limit", "1"}), 1);
  EXPECT_EQ(rows({"--status", "failed"}), 1);
  EXPECT_EQ(rows({"--status", "failed,missed"}), 2);
  EXPECT_EQ(rows({"--status", "failed", "--status", "missed"}), 2);
  EXPECT_EQ(rows({"--failed"}), 1) << "a slot that is missed is no run";
  EXPECT_EQ(rows({"--failed", "--status", "missed"}), 2);
  EXPECT_EQ(rows({"--failed", "--reason", "deadline"}), 0);
  EXPECT_EQ(rows({"--reason", "overlap"}), 0);
  EXPECT_EQ(rows({"--job", "nightly", "--node", "host-1", "--group", "g"}), 2);
  EXPECT_EQ(rows({"--run", "6789ab"}), 1);
  EXPECT_EQ(rows({"--since", "2025-03-09T07:00:00Z", "--until", "2025-03-10T07:00:00Z"}), 1);
  EXPECT_EQ(rows({"--since", "1h"}), 0);
  EXPECT_EQ(rows({"--job", "new", "--group", "fresh"}), 0) << "loaded, never ran";
}

TEST_F(Node, HistoryKnowsWhatDoesNotExist) {
  record_two();
  const Ran job = asked({"history", "--job", "nightyl"});
  EXPECT_EQ(job.code, 3);
  EXPECT_EQ(job.out, "");
  EXPECT_TRUE(contains(job.err, "no job 'nightyl'") && contains(job.err, "'nightly'?")) << job.err;
  EXPECT_EQ(asked({"history", "--group", "none"}).code, 3);
  folder.write("ballot.toml", "node = \"host-7\"\njobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" +
                                  folder.path() + "\"\nrun_dir = \"" + folder.path() + "\"\n");
  for (std::vector<std::string> arguments : {std::vector<std::string>{"history", "--node", "host-1,hsot-7"},
                                             {"history", "--requests", "--node", "hsot-7"}}) {
    const Ran node = asked(std::move(arguments));
    EXPECT_EQ(node.code, 3) << node.out;
    EXPECT_TRUE(contains(node.err, "no node hsot-7 ") && contains(node.err, "; did you mean 'host-7'?")) << node.err;
  }
  EXPECT_EQ(asked({"history", "--run", "ffffff"}).code, 3);
  EXPECT_EQ(asked({"history", "--run", "fff"}).code, 2);
}

TEST_F(Node, HistoryFollowsWhatIsWrittenUntilNobodyReads) {
  Row row = run_row(Status::running);
  record({slot_row(slot - Millis(2), Status::missed, Reason::misfire),
          slot_row(slot - Millis(1), Status::skipped, Reason::paused)});
  testing::Running follower(
      {BALLOT_PROGRAM, "history", "--follow", "--format", "json", "--limit", "2", "--config", config});
  EXPECT_TRUE(contains(follower.line(), "misfire")) << "the oldest first";
  EXPECT_TRUE(contains(follower.line(), "paused"));
  record({row});
  EXPECT_TRUE(contains(follower.line(), "running"));
  row.status = Status::succeeded;
  record({row});
  const std::string line = follower.line();
  EXPECT_TRUE(contains(line, "succeeded")) << line;
  EXPECT_TRUE(line.starts_with("{") && line.ends_with("}")) << "an object a line";
  follower.stop_reading();
  EXPECT_EQ(follower.wait(), 0) << "it ends when nobody reads any more";
}

TEST_F(Node, CommandsSayWhereTheyLookedForTheLedger) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"history"}, {"why", "nightly"}, {"output", "abcdef"}}) {
    const Ran ran = asked(command);
    EXPECT_EQ(ran.code, 1) << command[0];
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(contains(ran.err, folder / "history.db")) << ran.err;
  }
}

TEST_F(Node, OutputIsWhatTheRunPrinted) {
  record({run_row(Status::succeeded)}, Output{.head = "a\xff\n\x1b[0m", .tail = "", .total_bytes = 7});
  const Ran ran = asked({"output", "0123456789ab"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "a\xff\n\x1b[0m");
}

TEST_F(Node, OutputOfAJobIsThatOfItsLastRun) {
  Row before = run_row(Status::failed, Reason::exit_code, other_run);
  before.slot -= std::chrono::hours(24);
  record({before, slot_row(slot + Millis(60'000), Status::skipped, Reason::overlap)});
  record({run_row(Status::succeeded)}, Output{.head = "last\n", .tail = "", .total_bytes = 5});
  const Ran last = asked({"output", "nightly"});
  EXPECT_EQ(last.out, "last\n");
  EXPECT_EQ(last.err, "ballot output: run " + run.text().substr(24) + " of slot 2025-03-09T07:00:00Z: succeeded\n");
  EXPECT_EQ(asked({"output", run.text().substr(24)}).err, "") << "whoever names the run knows which it is";
  const Ran none = asked({"output", "new"});
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(contains(none.err, "no run of job new")) << none.err;
}

TEST_F(Node, OutputCannotMoveTheCursorOfATerminal) {
  record({run_row(Status::succeeded)}, Output{.head = "a\r\n\tb\x1b]0;owned\x07\xff\x9b"
                                                      "2J\n",
                                              .tail = "",
                                              .total_bytes = 20});
  const testing::AtTerminal shown =
      testing::run_at_terminal({BALLOT_PROGRAM, "output", "0123456789ab", "--config", config});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.shown, "a\r\n\tb\\u001b]0;owned\\u0007\\xff\\x9b2J\r\n");
}

TEST_F(Node, OutputOfWhatRunsOnAnotherNodeIsThere) {
  Row row = run_row(Status::running);
  row.node = "host-2";
  record({row});
  const Ran ran = asked({"output", "nightly"});
  EXPECT_EQ(ran.code, 69);
  EXPECT_TRUE(contains(ran.err, "the run is one of node host-2, which alone has what it printed")) << ran.err;
}

TEST_F(Node, OutputOfWhatAnotherNodeHasRunIsThere) {
  Row row = run_row(Status::succeeded);
  row.node = "host-2";
  row.output_bytes = 5;
  record({row});
  const Ran ran = asked({"output", "nightly"});
  EXPECT_EQ(ran.code, 69) << ran.out;
  EXPECT_TRUE(contains(ran.err, "the run is one of node host-2, which alone has what it printed")) << ran.err;
}

TEST_F(Node, OutputOfARunThatIsLostIsThatOfItsNode) {
  Row row = run_row(Status::lost, Reason::node_died);
  row.node = "host-2";
  record({row});
  const Ran ran = asked({"output", "nightly"});
  EXPECT_EQ(ran.code, 69) << ran.out;
  EXPECT_TRUE(contains(ran.err, "the run is one of node host-2, which alone has what it printed")) << ran.err;
}

TEST_F(Node, OutputThatIsNotKeptAnyMoreIsSaidToBeLost) {
  Row row = run_row(Status::succeeded);
  row.output_bytes = 5;
  record({row});
  const Ran ran = asked({"output", "nightly"});
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_TRUE(contains(ran.err, "what the run printed is lost")) << ran.err;
}

TEST_F(Node, OutputOfARunThatPrintedNothingIsEmptyOnEachNode) {
  Row row = run_row(Status::succeeded);
  row.node = "host-2";
  record({row});
  const Ran ran = asked({"output", "nightly"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST_F(Node, ATerminalHasColoursUnlessToldOtherwise) {
  record_two();
  const std::vector<std::string> command{BALLOT_PROGRAM, "history", "--config", config};
  const auto shown = [&](const char* variable) {
    std::vector<std::string> words{"/usr/bin/env", "TERM=xterm", variable};
    words.insert(words.end(), command.begin(), command.end());
    return testing::run_at_terminal(words).shown;
  };
  EXPECT_TRUE(contains(shown("NO_COLOR="), "\x1b[31mfailed"));
  EXPECT_FALSE(contains(shown("NO_COLOR=1"), "\x1b["));
  EXPECT_FALSE(contains(shown("TERM=dumb"), "\x1b["));
  EXPECT_FALSE(contains(asked({"history"}).out, "\x1b[")) << "a pipe has none";
}

TEST_F(Node, OutputSaysWhatIsLeftOut) {
  record({run_row(Status::succeeded)}, Output{.head = "head", .tail = "tail\n", .total_bytes = 100});
  EXPECT_EQ(asked({"output", run.text()}).out, "head\n[ballot: 91 bytes left out]\ntail\n");
}

TEST_F(Node, OutputKnowsWhatDoesNotExist) {
  record({run_row(Status::succeeded), run_row(Status::succeeded, Reason::none, other_run),
          run_row(Status::succeeded, Reason::none, third_run)});
  EXPECT_EQ(asked({"output", "0123456789ab"}).code, 0);
  EXPECT_EQ(asked({"output", "ffffff"}).code, 3);
  EXPECT_EQ(asked({"output", "9ab"}).code, 3) << "a name that no job has, and too short for a run";
  EXPECT_EQ(asked({"output", "0123456789ab", "--attempt", "7"}).code, 3);
  const Ran several = asked({"output", "abcdef0"});
  EXPECT_EQ(several.code, 2);
  EXPECT_TRUE(contains(several.err, other_run.text()) && contains(several.err, third_run.text())) << several.err;
}

TEST_F(Node, WhyExplainsTheSlotAtOrBeforeATime) {
  record_two();
  const Ran exact = asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"});
  EXPECT_EQ(exact.code, 0) << exact.err;
  EXPECT_EQ(exact.out.find("nightly 2025-03-09T07:00:00Z failed: exit_code (run 0123456789ab)\n"
                           "Attempt 1 (schedule) on host-1 started 2025-03-09T07:00:00.020Z"),
            0u)
      << exact.out;
  EXPECT_EQ(asked({"why", "nightly", "--at", "2025-03-10T06:59:59Z"}).out, exact.out);
  const Ran range = asked({"why", "nightly", "--at", "2025-03-11T12:00:00Z"});
  EXPECT_EQ(range.out.find("nightly 2025-03-10T07:00:00Z/2025-03-11T07:00:00Z (2 slots) missed: no_leader\n"), 0u)
      << range.out;
}

TEST_F(Node, WhySaysWhatIsNotRecorded) {
  record_two();
  const Ran later = asked({"why", "nightly", "--at", "2025-03-12T08:00:00Z"});
  EXPECT_EQ(later.code, 0);
  EXPECT_EQ(later.out.find("nightly 2025-03-12T07:00:00Z not recorded\n"), 0u) << later.out;
  const Ran leap = asked({"why", "new", "--at", "2027-01-01T00:00:00Z"});
  EXPECT_EQ(leap.out.find("new 2024-02-29T07:00:00Z not recorded\n"), 0u) << leap.out;
  const Ran by_hand = asked({"why", "by-hand"});
  EXPECT_EQ(by_hand.code, 0);
  EXPECT_EQ(by_hand.out.find("by-hand no slot\n"), 0u) << by_hand.out;
}

TEST_F(Node, WhyExplainsARun) {
  record_two();
  const Ran ran = asked({"why", "0123456789ab"});
  EXPECT_EQ(ran.out, asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"}).out) << ran.err;
  EXPECT_EQ(asked({"why", "0123456789ab", "--at", "2h"}).code, 2) << "a run has its own slot";
}

TEST_F(Node, WhyNamesTheRunThatWasInTheWay) {
  Row running = run_row(Status::succeeded);
  running.node = "host-1";
  running.started_at = slot + Millis(5);
  running.ended_at = slot + std::chrono::hours(2);
  Row later = run_row(Status::succeeded, Reason::none, other_run);
  later.slot = slot + std::chrono::hours(3);
  record({running, later, slot_row(slot + std::chrono::hours(1), Status::skipped, Reason::overlap)});
  const std::string text = asked({"why", "nightly", "--at", "2025-03-09T08:30:00Z"}).out;
  EXPECT_TRUE(
      contains(joined(text), "In the way was run " + run.text().substr(24) + " of slot 2025-03-09T07:00:00Z on host-1"))
      << text;
  EXPECT_TRUE(contains(joined(text), "ended 2025-03-09T09:00:00.000Z. The job's previous run had not")) << text;
}

TEST_F(Node, WhyNamesTheStepThatCouldNotStart) {
  record(
      {run_row(Status::failed, Reason::cannot_start)},
      Output{.head = "[ballot: cannot start: exec /no: No such file or directory]\n", .tail = "", .total_bytes = 60});
  const std::string text = joined(asked({"why", "0123456789ab"}).out);
  EXPECT_TRUE(contains(text, "It cannot start: exec /no: No such file or directory.")) << text;
  EXPECT_FALSE(contains(text, " log")) << "the one cause, and no other";
}

TEST_F(Node, WhySaysWhetherAnotherAttemptFollows) {
  folder.write("jobs.d/a.toml", "[job.nightly]\nretries = 1\ncommand = [\"/bin/true\"]\n");
  Row row = run_row(Status::failed, Reason::exit_code);
  record({row});
  EXPECT_TRUE(contains(joined(asked({"why", "nightly"}).out), "Another attempt may follow: retries = 1."));
  row.attempt = 2;
  record({row});
  const std::string last = joined(asked({"why", "nightly"}).out);
  EXPECT_TRUE(contains(last, "No other attempt follows: it was the last, with retries = 1.")) << last;
  row.attempt = 3;
  row.status = Status::lost;
  row.reason = Reason::node_died;
  record({row});
  const std::string lost = joined(asked({"why", "nightly"}).out);
  EXPECT_TRUE(contains(lost, "No other attempt follows: the job has guarantee = \"at-most-once\".")) << lost;
}

TEST_F(Node, ShowPrintsTheDefinitionAndWhereItIs) {
  record_two();
  const Ran ran = asked({"show", "nightly"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "\nfile        " + folder / "jobs.d" + "/a.toml:1\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\n[job.nightly]\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n\nJOB "))
      << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nnightly  failed  0123456789ab ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "state       not known: no daemon listens")) << ran.out;
  EXPECT_EQ(asked({"show", "by-hand"}).code, 0);
  EXPECT_TRUE(contains(asked({"show", "by-hand"}).out, "next slots  none\n"));
  EXPECT_EQ(asked({"show", "nightyl"}).code, 3);
}

TEST_F(Node, WhyKnowsWhatDoesNotExist) {
  record_two();
  const Ran ran = asked({"why", "nightyl"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace ballot::app
