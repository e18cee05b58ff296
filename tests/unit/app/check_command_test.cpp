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

TEST_F(CheckCommand, PrintsTheFirstHundredFindingsOfAFileOfAFolderWithThoseOfItsChains) {
  std::filesystem::create_directory(folder / "jobs");
  std::string many = bad_job;
  for (int i = 0; i < 500; ++i) many += "[job.j" + std::to_string(i) + "]\nafter = [\"none\"]\nshell = \"true\"\n";
  folder.write("jobs/a.toml", many);
  const Ran ran = ballot({"check", folder / "jobs"});
  EXPECT_TRUE(contains(ran.out, "a.toml:4:1: error: unknown key 'nise'")) << ran.out;
  EXPECT_TRUE(contains(ran.out, ": error: 402 further findings are left out; mend the ones above first\n")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n0 jobs, 101 errors, 0 warnings\n")) << ran.out;
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

TEST_F(CheckCommand, FindsABackendThatServeWouldRefuse) {
  const std::string config =
      folder.write("ballot.toml", "plugin_dir = \"" BALLOT_MEMORY_PLUGINS "\"\n[coordination]\nbackend = \"memori\"\n");
  const Ran ran = ballot({"check", config});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, config + ":3:11: error: backend 'memori' cannot be used: ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "'memory'")) << ran.out;
}

TEST_F(CheckCommand, FindsProgramsAndFilesThatAreNotThere) {
  const std::string job = folder.write("job",
                                       "[job.a]\ncommand = [\"/no/such/program\"]\non_failure = [\"nonesuch\"]\n"
                                       "working_dir = \"/no/such/folder\"\n"
                                       "[job.b]\ncommand = [\"true\"]\n"
                                       "[job.c]\ncommand = [\"tool\"]\nenv = { PATH = \"" +
                                           folder.path() + "\" }\n");
  const Ran ran = ballot({"check", job});
  EXPECT_EQ(ran.code, 0) << "they may be there when it is due";
  EXPECT_TRUE(contains(ran.out, job + ":2:11: warning: '/no/such/program' is not there\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, job + ":3:14: warning: no program 'nonesuch' is in the PATH of a run, ")) << ran.out;
  EXPECT_TRUE(contains(ran.out, job + ":4:15: warning: '/no/such/folder' is not there\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, job + ":8:11: warning: no program 'tool' is in the PATH of a run, " + folder.path()))
      << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n3 jobs, 0 errors, 4 warnings\n")) << ran.out;
}

TEST_F(CheckCommand, FindsNamesThatAreNotRead) {
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", good_job);
  for (const auto* name : {"b.conf", "c.toml~", ".d.toml.swp", "e.toml.dpkg-old", "README"})
    folder.write(std::string("jobs.d/") + name, "");
  const Ran ran = ballot({"check", folder / "jobs.d"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(contains(ran.out, "/b.conf:1:1: warning: is not read: ")) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\n1 job, 0 errors, 1 warning\n"))
      << ran.out << "what is left there on purpose is none";
}

TEST_F(CheckCommand, FindsFoldersThatServeWouldRefuse) {
  std::filesystem::create_directory(folder / "state");
  std::filesystem::create_directory(folder / "jobs.d");
  std::filesystem::permissions(folder / "state", std::filesystem::perms::all);
  const std::string config =
      folder.write("ballot.toml", "state_dir = \"" + folder / "state" + "\"\njobs_dir = \"" + folder / "jobs.d" +
                                      "\"\nrun_dir = \"" + folder.path() + "\"\n");
  const Ran ran = ballot({"check", "--config", config});
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.out, folder / "state" + ": error: the folder is not used: ")) << ran.out;
}

/// Others could put another socket in its place: `serve` says so in the same words.
TEST_F(CheckCommand, FindsSocketsInFoldersThatServeWouldRefuse) {
  for (const char* made : {"jobs.d", "run", "open"}) std::filesystem::create_directory(folder / made);
  std::filesystem::permissions(folder / "open", std::filesystem::perms::all);
  const std::string fault = " is not made: " + folder / "open" + " is writable by others (mode 0777)";
  const auto config = [&](const std::string& tables) {
    return folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder / "run" +
                                           "\"\nrun_dir = \"" + folder / "run" + "\"\n" + tables);
  };
  const std::string api = folder / "open/api.sock", control = folder / "open/control.sock";
  const std::string bad_api = config("[http]\nlisten = \"" + api + "\"\n");
  Ran checked = ballot({"check", "--config", bad_api});
  EXPECT_EQ(checked.code, 78) << checked.out;
  EXPECT_TRUE(contains(checked.out, "error: [http] listen: the API's socket " + api + fault)) << checked.out;
  EXPECT_TRUE(contains(ballot({"check", bad_api}).out, api + fault)) << "a configuration that is named, too";
  const Ran served = ballot({"serve", "--config", bad_api});
  EXPECT_EQ(served.code, 78) << served.err;
  EXPECT_TRUE(contains(served.err, "[http] listen: the API's socket " + api + fault)) << served.err;

  const std::string bad_control = config("[control]\nsocket = \"" + control + "\"\n");
  checked = ballot({"check", "--config", bad_control});
  EXPECT_EQ(checked.code, 78) << checked.out;
  EXPECT_TRUE(contains(checked.out, "error: the control socket " + control + fault)) << checked.out;
  EXPECT_TRUE(contains(checked.out, "; [control] socket sets another one\n")) << checked.out;

  const std::string later = folder / "later/api.sock";
  checked = ballot({"check", "--config", config("[http]\nlisten = \"" + later + "\"\n")});
  EXPECT_EQ(checked.code, 0) << "its folder may be made before the daemon starts: " << checked.out;
}

TEST_F(CheckCommand, FindsTokensAndCertificatesThatServeWouldRefuse) {
  std::filesystem::create_directory(folder / "jobs.d");
  const std::string tokens = folder / "tokens";
  const auto check = [&](const std::string& http) {
    return ballot(
        {"check", "--config",
         folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\n[http]\nlisten = \"127.0.0.1:0\"\n" +
                                         "tokens = \"" + tokens + "\"\n" + http)});
  };
  Ran ran = check("");
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.out, "error: [http] tokens: " + tokens +
                                    ": No such file or directory: `ballot token new NAME "
                                    "--role viewer --append " +
                                    tokens + "` makes it\n"))
      << ran.out;
  folder.write("tokens", "");
  std::filesystem::permissions(tokens, std::filesystem::perms(0644));
  ran = check("");
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.out, "[http] tokens: " + tokens + ": is open to others (mode 0644)")) << ran.out;
  std::filesystem::permissions(tokens, std::filesystem::perms(0600));
  EXPECT_EQ(check("").code, 0);
  ran = check("tls_cert = \"" + folder / "cert" + "\"\ntls_key = \"" + folder / "key" + "\"\n");
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.out, "error: [http] tls_cert: " + folder / "cert")) << ran.out;
  folder.write("tokens", "no token\n");
  std::filesystem::permissions(tokens, std::filesystem::perms(0600));
  ran = check("");
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.out, "[http] tokens: " + tokens + ": line 1: ")) << ran.out;
}

TEST_F(CheckCommand, SaysThatAFileIsMissing) {
  const Ran ran = ballot({"check", folder / "none.toml"});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.out, "none.toml")) << ran.out;
}

}  // namespace
}  // namespace ballot::app
