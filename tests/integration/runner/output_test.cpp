#include <algorithm>
#include <cstdlib>

#include "integration/runner/runner_process.hpp"
#include "support/process/peak_memory.hpp"

namespace ballot::runner {
namespace {

TEST(Output, KeepsAllOfWhatFits) {
  RunnerProcess runner;
  Start start = shell("printf 0123456789");
  start.output_limit = 10;
  const Ended ended = runner.run(start);
  EXPECT_EQ(ended.output.head, "01234");
  EXPECT_EQ(ended.output.tail, "56789");
  EXPECT_EQ(ended.output.total_bytes, 10);
  EXPECT_EQ(ended.output.left_out(), 0);
}

TEST(Output, KeepsHeadAndTailOfWhatDoesNot) {
  RunnerProcess runner;
  Start start = shell("seq 1 20000");
  start.output_limit = 1001;
  const Ended ended = runner.run(start);
  EXPECT_EQ(ended.output.head.size(), 500u);
  EXPECT_EQ(ended.output.head.substr(0, 8), "1\n2\n3\n4\n");
  EXPECT_EQ(ended.output.tail.size(), 501u);
  EXPECT_EQ(ended.output.tail.substr(501 - 12), "19999\n20000\n");
  EXPECT_EQ(ended.output.total_bytes, 108894);
}

TEST(Output, IsCountedAndDrainedWhereNoneIsKept) {
  RunnerProcess runner;
  Start start = shell("seq 1 20000");
  start.output_limit = 0;
  const Ended ended = runner.run(start);
  EXPECT_EQ(ended.output.head + ended.output.tail, "");
  EXPECT_EQ(ended.output.total_bytes, 108894);
}

TEST(Output, OfBothStreamsStaysInOrderOfArrival) {
  RunnerProcess runner;
  const Ended ended =
      runner.run(shell("i=0; while [ $i -lt 200 ]; do echo out $i; echo err $i >&2; i=$((i + 1)); done"));
  std::string wanted;
  for (int i = 0; i < 200; ++i) wanted += "out " + std::to_string(i) + "\nerr " + std::to_string(i) + "\n";
  EXPECT_EQ(ended.output.head + ended.output.tail, wanted);
}

TEST(Output, FloodsWithoutALineEndInBoundedMemory) {
  RunnerProcess runner;
  runner.run(command({"true"}));
  const std::int64_t before = runner.resident_kib();
  const Ended ended = runner.run(shell("head -c 100000000 /dev/zero | tr '\\0' x"));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output.total_bytes, 100'000'000);
  EXPECT_EQ(ended.output.head, std::string(32768, 'x'));
  EXPECT_EQ(ended.output.tail, std::string(32768, 'x'));
  EXPECT_LT(runner.resident_kib() - before, 4096 + ballot::testing::kept_freed_kib);
}

TEST(Output, OfAFloodDoesNotHoldUpOtherRuns) {
  RunnerProcess runner;
  const Start flood = shell("exec yes");
  runner.send(flood);
  runner.wait<Started>(flood.id);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(runner.run(shell("exit 4")).exit_code, 4);
  runner.send(Kill{flood.id, Reason::operator_, 15, std::chrono::seconds(5)});
  EXPECT_EQ(runner.wait<Ended>(flood.id).signal, 15);
}

TEST(Output, IsStreamedAsItComes) {
  RunnerProcess runner;
  Start start = shell("echo first; read line < fifo; echo second");
  start.stream_output = true;
  start.working_dir = runner.folder();
  ASSERT_EQ(std::system(("mkfifo " + runner.folder() + "/fifo").c_str()), 0);
  runner.send(start);
  EXPECT_EQ(runner.wait_printed(start.id, "first\n"), "first\n");
  ASSERT_EQ(std::system(("echo go > " + runner.folder() + "/fifo").c_str()), 0);
  EXPECT_EQ(runner.wait_printed(start.id, "second\n"), "second\n");
  EXPECT_EQ(runner.wait<Ended>(start.id).output.head, "first\nsecond\n");
}

TEST(Output, IsNotStreamedToADaemonThatDoesNotReadButIsKept) {
  RunnerProcess runner;
  runner.run(command({"true"}));
  const std::int64_t before = runner.resident_kib();
  Start start = shell("head -c 50000000 /dev/zero | tr '\\0' x; echo > done; echo end");
  start.stream_output = true;
  start.working_dir = runner.folder();
  ASSERT_EQ(std::system(("mkfifo " + runner.folder() + "/done").c_str()), 0);
  runner.send(start);
  ASSERT_EQ(std::system(("read line < " + runner.folder() + "/done").c_str()), 0) << "all is printed, nothing is read";
  EXPECT_LT(runner.resident_kib() - before, 16 * 1024);
  std::string streamed;
  std::optional<Ended> ended;
  while (!ended) {
    const auto message = runner.next();
    ASSERT_TRUE(message);
    if (const auto* printed = std::get_if<Printed>(&*message)) streamed += printed->bytes;
    if (const auto* end = std::get_if<Ended>(&*message)) ended = *end;
  }
  EXPECT_LT(streamed.size(), 4u << 20);
  EXPECT_NE(streamed.find("[ballot: output left out here: it was read too slowly]"), std::string::npos);
  EXPECT_EQ(ended->output.total_bytes, 50'000'004);
  EXPECT_EQ(ended->output.tail.substr(ended->output.tail.size() - 5), "xend\n");
}

TEST(Output, HeldOpenByAGrandchildDoesNotKeepTheRunAlive) {
  RunnerProcess runner;
  const SteadyTime before = steady();
  const Ended ended = runner.run(shell("sleep 600 & echo $!; exit 9"));
  const Millis took = steady() - before;
  EXPECT_EQ(ended.exit_code, 9);
  EXPECT_EQ(ended.reason, Reason::none);
  EXPECT_EQ(ended.leftover, Leftover::none);
  EXPECT_GE(took, Millis(1900)) << "its output is read for 2 s";
  EXPECT_LT(took, Millis(4000));
  EXPECT_LT(ended.duration, Millis(1900)) << "the run ended when the child did";
  EXPECT_FALSE(process_exists(std::atoi(ended.output.head.c_str())));
}

TEST(Output, OfAGrandchildIsReadUntilItEnds) {
  RunnerProcess runner;
  const Ended ended = runner.run(shell("(head -c 1000000 /dev/zero | wc -c) & exit 0"));
  EXPECT_EQ(ended.output.head, "1000000\n");
}

TEST(Output, LetGoByTheChildDoesNotEndTheRun) {
  RunnerProcess runner;
  const Ended ended = runner.run(shell("exec >&- 2>&-; exec sh -c 'exit 6'"));
  EXPECT_EQ(ended.exit_code, 6);
}

}  // namespace
}  // namespace ballot::runner
