// run_on = "each": which instances of which jobs are in force on a node.
#include <gtest/gtest.h>

#include "config/jobs_dir.hpp"
#include "config/other_instance.hpp"
#include "job_file_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

const std::string trim = "[job.trim]\nrun_on = \"each\"\nshell = \"true\"\n";

JobSettings settings_of(const std::string& node) {
  JobSettings settings;
  settings.node = node;
  return settings;
}

TEST(Each, IsAnInstanceOfTheNodeInAGroupOfTheNode) {
  const Job instance = job("run_on = \"each\"\ngroup = \"disks\"\nshell = \"true\"\n", settings_of("web.1"));
  EXPECT_EQ(instance.name, "x@web.1");
  EXPECT_EQ(instance.group, "disks@web.1");
  EXPECT_EQ(job("run_on = \"leader\"\nshell = \"true\"\n", settings_of("web.1")).name, "x");
  EXPECT_EQ(job("run_on = \"each\"\nshell = \"true\"\n").name, "x") << "where files are checked for no node";
}

TEST(Each, SaysTheSameOnEveryNodeButWhenItIsDue) {
  const std::string text = trim + "schedule = \"H H * * *\"\n";
  const JobFile a = read(text, settings_of("a")), b = read(text, settings_of("b"));
  ASSERT_EQ(a.definitions.size() + b.definitions.size(), 2u) << text_of(a.diagnostics);
  const schedule::Definition &one = *a.definitions[0].definition, &other = *b.definitions[0].definition;
  EXPECT_EQ(one.digest, other.digest);
  EXPECT_NE(one.plan.next(WallTime{}, {})->at, other.plan.next(WallTime{}, {})->at);
  EXPECT_NE(one.digest,
            read("[job.trim]\nshell = \"true\"\nschedule = \"H H * * *\"\n").definitions[0].definition->digest);
}

/// Of a node that does not answer, any other says what is due there.
TEST(Each, IsDueOnAnotherNodeAsThatNodesOwnFilesHaveIt) {
  TempFolder folder;
  const std::string disks = "[group.disks]\ncandidates = [\"web-*\"]\n";
  folder.write("x.toml", trim + "schedule = \"H H * * *\"\ngroup = \"disks\"\n" + disks);
  const auto loaded_on = [&](const std::string& node) {
    JobsDir jobs(folder.path(), settings_of(node));
    jobs.reload();
    return jobs.set();
  };
  const JobSet here = loaded_on("web-1"), there = loaded_on("web-2");
  const auto definition = definition_on(here, "web-1", "trim@web-2");
  ASSERT_TRUE(definition && there.definitions.contains("trim@web-2"));
  const auto& own = *there.definitions.find("trim@web-2");
  EXPECT_EQ(definition->job.name, "trim@web-2");
  EXPECT_EQ(definition->job.group, "disks@web-2");
  EXPECT_EQ(definition->digest, own->digest);
  EXPECT_EQ(definition->plan.next(WallTime{}, {})->at, own->plan.next(WallTime{}, {})->at);
  EXPECT_EQ(definition_on(here, "web-1", "trim@web-1"), nullptr) << "it is this node's own";
  EXPECT_EQ(definition_on(here, "web-1", "trim@db-1"), nullptr) << "the group is not for that node";
  EXPECT_EQ(definition_on(here, "web-1", "trim"), nullptr);
  EXPECT_EQ(definition_on(here, "web-1", "other@web-2"), nullptr);
}

TEST(Each, HasNoOtherLeader) {
  EXPECT_EQ(findings(trim + "on_error = \"reelect\"\n"),
            "x.toml:4:12: error: 'on_error' cannot be 'reelect' where 'run_on' is 'each': a node's own instance has no "
            "other leader\n");
}

class EachInForce : public ::testing::Test {
 protected:
  std::string in_force() const {
    std::string text;
    for (const auto& definition : jobs_.set().definitions) text += definition->job.name + ' ';
    return text;
  }
  /// "+added ~changed -removed".
  std::string reload() {
    const Changes changes = jobs_.reload();
    std::string text;
    for (const auto& each : changes.added) text += '+' + each->job.name;
    for (const auto& each : changes.changed) text += '~' + each->job.name;
    for (const auto& each : changes.removed) text += '-' + each->job.name;
    return text;
  }

  TempFolder folder_;
  JobsDir jobs_{folder_.path(), settings_of("web-1")};
};

TEST_F(EachInForce, OnCandidatesOfItsGroup) {
  folder_.write("trim.toml", trim);
  EXPECT_EQ(reload(), "+trim@web-1");
  folder_.write("group.toml", "[group.default]\ncandidates = [\"db-*\"]\n");
  EXPECT_EQ(reload(), "-trim@web-1");
  folder_.write("group.toml", "[group.default]\ncandidates = [\"db-*\", \"web-?\"]\nmax_running = 3\n");
  EXPECT_EQ(reload(), "+trim@web-1");
  const auto groups = groups_in_force(jobs_.set());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].name, "default@web-1");
  EXPECT_EQ(groups[1].max_running, 3);
  EXPECT_TRUE(groups[1].candidates.empty());
}

TEST_F(EachInForce, IsAnotherJobThanTheLeaders) {
  folder_.write("trim.toml", "[job.trim]\nshell = \"true\"\n");
  EXPECT_EQ(reload(), "+trim");
  folder_.write("trim.toml", trim);
  EXPECT_EQ(reload(), "+trim@web-1-trim");
  folder_.write("trim.toml", trim + "nice = 1\n");
  EXPECT_EQ(reload(), "~trim@web-1");
  folder_.write("trim.toml", "[job.trim]\nshell = \"true\"\n");
  EXPECT_EQ(reload(), "+trim-trim@web-1");
}

TEST_F(EachInForce, KeepsTheNameOfItsFile) {
  folder_.write("a.toml", trim);
  folder_.write("b.toml", "[job.trim]\nshell = \"false\"\n");
  EXPECT_EQ(reload(), "+trim@web-1");
  const std::string first = folder_ / "a.toml";
  EXPECT_EQ(text_of(jobs_.set().diagnostics), (folder_ / "b.toml") + ":1:6: error: job 'trim' is already defined at " +
                                                  first + ":1, and counts there; rename this one\n");
  ASSERT_TRUE(jobs_.place_of("trim@web-1"));
  EXPECT_EQ(jobs_.place_of("trim@web-1")->file, first);
  std::filesystem::remove(first);
  EXPECT_EQ(reload(), "+trim-trim@web-1");
}

}  // namespace
}  // namespace ballot::config
