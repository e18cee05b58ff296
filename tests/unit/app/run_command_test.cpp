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

/// A state_dir names another store only where the store lies in it, and only where it is another one.
TEST(RunCommand, IsNoCandidateOfTheNodesNameInADaemonsStoreWhateverStateDirIsGiven) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", "[job.hello]\nschedule = \"0 2 * * *\"\ncommand = [\"/bin/true\"]\n");
  const auto configure = [&](const std::string& more) {
    folder.write("ballot.toml", "node = \"host-1\"\njobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" +
                                    folder / "state" + "\"\nrun_dir = \"" + folder / "run" + "\"\n" + more);
  };
  const auto run_with = [&](const std::string& state_dir) {
    return ballot({"run", "once", "--config", folder / "ballot.toml", "--state-dir", state_dir, "--", "/bin/true"});
  };
  configure("");
  EXPECT_EQ(run_with(folder / "state").code, 2) << "that of ballot.toml";
  const std::string own = folder / "own", served = folder / "served";
  EXPECT_EQ(run_with(own).code, 0) << "a store of its own";
  std::filesystem::create_directory(served);
  folder.write("served/history.db", "");
  const Ran beside_ledger = run_with(served);
  EXPECT_EQ(beside_ledger.code, 2) << "`serve --state-dir` of the same folder";
  EXPECT_TRUE(contains(beside_ledger.err, "group default is that of jobs in")) << beside_ledger.err;
  configure("[local]\npath = \"" + folder / "store" + "\"\n");
  EXPECT_EQ(run_with(own).code, 2) << "the store lies elsewhere";
}

}  // namespace
}  // namespace ballot::app
