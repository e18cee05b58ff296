#include <gtest/gtest.h>

#include "ballot/plugin.hpp"
#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

void write_program(const TempFolder& folder, std::string_view name, const std::string& script) {
  ::chmod(folder.write(name, "#!/bin/sh\n" + script + "\n").c_str(), 0755);
}

TEST(CommandLine, ShowsItsCommands) {
  const Ran help = ballot({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(contains(help.out, "  history ")) << help.out;
  EXPECT_EQ(help.err, "");
  const Ran none = ballot({});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(contains(none.err, "  history "));
}

TEST(CommandLine, ShowsTheFlagsOfACommand) {
  const Ran help = ballot({"history", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const auto flag : {"--config", "--log-level", "--log-format", "--debug", "--format", "--job", "--follow"})
    EXPECT_TRUE(contains(help.out, flag)) << flag;
}

TEST(CommandLine, HelpShowsTheManPage) {
  const TempFolder folder;
  write_program(folder, "man", "echo \"the page of $1\"");
  const std::vector<std::string> environment{"PATH=" + folder.path()};
  EXPECT_EQ(ballot({"help"}, environment).out, "the page of ballot\n");
  EXPECT_EQ(ballot({"help", "history"}, environment).out, "the page of ballot-history\n");
}

TEST(CommandLine, HelpShowsThePagesTextWhereThereIsNoMan) {
  const TempFolder folder;
  const std::vector<std::string> environment{"PATH=" + folder.path()};
  const Ran without = ballot({"help", "history"}, environment);
  EXPECT_TRUE(contains(without.out, "ballot-history - list what became of every slot")) << without.out;
  EXPECT_EQ(without.code, 0);
  write_program(folder, "man", "echo \"No manual entry for $1\" >&2; exit 16");
  const Ran none = ballot({"help", "election", "list"}, environment);
  EXPECT_TRUE(contains(none.out, "ballot election list [REGEX]")) << none.out;
  EXPECT_EQ(none.err, "");
  const Ran unknown = ballot({"help", "histroy"}, environment);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'history'?")) << unknown.err;
}

TEST(CommandLine, HelpNamesWhatAFlagTakes) {
  const std::string commands = ballot({"--help"}).out;
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check"},
                                                  {"election", "evict"},
                                                  {"election", "run"},
                                                  {"history"},
                                                  {"info"},
                                                  {"jobs"},
                                                  {"kill"},
                                                  {"output"},
                                                  {"pause"},
                                                  {"resign"},
                                                  {"run", "cron"},
                                                  {"schedule"},
                                                  {"serve"},
                                                  {"show"},
                                                  {"status"},
                                                  {"trigger"},
                                                  {"why"}}) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    const Ran help = ballot(words);
    EXPECT_EQ(help.code, 0) << command[0];
    EXPECT_FALSE(contains(help.out, "TEXT")) << help.out;
    EXPECT_TRUE(contains(commands, "\n  " + command[0] + " ")) << command[0];
  }
  EXPECT_TRUE(contains(ballot({"trigger", "--help"}).out, "--timeout DURATION "));
}

TEST(CommandLine, HelpOffersTheBackendsThatAreInstalled) {
  const TempFolder none;
  const std::string help = ballot({"serve", "--help"}, {"BALLOT_PLUGIN_DIR=" + none.path()}).out;
  for (const auto* backend : {"zookeeper", "etcd", "consul", "nats"}) EXPECT_FALSE(contains(help, backend)) << help;
}

TEST(CommandLine, StatusIsMisusedWithACodeOfItsOwn) {
  EXPECT_EQ(ballot({"status", "--bogus"}).code, 3);
  EXPECT_EQ(ballot({"status", "--format", "yaml"}).code, 3);
  EXPECT_EQ(ballot({"jobs", "--bogus"}).code, 2);
}

