#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

namespace fs = std::filesystem;

/// The program in a prefix of its own, and no man on its PATH.
TEST(Help, PrintsThePagesTextWhereThereIsNoMan) {
  const TempFolder prefix;
  fs::create_directories(prefix / "bin");
  fs::create_directories(prefix / "lib/ballot/help");
  const std::string program = prefix / "bin/ballot";
  fs::copy_file(BALLOT_PROGRAM, program);
  prefix.write("lib/ballot/help/ballot-trigger.txt", "NAME\n       ballot-trigger - run a job now\n");
  const std::string env = "/usr/bin/env";
  const auto help = [&](const std::string& command) {
    return testing::run_program({env, "PATH=/nowhere", program, "help", command});
  };
  const auto page = help("trigger");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out, "NAME\n       ballot-trigger - run a job now\n");
  EXPECT_TRUE(testing::contains(help("kill").out, "Usage: ballot kill")) << "no page is installed: its flags";
}

/// The words of a command's help that stand where its subcommands do.
std::vector<std::string> subcommands_in(const std::string& help, const std::string& heading) {
  std::vector<std::string> names;
  std::istringstream lines(help);
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == heading) listed = true;
    if (line.empty()) listed = false;
    if (listed && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find_first_of(" ,", 2) - 2));
  }
  return names;
}

/// Its help, of which no line is too long.
std::string narrow_help(std::vector<std::string> command) {
  command.push_back("--help");
  const std::string help = testing::ballot(command).out;
  EXPECT_NE(help, "");
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << command.front() << ": " << line;
  return help;
}

TEST(Help, HasNoLineBeyondATerminalOf80Columns) {
  const auto commands = subcommands_in(testing::ballot({"--help"}).out, "Commands:");
  EXPECT_GT(commands.size(), 20u);
  for (const std::string& command : commands)
    for (const std::string& name : subcommands_in(narrow_help({command}), "Subcommands:")) narrow_help({command, name});
}

}  // namespace
}  // namespace ballot::app
