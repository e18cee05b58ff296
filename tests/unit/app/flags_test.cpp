// Flags and variables that no other test gives: each is read, and stands for its setting and no other.
#include <gtest/gtest.h>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;

TEST(Flags, OfRunAreReadFromTheEnvironmentToo) {
  struct Wrong {
    std::string command, variable, value, message;
  };
  for (const auto& [command, variable, value, message] :
       {Wrong{"once", "BALLOT_MAX_WAIT", "soon", "must be a duration such as 10s, not 'soon'"},
        {"once", "BALLOT_KILL_GRACE", "5", "must be a duration such as 10s, not '5'"},
        {"once", "BALLOT_ON_CHILD_SUCCESS", "stop", "rerun, reelect, exit"},
        {"once", "BALLOT_ON_ELECTION_FAILURE", "rerun", "retry, run-anyway"}}) {
    const auto ran = ballot({"run", command, "--", "/bin/true"}, {variable + "=" + value});
    EXPECT_EQ(ran.code, 2) << variable;
    EXPECT_TRUE(contains(ran.err, variable + ": ")) << ran.err;
    EXPECT_TRUE(contains(ran.err, message)) << ran.err;
  }
  const auto schedule = ballot({"run", "cron", "--", "/bin/true"}, {"BALLOT_SCHEDULE=61 * * * *"});
  EXPECT_NE(schedule.code, 0);
  EXPECT_TRUE(contains(schedule.err, "61")) << schedule.err;
  const auto zone =
      ballot({"run", "cron", "--", "/bin/true"}, {"BALLOT_SCHEDULE=* * * * *", "BALLOT_TIMEZONE=No/Where"});
  EXPECT_NE(zone.code, 0);
  EXPECT_TRUE(contains(zone.err, "No/Where")) << zone.err;
}

TEST(Flags, OfRunBeatTheirVariables) {
  const TempFolder folder;
  const std::string once = "test -e " + (folder / "f") + " && exit 7; touch " + (folder / "f");
  const std::vector<std::string> variables{"BALLOT_ON_CHILD_SUCCESS=rerun", "BALLOT_ON_CHILD_ERROR=exit",
                                           "BALLOT_STATE_DIR=" + (folder / "state")};
  EXPECT_EQ(ballot({"run", "once", "--on-child-success", "exit", "--", "/bin/sh", "-c", once}, variables).code, 0);
  std::filesystem::remove(folder / "f");
  EXPECT_EQ(ballot({"run", "once", "--", "/bin/sh", "-c", once}, variables).code, 7) << "it ran twice";
}

TEST(Flags, PluginDirIsWhereServeLooksForItsBackend) {
  const TempFolder folder;
  const std::string file = folder.write("ballot.toml", "jobs_dir = \"" + folder.path() + "\"\n");
  const auto ran =
      ballot({"serve", "--config", file, "--plugin-dir", folder / "none", "--state-dir", folder / "state"});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.err, "there is no plugin folder " + (folder / "none"))) << ran.err;
}

TEST(Flags, TimeoutOfRequestsIsADurationUpToAnHour) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"trigger", "j"},
                                                {"kill", "j"},
                                                {"pause", "j"},
                                                {"resume", "j"},
                                                {"backfill", "j", "--stop"},
                                                {"forget", "123456"},
                                                {"repair", "j"},
                                                {"election", "evict", "g"}})
    for (const char* wrong : {"30", "2h", "0s"}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--timeout", wrong});
      const auto ran = ballot(all);
      EXPECT_EQ(ran.code, 2) << words.front();
      EXPECT_TRUE(contains(ran.err, "must be a duration such as 30s, and at most 1h")) << ran.err;
    }
}

#ifdef BALLOT_WITH_NATS
TEST(Flags, NatsServersIsWhereTheBackendIsLookedFor) {
  const auto ran = ballot({"info", "--backend", "nats", "--nats-servers", "127.0.0.1:99999"});
  EXPECT_EQ(ran.code, 78) << ran.out;
  EXPECT_TRUE(contains(ran.err, "127.0.0.1:99999")) << ran.err;
}
#endif

}  // namespace
}  // namespace ballot::app
