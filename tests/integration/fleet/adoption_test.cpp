// Runs that outlive their daemon, and runs that must not: it is killed and comes back, its runner dies. The oracle sees
// every process, the checker judges.
#include <gtest/gtest.h>

#include <thread>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr int adopted = 50, ended_away = 10;

std::string name_of(int number) { return "run" + std::to_string(number); }

pid_t parent_of(pid_t pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  return static_cast<pid_t>(std::stol(text.substr(text.rfind(')') + 4)));
}

auto starts_of(const std::string& job, std::size_t count) {
  return [=](const Reports& all) {
    return std::count_if(all.begin(), all.end(), [&](const Report& r) { return r.job == job; }) >=
           static_cast<std::ptrdiff_t>(count);
  };
}

class Adoption : public ::testing::Test {
 protected:
  ~Adoption() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  bool wait_until_gone(const std::vector<std::string>& jobs) {
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::all_of(all.begin(), all.end(), [&](const Report& report) {
        return report.gone || std::find(jobs.begin(), jobs.end(), report.job) == jobs.end();
      });
    });
  }

  Fleet fleet{{"n1"}, "", Millis(5000)};
};

// S22 local zookeeper
TEST_F(Adoption, OfFiftyRunsKeepsEachExitCodeAndOutput) {
  // With the default kill_grace they could be asked to end T / 2 after the last renewal: before the daemon is back.
  for (int i = 0; i < adopted + ended_away; ++i)
    fleet.job(name_of(i), "kill_grace = \"1s\"\n" + fleet.oracle.command({"--wait", "--say", "I am " + name_of(i)}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  for (int i = 0; i < adopted + ended_away; ++i) ASSERT_EQ(daemon.ballot({"trigger", name_of(i)}).code, 0);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return all.size() == adopted + ended_away; }));
  daemon.kill();
  const Instant killed = Instant::now();
  for (int i = adopted; i < adopted + ended_away; ++i) fleet.oracle.end(name_of(i), 100 + i);
  std::this_thread::sleep_for(seconds(1));
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("adopted", adopted)) << daemon.log;
  ASSERT_TRUE(daemon.wait_for("leads again")) << daemon.log;  // a stop waits for the runs of groups that are led
  std::cout << "adopted " << adopted << " runs " << std::chrono::ceil<Millis>(Instant::now().boot - killed.boot).count()
            << " ms after the kill\n";
  for (int i = 0; i < adopted; ++i) fleet.oracle.end(name_of(i), 100 + i);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) {
    return std::all_of(all.begin(), all.end(), [](const Report& report) { return report.gone.has_value(); });
  }));
  ASSERT_EQ(daemon.stop(), 0);
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(evidence.reports.size(), std::size_t{adopted + ended_away});
  EXPECT_EQ(evidence.ledgers[0].terms.size(), 1u) << "it goes on with the same term";
  std::map<std::string, Row> rows;
  for (const Row& row : evidence.ledgers[0].rows) EXPECT_TRUE(rows.emplace(row.job, row).second) << row.job;
  for (int i = 0; i < adopted + ended_away; ++i) {
    const Row& row = rows[name_of(i)];
    EXPECT_EQ(row.status, Status::failed) << row.job;
    EXPECT_EQ(row.exit_code, 100 + i) << row.job;
    EXPECT_EQ(daemon.ballot({"output", row.run->text()}).out, "I am " + name_of(i) + "\n");
  }
}

TEST_F(Adoption, OfADeadRunnersRunsIsTheirLossAndANewRunnerGoesOn) {
  const std::string every_second = "schedule = \"* * * * * *\"\n";
  for (int i = 0; i < 3; ++i) fleet.job(name_of(i), fleet.oracle.command({"--wait"}));
  fleet.job("long", every_second + fleet.oracle.command({"--for", "1500ms"}));
  fleet.job("brief", every_second + fleet.oracle.command({"--for", "30ms"}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  for (int i = 0; i < 3; ++i) ASSERT_EQ(daemon.ballot({"trigger", name_of(i)}).code, 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(fleet.oracle.wait_until(starts_of(name_of(i), 1)));
  ASSERT_TRUE(fleet.oracle.wait_until(starts_of("long", 1)));
  const pid_t runner = parent_of(fleet.oracle.reports(name_of(0))[0].pid);
  ASSERT_EQ(runner, parent_of(fleet.oracle.reports(name_of(2))[0].pid));
  fleet.fault("n1");
  ASSERT_EQ(::kill(runner, SIGKILL), 0);
  ASSERT_TRUE(wait_until_gone({name_of(0), name_of(1), name_of(2)})) << "its children go with it";
  ASSERT_TRUE(daemon.wait_for("lost: runner_died", 3));
  fleet.healed("n1");
  const std::size_t before = fleet.oracle.reports("long").size();
  ASSERT_TRUE(fleet.oracle.wait_until(starts_of("long", before + 2))) << "a new runner works";
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  std::map<std::string, Reason> reasons;
  for (const Row& row : evidence.ledgers[0].rows) reasons[row.job] = row.reason;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reasons[name_of(i)], Reason::runner_died);
}

}  // namespace
}  // namespace ballot::testing
