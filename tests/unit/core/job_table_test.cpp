#include "core/jobs/job_table.hpp"

#include <gtest/gtest.h>

#include "unit/core/runs_of_a_node.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// Its order is that of becoming known, which is not that of the names.
struct TableOfThreeJobs : ::testing::Test {
  using Jobs = std::vector<JobEntry*>;
  JobTable table;
  JobEntry &c = table.entry("c"), &a = table.entry("a"), &b = table.entry("b");

  static WallTime wall(Millis t) { return WallTime(t); }
  static SteadyTime steady(Millis t) { return SteadyTime(t); }
  void wake(JobEntry& job, std::optional<Millis> on_wall, std::optional<Millis> on_steady = {}) {
    job.machine.wall_wake = on_wall ? std::optional(wall(*on_wall)) : std::nullopt;
    job.machine.steady_wake = on_steady ? std::optional(steady(*on_steady)) : std::nullopt;
    table.rearm(job);
  }
  Jobs due(Millis on_wall, Millis on_steady = 0ms) const { return table.due({wall(on_wall), steady(on_steady)}, 100); }
};

/// Of a hundred thousand jobs each byte counts: malloc gives memory in steps of 16 bytes, of which 8 are its own.
TEST(JobTable, NeedsNoMoreMemoryForAJobThanItDid) {
  EXPECT_LE(sizeof(JobEntry), 632u);
  EXPECT_LE(sizeof(schedule::Definition), 216u);
}

TEST_F(TableOfThreeJobs, KnowsEachOnceAndNumbersThemAsTheyBecomeKnown) {
  EXPECT_EQ(&table.entry("a"), &a);
  EXPECT_EQ(c.serial, 0u);
  EXPECT_EQ(a.serial, 1u);
  EXPECT_EQ(b.serial, 2u);
  EXPECT_EQ(a.machine.name(), "a");
  std::string names;
  for (const auto& job : table.all()) names += job->machine.name();
  EXPECT_EQ(names, "abc");
}

TEST_F(TableOfThreeJobs, FindsThemByNameAndMakesNone) {
  EXPECT_EQ(table.find("b"), &b);
  EXPECT_EQ(table.find("d"), nullptr);
  EXPECT_EQ(std::as_const(table).find("b"), &b);
  EXPECT_EQ(std::as_const(table).find("d"), nullptr);
  EXPECT_EQ(table.all().size(), 3u);
}

TEST_F(TableOfThreeJobs, KeepsWhereItsJobsAreHoweverManyComeToIt) {
  for (int i = 0; i < 1000; ++i) table.entry("job" + std::to_string(i));
  EXPECT_EQ(table.find("c"), &c);
  EXPECT_EQ(table.entry("last").serial, 1003u);
}

TEST_F(TableOfThreeJobs, FindsThemByTheirRunsUntilThoseAreForgotten) {
  Random random(1);
  const RunId first = random.run_id({}), second = random.run_id({}), another = random.run_id({});
  RunId alike = first;  // its random part is the same, by which the table looks for it
  alike.bytes[0] += 1;
  table.keep(first, a);
  table.keep(second, a);
  table.keep(another, b);
  EXPECT_EQ(table.find(first), &a);
  EXPECT_EQ(table.find(second), &a);
  EXPECT_EQ(table.find(another), &b);
  EXPECT_EQ(table.find(alike), nullptr);
  table.forget(first);
  table.forget(first);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.find(second), &a) << "only the one";
}

TEST_F(TableOfThreeJobs, WakesNobodyWhoDoesNotWantTo) {
  EXPECT_FALSE(table.wall_wake());
  EXPECT_FALSE(table.steady_wake());
  EXPECT_EQ(due(1h, 1h), Jobs{});
}

