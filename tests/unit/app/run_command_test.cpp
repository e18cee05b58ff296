// `ballot run` beside job files: a group that jobs are in is their daemon's.
#include <gtest/gtest.h>

#include <filesystem>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

TEST(RunCommand, IsNoCandidateOfTheNodesNameInAGroupThatJobsAreIn) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", "[job.hello]\nschedule = \"0 2 * * *\"\ncommand = [\"/bin/true\"]\n");
  const std::string config =
      folder.write("ballot.toml", "node = \"host-1\"\njobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" +
                                      folder / "state" + "\"\nrun_dir = \"" + folder / "run" + "\"\n");
  const auto run = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments{"run", "once", "--config", config};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--", "/bin/true"});
    return ballot(arguments);
  };
  const Ran same = run({});
  EXPECT_EQ(same.code, 2) << same.err;
  EXPECT_TRUE(contains(same.err, "group default is that of jobs in " + folder / "jobs.d" + ", such as hello"))
      << same.err;
  EXPECT_EQ(run({"--candidate-id", "host-1"}).code, 2);
  const Ran named = run({"--candidate-id", "other"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_TRUE(contains(named.err, "they wait while this candidate leads")) << named.err;
  const Ran own = run({"--group", "backup"});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_FALSE(contains(own.err, "is that of jobs")) << own.err;
  EXPECT_EQ(run({"--namespace", "elsewhere"}).code, 0) << "another election";
}

}  // namespace
}  // namespace ballot::app
