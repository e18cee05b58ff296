#include <gtest/gtest.h>

#include <filesystem>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

constexpr const char* good_job = "[job.a]\nschedule = \"0 2 * * *\"\ncommand = [\"/bin/true\"]\n";
constexpr const char* bad_job = "[job.b]\nschedule = \"0 99 * * *\"\ncommand = [\"/bin/true\"]\nnise = 3\n";

struct CheckCommand : ::testing::Test {
  TempFolder folder;
};

TEST_F(CheckCommand, FindsEverythingAndSumsUp) {
  const std::string bad = folder.write("b.toml", bad_job);
  const Ran ran = ballot({"check", bad});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, bad + ":2:")) << ran.out;
  EXPECT_TRUE(contains(ran.out, bad + ":4:1: error: unknown key 'nise'; did you mean 'nice'?")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n0 jobs, 2 errors, 0 warnings\n")) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST_F(CheckCommand, IsContentWithWhatIsRight) {
  const Ran ran = ballot({"check", folder.write("any name", good_job)});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(ran.out, "1 job, 0 errors, 0 warnings\n");
}

TEST_F(CheckCommand, LooksAtTheConfigurationAndItsJobsByDefault) {
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", good_job);
  folder.write("jobs.d/b.toml", bad_job);
  const std::string config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nnod = \"x\"\n");
  const Ran ran = ballot({"check", "--config", config});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, config + ":2:1: error: unknown key 'nod'")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "b.toml:4:1: error")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n1 job, 3 errors, 0 warnings\n")) << ran.out;
}

TEST_F(CheckCommand, TakesFoldersFilesAndAConfigurationTogether) {
  std::filesystem::create_directory(folder / "jobs");
  folder.write("jobs/a.toml", good_job);
  const std::string config = folder.write("ballot.toml", "timezone = \"Europe/Paris\"\n");
  const std::string other = folder.write("other", "[job.c]\ncommand = [\"/bin/true\"]\n");
  const Ran ran = ballot({"check", config, folder / "jobs", other});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("2 jobs, 0 errors, 0 warnings\n")) << ran.out;
}

TEST_F(CheckCommand, SaysThatAFileIsMissing) {
  const Ran ran = ballot({"check", folder / "none.toml"});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, "none.toml")) << ran.out;
}

}  // namespace
}  // namespace ballot::app
