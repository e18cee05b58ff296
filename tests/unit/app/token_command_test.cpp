#include <gtest/gtest.h>

#include "http/tokens.hpp"
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
