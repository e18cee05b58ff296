// The kernel kills for want of memory: a run, or the daemon itself, in a control group that the test makes. What a
// job's own `limits.memory_max` does is in integration/runner/limits_test.cpp.
#include <sys/stat.h>

#include <map>
#include <sstream>

#include "integration/daemon/faulty_daemon.hpp"
#include "support/process/memory_cgroup.hpp"

namespace ballot::testing {
namespace {

constexpr std::uint64_t little = 8 << 20;

TEST(OutOfMemory, ARunThatIsKilledForItHasFailedBySignal) {
  const MemoryCgroup group("run", little);
  if (!group.why_not().empty()) GTEST_SKIP() << group.why_not();
  FaultyDaemon daemon;
  daemon.job("eater", "shell = \"echo $$ > " + group.processes() + " && exec tail /dev/zero\"");
  daemon.job("job", "command = [\"/bin/true\"]");
  daemon.lead();
  const Row row = daemon.trigger("eater");
  EXPECT_EQ(group.kills(), 1);
  EXPECT_EQ(status_of(row), "failed: signal");
  EXPECT_EQ(row.signal, SIGKILL);
  daemon.expect_well("job");
}

/// Few of these are more than the daemon may have.
std::string many_jobs() {
  std::string text;
  for (int i = 0; i < 15'000; ++i)
    text += "[job.many" + std::to_string(i) + "]\nschedule = \"@yearly\"\ncommand = [\"/bin/true\"]\n";
  return text;
}

TEST(OutOfMemory, ADaemonThatIsKilledForItStartsNothingTwiceAndTakesItsRunsUpAgain) {
  const MemoryCgroup group("daemon", little);
  if (!group.why_not().empty()) GTEST_SKIP() << group.why_not();
  FaultyDaemon daemon;
  const std::string starts = daemon.folder / "starts", gate = daemon.folder / "gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  daemon.job("tick", "schedule = \"* * * * * *\"\nshell = \"echo $BALLOT_SLOT >> " + starts + "\"");
  daemon.job("gated", "shell = \"echo gated >> " + starts + "; read l < " + gate + "; exit 42\"");
  daemon.lead();
  ASSERT_EQ(daemon.ballot({"trigger", "gated"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return text_of(starts).find("gated") != std::string::npos; }));
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  ASSERT_TRUE(group.enter(daemon.pid()));
  daemon.file("many", many_jobs());
  EXPECT_EQ(daemon.wait(), 128 + SIGKILL) << daemon.log;
  EXPECT_EQ(group.kills(), 1);
  daemon.remove("many");
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted")) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("job=tick", 4)) << daemon.log;
  daemon.folder.write("gate", "go\n");
  EXPECT_TRUE(wait_until([&] { return status_of(daemon.rows("gated").at(0)) == "failed: exit_code"; })) << daemon.log;
  daemon.expect_accounted("tick");
  EXPECT_EQ(daemon.stop(), 0);
  std::map<std::string, int> counts;
  std::istringstream lines(text_of(starts));
  for (std::string line; lines >> line;) EXPECT_EQ(++counts[line], 1) << line;
  EXPECT_GE(counts.size(), 4u);
}

}  // namespace
}  // namespace ballot::testing
