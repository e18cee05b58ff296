#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace ballot::app
