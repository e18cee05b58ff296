#include "core/views.hpp"

#include <gtest/gtest.h>

#include "unit/core/group_of_node_a.hpp"
#include "unit/core/runs_of_a_node.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

struct ViewsOfThreeJobs : ::testing::Test {
  ViewsOfThreeJobs() {
    for (const char* name : {"c", "a", "b"}) table.entry(name).machine.define(definition(name));
    table.entry("undefined");
    groups.entry("g", guard);
  }

  static schedule::DefinitionPtr definition(const std::string& name) {
    Job job;
    job.name = name;
    job.group = "g";
    job.enabled = name != "b";
    schedule::PlanSpec spec;
    spec.expressions = {"0 0 * * *"};
    spec.group = "g";
    spec.job = name;
    return std::make_shared<schedule::Definition>(job, std::get<schedule::Plan>(schedule::Plan::make(spec)), "digest");
  }

  /// One page from `after` on, of `most` entries.
  std::pair<Names, Views::Next> page(const std::string& after, std::size_t most) const {
    Names names;
    auto next = views.visit_jobs(now, after, most, [&](const JobView& job) { names.emplace_back(job.name); });
    return {names, next};
  }
  JobView view(const std::string& name) const {
    JobView found;
    views.visit_jobs(now, "", 10, [&](const JobView& job) {
      if (job.name == name) found = job;
    });
    return found;
  }
  GroupEntry& group() { return *groups.find("g"); }

  const std::string node = "n1";
  const WallTime now{24h};
  StoreGuard guard;
  JobTable table;
  GroupTable groups;
  NodeDirectory directory{node, {}};
  RunsOfANode runs;
  const Views views{node, table, groups, directory};
};

TEST_F(ViewsOfThreeJobs, ComeByNameAndOnlyThoseThatTheFilesDefine) {
  EXPECT_EQ(page("", 10), std::pair(Names{"a", "b", "c"}, Views::Next()));
}

/// As after a restart, when registers are read to find runs of the process before.
TEST_F(ViewsOfThreeJobs, AnEveryThatAnotherNodeLeadsCountsFromWhereItsRegisterSays) {
  Job job;
  job.name = "a";
  job.group = "g";
  schedule::PlanSpec spec;
  spec.expressions = job.schedule = {"@every 7s"};
  spec.group = "g";
  spec.job = "a";
  JobMachine& machine = table.entry("a").machine;
  machine.define(
      std::make_shared<schedule::Definition>(job, std::get<schedule::Plan>(schedule::Plan::make(spec)), "digest"));
  EXPECT_FALSE(views.planned("a", now, now, now + 1min, 1)) << "nobody has said where it counts from";
  JobRegister stored;
  stored.group = "g";
  stored.definition = "d";
  stored.timing = {"UTC", {"@every 7s"}, {}, {}};
  stored.epoch = stored.fence = 1;
  stored.since = now - 1h;
  stored.anchors.push_back({"@every 7s", now - 4s});
  runs.read(machine, stored);
  EXPECT_EQ(views.planned("a", now, now, now + 1min, 1), std::vector{now + 3s});
  EXPECT_EQ(view("a").next, now + 3s);
}

TEST_F(ViewsOfThreeJobs, ComeSomeAtATimeAndEachOnce) {
  EXPECT_EQ(page("", 2), std::pair(Names{"a", "b"}, Views::Next("b")));
  EXPECT_EQ(page("b", 1), std::pair(Names{"c"}, Views::Next("c")));
  EXPECT_EQ(page("c", 1), std::pair(Names{}, Views::Next())) << "the last entry is none that the files define";
}

TEST_F(ViewsOfThreeJobs, GoOnAfterANameThatIsGone) { EXPECT_EQ(page("aa", 10).first, (Names{"b", "c"})); }

TEST_F(ViewsOfThreeJobs, ShowTheFirstStateThatIsSo) {
  EXPECT_EQ(view("a").state, JobState::active);
  EXPECT_EQ(view("a").next, WallTime(48h));
  EXPECT_EQ(view("b").state, JobState::disabled);
  EXPECT_EQ(view("b").next, std::nullopt);
  group().drift = {"n2"};
  EXPECT_EQ(text_of(view("a")), "drift");
  EXPECT_EQ(view("b").state, JobState::disabled);
}