TEST(CommandLine, SaysNoMoreThanAFewLinesOfWhatIsWrong) {
  const Ran ran = ballot({"audit", std::string(50'000, 'x')});
  EXPECT_EQ(ran.code, 2);
  EXPECT_LT(ran.err.size(), 1000u) << "however long it was";
}

TEST(CommandLine, NamesTheNearestCommand) {
  const Ran ran = ballot({"histroy"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, "unknown command 'histroy'; did you mean 'history'?")) << ran.err;
}

TEST(CommandLine, NamesTheNearestFlag) {
  const Ran ran = ballot({"schedule", "--timezon=UTC", "* * * * *"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(contains(ran.err, "unknown flag '--timezon'; did you mean '--timezone'?")) << ran.err;
}

TEST(CommandLine, NamesTheFlagAlsoWhereAnArgumentIsMissing) {
  const Ran ran = ballot({"schedule", "--cuont", "3"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(contains(ran.err, "'--cuont'")) << ran.err;
}

TEST(CommandLine, TakesFlagsBeforeTheCommandToo) {
  const std::vector<std::string> schedule{"schedule", "0 0 * * *", "--from", "2025-01-01T00:00:00Z"};
  for (const std::vector<std::string>& before :
       {std::vector<std::string>{"--count", "1"}, {"--count=1"}, {"--debug", "--count", "1"}}) {
    std::vector<std::string> all = before;
    all.insert(all.end(), schedule.begin(), schedule.end());
    EXPECT_EQ(ballot(all).out, "2025-01-02T00:00:00Z\n");
  }
  const Ran child = ballot({"--backend", "none", "run", "once", "--", "/bin/echo", "--debug"});
  EXPECT_EQ(child.code, 78) << "they stand before the child's";
  EXPECT_TRUE(contains(child.err, "none")) << child.err;
}

TEST(CommandLine, TakesShortFormsOfElections) {
  const Ran help = ballot({"election", "list", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"elect", "ls"}, {"elec", "i"}, {"elect", "info"}})
    EXPECT_EQ(ballot({words[0], words[1], "--help"}).out, help.out);
}

TEST(CommandLine, RefusesFlagsWithoutACommand) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--config", "x"}, {"--debug"}, {"--x=1"}}) {
    const Ran ran = ballot(flags);
    EXPECT_EQ(ran.code, 2);
    EXPECT_TRUE(contains(ran.err, "no command follows '" + flags[0] + "'")) << ran.err;
  }
  EXPECT_EQ(ballot({"--version"}).out, ballot({"version"}).out);
}

TEST(CommandLine, RefusesMoreThanItTakes) {
  const Ran ran = ballot({"why", "job", "status"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(contains(ran.err, "one argument too many: 'status'")) << ran.err;
}

TEST(CommandLine, RefusesValuesAndNamesTheAllowedOnes) {
  const Ran format = ballot({"history", "--format", "tabel"});
  EXPECT_EQ(format.code, 2);
  EXPECT_TRUE(contains(format.err, "'tabel'") && contains(format.err, "'table'") && contains(format.err, "csv"))
      << format.err;
  const Ran level = ballot({"history", "--log-level", "loud"});
  EXPECT_EQ(level.code, 2);
  EXPECT_TRUE(contains(level.err, "--log-level") && contains(level.err, "warn")) << level.err;
  EXPECT_NE(ballot({"history", "--log-level", "warning", "--config", "none"}).code, 2);
  const Ran limit = ballot({"history", "--limit", "many"});
  EXPECT_EQ(limit.code, 2);
  EXPECT_TRUE(contains(limit.err, "--limit") && contains(limit.err, "whole number")) << limit.err;
  const Ran time = ballot({"history", "--since", "yesteryear"});
  EXPECT_EQ(time.code, 2);
  EXPECT_TRUE(contains(time.err, "2025-03-09T07:00:00Z")) << time.err;
  const Ran reason = ballot({"history", "--reason", "overlap,overlpa"});
  EXPECT_EQ(reason.code, 2);
  EXPECT_TRUE(contains(reason.err, "'overlpa'")) << reason.err;
}

TEST(CommandLine, RefusesAMissingConfigurationThatIsNamed) {
  const TempFolder folder;
  EXPECT_EQ(ballot({"history", "--config", folder / "none.toml"}).code, 78);
  EXPECT_EQ(ballot({"history"}, {"BALLOT_CONFIG=" + folder / "none.toml"}).code, 78);
}

TEST(CommandLine, RefusesABackendThatIsNotInstalledAsAConfiguration) {
  const TempFolder none;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"info"}, {"election", "list"}, {"election", "watch", "g"}, {"serve"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--backend", "zookeper", "--namespace", "n"});
    const Ran ran = ballot(words, {"BALLOT_PLUGIN_DIR=" + none.path()});
    EXPECT_EQ(ran.code, 78) << command[0];
    EXPECT_TRUE(contains(ran.err, "backend 'zookeper' cannot be used")) << ran.err;
  }
}

TEST(CommandLine, NamesTheSubcommandsWhereNoneIsNamed) {
  const Ran unknown = ballot({"store", "frobnicate"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(
      contains(unknown.err, "ballot store: unknown subcommand 'frobnicate': one of export, import, check, reopen"))
      << unknown.err;
  const Ran none = ballot({"store"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.err, "a subcommand is missing: one of export, import")) << none.err;
}

TEST(CommandLine, PrefersTheFlagToTheEnvironment) {
  const TempFolder folder;
  const std::string good = folder.write("good.toml", "timezone = \"Asia/Tokyo\"\n");
  const Ran ran = ballot({"schedule", "0 0 * * *", "--from", "2025-01-01T00:00:00Z", "--count=1", "--config", good},
                         {"BALLOT_CONFIG=" + folder / "none.toml"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "2025-01-01T15:00:00Z\n");
}

TEST(CommandLine, SaysWhichVariableIsWrong) {
  const Ran ran = ballot({"schedule", "0 0 * * *"}, {"BALLOT_LOG_LEVEL=loud"});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.err, "BALLOT_LOG_LEVEL")) << ran.err;
}

TEST(CommandLine, ReadsNothingThatAChildGets) {
  const Ran ran = ballot({"schedule", "H * * * *", "--count", "1", "--from", "2025-01-01T00:00:00Z"},
                         {"BALLOT_JOB=x", "BALLOT_GROUP=y", "BALLOT_NODE=..", "BALLOT_DEADLINE=z"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, ballot({"schedule", "H * * * *", "--count", "1", "--from", "2025-01-01T00:00:00Z"}).out);
}

TEST(CommandLine, FailsWhereTheOutputCannotBeWritten) {
  const Ran ran = testing::run_program({BALLOT_PROGRAM, "--help"}, {}, "/dev/full");
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(contains(ran.err, "cannot write the output")) << ran.err;
}

TEST(CommandLine, VersionNamesTheProgramAndTheAbi) {
  const TempFolder folder;
  const Ran ran = ballot({"version"}, {"BALLOT_PLUGIN_DIR=" + folder.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.find("ballot "), 0u) << ran.out;
  EXPECT_TRUE(contains(ran.out, "plugin ABI " + std::to_string(plugin_abi))) << ran.out;
}

}  // namespace
}  // namespace ballot::app
