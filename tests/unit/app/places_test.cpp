#include "app/options/places.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "support/temp_folder.hpp"

namespace ballot::app {
namespace {

std::string state_dir(unsigned uid, std::map<std::string, std::string> variables) {
  return state_dir_of_user(uid, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Places, AUsersStateIsHisOwn) {
  EXPECT_EQ(state_dir(1000, {{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}}), "/s/ballot");
  EXPECT_EQ(state_dir(1000, {{"HOME", "/h"}}), "/h/.local/state/ballot");
  EXPECT_EQ(state_dir(1000, {{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}}), "/h/.local/state/ballot");
  EXPECT_EQ(state_dir(1000, {}), "/var/lib/ballot");
  EXPECT_EQ(state_dir(0, {{"XDG_STATE_HOME", "/s"}, {"HOME", "/root"}}), "/var/lib/ballot") << "root's is the daemon's";
}

TEST(Places, PartsLieInThePrefixOfTheProgram) {
  const TempFolder prefix;
  EXPECT_EQ(library_folder(prefix / "bin/ballot"), "/usr/lib/ballot") << "there is none in that prefix";
  std::filesystem::create_directories(prefix / "lib/ballot");
  EXPECT_EQ(library_folder(prefix / "bin/ballot"), prefix / "lib/ballot");
  EXPECT_EQ(library_folder(""), "/usr/lib/ballot");
}

/// As a folder has them to which a build tree's were copied.
TEST(Places, PartsLieBesideTheProgramWhereTheRunnerDoes) {
  const TempFolder copy;
  std::filesystem::create_directories(copy / "bin");
  EXPECT_EQ(tree_of(copy / "bin/ballot"), "");
  copy.write("bin/ballot-runner", "");
  EXPECT_EQ(tree_of(copy / "bin/ballot"), copy.path());
  copy.remove("bin/ballot-runner");
  copy.write("CMakeCache.txt", "");
  EXPECT_EQ(tree_of(copy / "bin/ballot"), copy.path()) << "the build tree, before all is built";
  EXPECT_EQ(tree_of("bin/ballot"), "");
}

}  // namespace
}  // namespace ballot::app