TEST_F(ViewsOfThreeJobs, SayWhichGroupHasNotReleasedAJob) {
  JobEntry& entry = table.entry("a");
  runs.take_over(entry.machine, 0);  // its register names g
  Job moved = definition("a")->job;
  moved.group = "other";
  entry.machine.define(std::make_shared<schedule::Definition>(moved, definition("a")->plan, "digest"));
  EXPECT_EQ(text_of(view("a")), "waiting for group g");
}

TEST_F(ViewsOfThreeJobs, ShowTheRunsThatHaveNotEnded) {
  JobEntry& entry = table.entry("a");
  const RunId run = runs.begin(entry.machine);
  table.rearm(entry);
  Names shown;
  const auto visit = [&](const RunView& view) {
    EXPECT_EQ(view.id, run);
    shown.push_back(std::string(view.job) + " " + std::string(view.state) + " on " + std::string(view.node));
  };
  EXPECT_EQ(views.visit_runs("", 1, visit), Views::Next("a"));
  EXPECT_EQ(shown, Names{"a running on n1"});
  EXPECT_EQ(views.open_runs(), 1);
  runs.end(entry.machine, run);
  table.rearm(entry);
  views.visit_runs("", 10, visit);
  EXPECT_EQ(shown.size(), 1U) << "it has ended";
  EXPECT_EQ(views.open_runs(), 0);
}

TEST_F(ViewsOfThreeJobs, ShowGroups) {
  group().drift = {"n2"};
  const auto check = [](const GroupView& shown) {
    EXPECT_EQ(shown.name, "g");
    EXPECT_EQ(shown.state, "idle");
    EXPECT_EQ(shown.epoch, 0U);
    EXPECT_EQ(shown.drift, Names{"n2"});
  };
  EXPECT_EQ(views.visit_groups("", 1, check), std::nullopt);
}

/// What other nodes ask whoever leads a job for.
TEST_F(GroupOfNodeA, ShowsWhetherARunOfAJobGoesOnToWhoAsksItsLeader) {
  JobEntry& job = parts.jobs.entry("a");
  job.machine.define(ViewsOfThreeJobs::definition("a"));
  const Views views{parts.settings.node, parts.jobs, parts.groups, parts.directory};
  RunsOfANode runs;
  const RunId run = runs.begin(job.machine);
  EXPECT_FALSE(views.find_job(now().wall, "a")->is_running) << "only who leads it knows";
  lead();
  EXPECT_TRUE(views.find_job(now().wall, "a")->is_running);
  runs.end(job.machine, run);
  EXPECT_FALSE(views.find_job(now().wall, "a")->is_running);
}

TEST(NodesThatMayLead, AreThisNodeAndThoseThatAreNotKnownToBeGone) {
  NodeDirectory directory{"n1", {}};
  const Group all{.name = "all"}, batch{.name = "batch", .candidates = {"batch-*"}};
  EXPECT_TRUE(directory.has_candidate(batch)) << "the others are not known yet";
  const Now begin{WallTime(24h), SteadyTime(1h)}, later{WallTime(26h), SteadyTime(3h)};
  directory.learn(begin, {});
  EXPECT_TRUE(directory.has_candidate(all));
  EXPECT_FALSE(directory.has_candidate(batch));
  const NodeRecord record{"batch-1", "s2", "", begin.wall, {{"batch", 1}}};
  directory.learn(begin, {{"n/batch-1.1", to_texts(record).at(0), 1}});
  EXPECT_TRUE(directory.has_candidate(batch));
  directory.see(later, all, {"all", 3, {}});
  EXPECT_FALSE(directory.has_candidate(batch)) << "it is gone";
  directory.on_lost();
  EXPECT_TRUE(directory.has_candidate(batch)) << "nobody else is known in an outage";
}

}  // namespace
}  // namespace ballot::core
