#include "io/env_file.hpp"

#include <gtest/gtest.h>

namespace ballot::io {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables read(std::string_view text) {
  const auto parsed = parse_env_file(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  return parsed ? *parsed : Variables();
}

std::string fault(std::string_view text) {
  const auto parsed = parse_env_file(text);
  return parsed ? "none" : parsed.error().what;
}

TEST(EnvFile, IsLinesOfNamesAndValues) {
  EXPECT_EQ(read("A=1\nB_2=two words\n_C=\n"), (Variables{{"A", "1"}, {"B_2", "two words"}, {"_C", ""}}));
  EXPECT_EQ(read("A=1"), (Variables{{"A", "1"}})) << "without an end of line";
  EXPECT_EQ(read("A=b=c\r\n"), (Variables{{"A", "b=c"}}));
  EXPECT_EQ(read(""), Variables());
}

TEST(EnvFile, LeavesOutCommentsAndBlanks) {
  EXPECT_EQ(read("# a\n\n  ; b = 1\n \t\n  A = 1 # c  \n"), (Variables{{"A", "1 # c"}}));
}

TEST(EnvFile, TakesQuotedValuesAsTheyStand) {
  EXPECT_EQ(read("A=\" a \\n'$B' \"\nB='\"'\nC=\"\"\nD=a\"b\n"),
            (Variables{{"A", " a \\n'$B' "}, {"B", "\""}, {"C", ""}, {"D", "a\"b"}}));
}

TEST(EnvFile, DoesNotExpandEscapeOrContinue) {
  EXPECT_EQ(read("A=$HOME\\t\\\nB=`id`\n"), (Variables{{"A", "$HOME\\t\\"}, {"B", "`id`"}}));
}

TEST(EnvFile, SaysWhichLineIsWrongAndNotWhatIsInIt) {
  EXPECT_EQ(fault("A=1\nhunter2\n"), "line 2 is no NAME=VALUE");
  EXPECT_EQ(fault("1A=hunter2"), "line 1 is no NAME=VALUE");
  EXPECT_EQ(fault("export A=1"), "line 1 is no NAME=VALUE");
  EXPECT_EQ(fault("=1"), "line 1 is no NAME=VALUE");
  EXPECT_EQ(fault("\n\nA='hunter2"), "line 3 has a quote that is not closed, or something behind it");
  EXPECT_EQ(fault("A='x' y"), "line 1 has a quote that is not closed, or something behind it");
  EXPECT_EQ(fault("BALLOT_JOB=x"), "line 1 sets a variable that ballot itself sets");
  EXPECT_EQ(fault(std::string_view("A=x\0y", 5)), "line 1 contains a NUL byte");
}

}  // namespace
}  // namespace ballot::io