TEST_F(TableOfThreeJobs, WakesEachWhenItsTimeHasComeAndNotBefore) {
  wake(a, 10s);
  wake(b, {}, 20s);
  EXPECT_EQ(due(9'999ms, 19'999ms), Jobs{});
  EXPECT_EQ(due(10s), Jobs{&a});
  EXPECT_EQ(due(0s, 20s), Jobs{&b}) << "each by its own clock";
  EXPECT_EQ(due(10s), Jobs{&a}) << "until it has been armed otherwise";
}

TEST_F(TableOfThreeJobs, WakesThoseThatAreDueInTheOrderOfBecomingKnownWhateverTheirTimes) {
  wake(b, 1s);
  wake(a, {}, 1s);
  wake(c, 3s);
  EXPECT_EQ(due(3s, 3s), (Jobs{&c, &a, &b}));
}

TEST_F(TableOfThreeJobs, WakesAJobOnceThatIsDueByBothClocks) {
  wake(a, 1s, 1s);
  wake(b, 1s, 2s);
  EXPECT_EQ(due(3s, 3s), (Jobs{&a, &b}));
}

TEST_F(TableOfThreeJobs, WakesOfVeryManyThoseThatWaitLongest) {
  const Now now{wall(5s), steady(5s)};
  EXPECT_FALSE(table.has_due(now));
  wake(c, 4s);
  wake(a, 3s);
  wake(b, 2s);
  EXPECT_TRUE(table.has_due(now));
  EXPECT_EQ(table.due(now, 2), (Jobs{&a, &b}));
  wake(a, {});
  wake(b, {}, 6s);
  EXPECT_EQ(table.due(now, 2), Jobs{&c});
  wake(c, {}, 5s);
  EXPECT_TRUE(table.has_due(now));
  wake(c, 6s, 6s);
  EXPECT_FALSE(table.has_due(now));
}

TEST_F(TableOfThreeJobs, WakesAJobWhenItWasArmedLast) {
  wake(a, 10s, 10s);
  wake(a, 20s, 30s);
  EXPECT_EQ(due(19s, 29s), Jobs{});
  EXPECT_EQ(table.wall_wake(), wall(20s));
  EXPECT_EQ(table.steady_wake(), steady(30s));
  wake(a, 20s, 30s);
  EXPECT_EQ(due(20s), Jobs{&a});
  wake(a, {}, {});
  EXPECT_EQ(due(1h, 1h), Jobs{});
  EXPECT_FALSE(table.wall_wake());
  EXPECT_FALSE(table.steady_wake());
}

TEST_F(TableOfThreeJobs, TellsTheNearestOfAllTimes) {
  wake(a, 20s, 7s);
  wake(b, 10s, 8s);
  wake(c, 10s);
  EXPECT_EQ(table.wall_wake(), wall(10s));
  EXPECT_EQ(table.steady_wake(), steady(7s));
  wake(b, 30s);
  EXPECT_EQ(table.wall_wake(), wall(10s)) << "another one's, at the same time";
  wake(c, {});
  EXPECT_EQ(table.wall_wake(), wall(20s));
}

TEST_F(TableOfThreeJobs, KnowsWhichHaveRunsThatHaveNotEnded) {
  RunsOfANode runs;
  const RunId of_b = runs.begin(b.machine), of_c = runs.begin(c.machine);
  EXPECT_EQ(table.open(), Jobs{}) << "rearm() says so";
  table.rearm(b);
  table.rearm(c);
  table.rearm(a);
  EXPECT_EQ(table.open(), (Jobs{&c, &b}));
  const RunId second = runs.begin(c.machine);
  runs.end(c.machine, of_c);
  table.rearm(c);
  EXPECT_EQ(table.open(), (Jobs{&c, &b})) << "one of two goes on";
  runs.end(c.machine, second);
  table.rearm(c);
  EXPECT_EQ(table.open(), Jobs{&b});
  runs.end(b.machine, of_b);
  table.rearm(b);
  EXPECT_EQ(table.open(), Jobs{});
}

}  // namespace
}  // namespace ballot::core
