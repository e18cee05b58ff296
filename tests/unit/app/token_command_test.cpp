#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "http/token_file.hpp"
#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

TEST(TokenCommand, PrintsATokenAndTheLineByWhichADaemonKnowsIt) {
  const Ran ran = ballot({"token", "new", "ci", "--role", "operator"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::size_t end = ran.out.find('\n');
  const std::string token = ran.out.substr(0, end);
  EXPECT_EQ(ran.out.substr(end + 1), web::token_line("ci", io::Role::operator_, token) + "\n");
  EXPECT_FALSE(contains(ran.out.substr(end + 1) + ran.err, token)) << "once";
  EXPECT_NE(ballot({"token", "new", "ci", "--role", "operator"}).out, ran.out);
}

TEST(TokenCommand, AddsTheLineToAFileThatADaemonTakes) {
  const TempFolder folder;
  const std::string file = folder / "tokens";
  const auto add = [&](const std::string& name) {
    return ballot({"token", "new", name, "--role", "viewer", "--append", file});
  };
  const Ran first = add("me");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 1) << "the token alone";
  const Ran second = add("you");
  ASSERT_EQ(second.code, 0) << second.err;
  const auto tokens = web::TokenFile::open(file);
  ASSERT_TRUE(tokens) << tokens.error().what;
  for (const Ran* ran : {&first, &second})
    EXPECT_NE(tokens->tokens().find(ran->out.substr(0, ran->out.find('\n'))), nullptr) << ran->out;
  const Ran again = add("me");
  EXPECT_EQ(again.code, 1) << "a name of another token";
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(web::TokenFile::open(file)->tokens().size(), 2u);
}

TEST(TokenCommand, EndsWithOneWhateverKeepsTheLineOutOfTheFile) {
  const TempFolder folder;
  const std::string broken = folder.write("broken", "no token\n"), open = folder.write("open", "");
  const std::string large = folder.write("large", std::string((1 << 20) + 1, '#'));
  std::filesystem::permissions(broken, std::filesystem::perms(0600));
  std::filesystem::permissions(large, std::filesystem::perms(0600));
  std::filesystem::permissions(open, std::filesystem::perms(0666));
  std::filesystem::create_symlink(broken, folder / "link");
  for (const std::string& file : {broken, large, open, folder / "link", folder.path(), folder / "none/tokens"}) {
    const Ran ran = ballot({"token", "new", "ci", "--role", "viewer", "--append", file});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_TRUE(contains(ran.err, file)) << ran.err;
    EXPECT_EQ(ran.out, "") << "a token that no daemon knows";
  }
}

TEST(TokenCommand, WantsANameAndARoleThatThereIs) {
  EXPECT_EQ(ballot({"token", "new", "ci"}).code, 2);
  EXPECT_EQ(ballot({"token", "new", "--role", "viewer"}).code, 2);
  EXPECT_EQ(ballot({"token", "new", "a b", "--role", "viewer"}).code, 2);
  const Ran ran = ballot({"token", "new", "ci", "--role", "root"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(contains(ran.err, "viewer")) << ran.err;
}

}  // namespace
}  // namespace ballot::app
