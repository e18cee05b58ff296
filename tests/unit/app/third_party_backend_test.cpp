// What a backend that ballot has never heard of brings along: keys, flags, variables, help and a default.
#include <gtest/gtest.h>

#include <filesystem>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

struct ThirdPartyBackend : ::testing::Test {
  std::string configure(const std::string& text) const {
    return folder.write("ballot.toml", "plugin_dir = \"" BALLOT_THIRD_PARTY_PLUGINS
                                       "\"\n[coordination]\nbackend = \"raft\"\nnamespace = \"n\"\n" +
                                           text);
  }
  Ran info(std::vector<std::string> flags, std::vector<std::string> environment = {}) const {
    flags.insert(flags.begin(), {"info", "--config", folder / "ballot.toml"});
    return ballot(std::move(flags), std::move(environment));
  }

  TempFolder folder;
};

TEST_F(ThirdPartyBackend, HasItsKeysChecked) {
  const std::string config = configure("[raft]\npeers = \"a\"\npeer = []\n[group.g.raft]\ncolor = 1\ncolour = \"x\"\n");
  const Ran ran = ballot({"check", config});
  EXPECT_EQ(ran.code, 78);
  for (const char* text : {":6:9: error: [raft] peers must be a list",
                           ":7:8: error: [raft] unknown key 'peer'; allowed: peers, log_color, secret",
                           ":9:9: error: [group.g.raft] color must be a string",
                           ":10:10: error: [group.g.raft] unknown key 'colour'; allowed: color"})
    EXPECT_TRUE(contains(ran.out, config + text)) << ran.out;
}

TEST_F(ThirdPartyBackend, HasItsGroupKeysCheckedInJobFiles) {
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", "[group.g.raft]\ncolour = \"x\"\n");
  const Ran ran = ballot({"check", configure(""), folder / "jobs.d"});
  EXPECT_TRUE(contains(ran.out, "a.toml:2:10: error: [group.g.raft] unknown key 'colour'")) << ran.out;
}

TEST_F(ThirdPartyBackend, HasItsFlagsInTheHelp) {
  configure("");
  const Ran ran = info({"--help"});
  EXPECT_TRUE(contains(ran.out, "its plugin (raft)")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "--raft-peers")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "the peers of a raft")) << ran.out;
  EXPECT_FALSE(contains(ran.out, "--raft-secret")) << "it is for the file and its variable only";
}

TEST_F(ThirdPartyBackend, TakesFlagsThenVariablesThenTheFile) {
  configure("[raft]\nlog_color = \"red\"\n");
  EXPECT_TRUE(contains(info({}).err, "raft logs in red")) << info({}).err;
  EXPECT_TRUE(contains(info({}, {"BALLOT_RAFT_LOG_COLOR=green"}).err, "raft logs in green"));
  EXPECT_TRUE(contains(info({"--raft-log-color", "blue"}, {"BALLOT_RAFT_LOG_COLOR=green"}).err, "raft logs in blue"));
}

TEST_F(ThirdPartyBackend, HasItsFlagsAndVariablesChecked) {
  configure("[raft]\npeers = [\"a\"]\n");
  const std::string text = "the flag or variable for [raft] peers: error: [raft] 'wrong' is not a valid peer";
  const Ran by_flag = info({"--raft-peers", "a,wrong"});
  EXPECT_EQ(by_flag.code, 78);
  EXPECT_TRUE(contains(by_flag.err, text)) << by_flag.err;
  EXPECT_TRUE(contains(info({}, {"BALLOT_RAFT_PEERS=a,wrong"}).err, text));
  EXPECT_EQ(info({"--raft-peer", "a"}).code, 2);
}

TEST_F(ThirdPartyBackend, IsNotAskedByCommandsThatNeedNoStore) {
  configure("[raft]\npeers = 1\n");
  const Ran ran = ballot({"jobs", "--config", folder / "ballot.toml"});
  EXPECT_EQ(ran.code, 69) << "its daemon is asked, which does not run\n" << ran.err;
}

}  // namespace
}  // namespace ballot::app
