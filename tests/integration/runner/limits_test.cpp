// Limits of a run, as its processes find them.
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>

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

/// As the kernel says it before any runner is there: whether the group of this process can hand out memory limits.
bool can_limit_memory() {
  const auto place = find_cgroup();
  if (!place || without_cgroups() || ::access(place->own.c_str(), W_OK) != 0) return false;
  const auto names_memory = [](const std::string& path) {
    std::ifstream file(path);
    const std::set<std::string> names{std::istream_iterator<std::string>(file), {}};
    return names.contains("memory");
  };
  // A group with processes, as this one, hands out what it hands out already; but the uppermost may hand out all.
  const bool is_free = place->own == place->root || names_memory(place->own + "/cgroup.subtree_control");
  return is_free && names_memory(place->own + "/cgroup.controllers");
}

TEST(Limit, OfMemoryIsTheCgroups) {
  if (!can_limit_memory()) GTEST_SKIP() << "no memory controller of cgroup v2 can be handed out here";
  RunnerProcess runner;
  const Start start = limited({.memory_max = 64u << 20},
                              "cat " + find_cgroup()->root + "$(sed -n 's/^0:://p' /proc/self/cgroup)/memory.max");
  EXPECT_EQ(output_of(runner, start), "67108864\n");
}

TEST(Limit, OfMemoryThatIsPassedIsTheReasonOfTheEnd) {
  if (!can_limit_memory()) GTEST_SKIP() << "no memory controller of cgroup v2 can be handed out here";
  RunnerProcess runner;
  const Ended ended = runner.run(limited({.memory_max = 16u << 20}, "tail /dev/zero; echo goes on"));
  EXPECT_EQ(ended.reason, Reason::oom);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(ended.output.head, "") << "of a run without memory nothing goes on alone";
}

TEST(Limit, OfMemoryThatCannotBeSetIsWhyTheRunCannotStart) {
  if (can_limit_memory()) GTEST_SKIP() << "it can be set here";
  RunnerProcess runner;
  const Start start = limited({.memory_max = 64u << 20}, "true");
  runner.send(start);
  const CannotStart answer = runner.wait<CannotStart>(start.id);
  EXPECT_TRUE(answer.stage.starts_with("limits.memory_max (") || answer.stage.starts_with("limits need a cgroup: "))
      << answer.stage;
  EXPECT_EQ(runner.run(command({"true"})).exit_code, 0);
}

}  // namespace
}  // namespace ballot::runner
