// Limits of a run, as its processes find them.
#include <signal.h>

#include "base/cgroup_place.hpp"
#include "integration/runner/runner_process.hpp"

namespace ballot::runner {
namespace {

Start limited(const Limits& limits, const std::string& script) {
  Start start = shell(script);
  start.limits = limits;
  return start;
}

std::string output_of(RunnerProcess& runner, const Start& start) { return runner.run(start).output.head; }

TEST(Limit, OfOpenFilesIsTheChilds) {
  RunnerProcess runner;
  EXPECT_EQ(output_of(runner, limited({.open_files = 77}, "ulimit -Sn; ulimit -Hn")), "77\n77\n");
  EXPECT_NE(output_of(runner, shell("ulimit -Sn")), "77\n") << "of that run alone";
}

TEST(Limit, OfAddressSpaceAndProcessesIsTheChilds) {
  RunnerProcess runner;
  EXPECT_EQ(output_of(runner, limited({.address_space = 512u << 20}, "ulimit -v")), "524288\n");
  EXPECT_EQ(output_of(runner, limited({.processes = 1234}, "grep -c 'Max processes *1234 *1234 ' /proc/self/limits")),
            "1\n");
}

TEST(Limit, OfProcessorTimeEndsTheRunBySignal) {
  RunnerProcess runner;
  EXPECT_EQ(runner.run(limited({.cpu_time_seconds = 1}, "while :; do :; done")).signal, SIGXCPU);
  EXPECT_EQ(runner.run(limited({.cpu_time_seconds = 1}, "trap '' XCPU; while :; do :; done")).signal, SIGKILL)
      << "a second later";
}

TEST(Limit, ThatCannotBeSetIsWhyTheRunCannotStart) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  RunnerProcess runner({.user = 65534, .open_files = 64});
  const Start start = limited({.open_files = 65}, "true");
  runner.send(start);
  const CannotStart answer = runner.wait<CannotStart>(start.id);
  EXPECT_EQ(answer.stage, "limits.open_files");
  EXPECT_EQ(answer.error, EPERM);
}

TEST(Limit, OfMemoryIsTheCgroupsOrWhyTheRunCannotStart) {
  RunnerProcess runner;
  const Start start = limited({.memory_max = 64u << 20}, "cat " + find_cgroup().value_or(CgroupPlace{}).root +
                                                             "$(sed -n 's/^0:://p' /proc/self/cgroup)/memory.max");
  runner.send(start);
  const auto answer = [&] {
    while (auto message = runner.next())
      if (std::holds_alternative<CannotStart>(*message) || std::holds_alternative<Ended>(*message)) return *message;
    return FromRunner(Ready{});
  }();
  if (const auto* ended = std::get_if<Ended>(&answer)) {
    EXPECT_EQ(ended->output.head, "67108864\n");
  } else {
    const auto* cannot = std::get_if<CannotStart>(&answer);
    ASSERT_TRUE(cannot);
    EXPECT_TRUE(cannot->stage.starts_with("limits")) << cannot->stage;
  }
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

}  // namespace
}  // namespace ballot::runner
