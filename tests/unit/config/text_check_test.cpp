#include "config/text_check.hpp"

#include <gtest/gtest.h>

namespace ballot::config {
namespace {

using namespace std::string_literals;

void expect_problem(const std::string& text, Position at, std::string_view part) {
  const auto problem = check_text(text);
  ASSERT_TRUE(problem) << text.substr(0, 80);
  EXPECT_EQ(problem->at.line, at.line) << problem->message;
  EXPECT_EQ(problem->at.column, at.column) << problem->message;
  EXPECT_NE(problem->message.find(part), std::string::npos) << problem->message;
}

TEST(TextCheck, FindsNul) {
  expect_problem("a = 1\nb = \"x\0\"\n"s, {2, 7}, "NUL");
  expect_problem("# \xc3\xa4\xc3\xa4 \0"s, {1, 6}, "NUL");
}

TEST(TextCheck, FindsWhatIsNotUtf8) {
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xf0\x9f\x98"})
    expect_problem("a = 1\n\xc3\xa4 = \""s + bad + "\"", {2, 6}, "UTF-8");
}

TEST(TextCheck, TakesUtf8) {
  for (const char* good :
       {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_FALSE(check_text("a = \""s + good + "\""));
  EXPECT_FALSE(
      check_text("\xef\xbb\xbf"
                 "a = 1"));
  EXPECT_FALSE(check_text(""));
}

TEST(TextCheck, FindsLinesLongerThan64KiB) {
  const std::string longest(longest_line, 'x');
  EXPECT_FALSE(check_text(longest + "\n" + longest));
  expect_problem("a = 1\n" + longest + "x", {2, 65'537}, "64 KiB");
}

TEST(TextCheck, FindsKeysThatNestTooDeep) {
  std::string deep = "a";
  for (int i = 0; i < deepest_key; ++i) deep += ".\"b.c\"";
  EXPECT_FALSE(check_text(deep + " = 1"));
  expect_problem("[x]\n" + deep + ".c = 1", {2, static_cast<int>(deep.size()) + 1}, "dots");
  expect_problem("x = [{" + deep + " .c = 1}]", {1, static_cast<int>(deep.size()) + 8}, "dots");
}

TEST(TextCheck, LeavesDotsInStringsAndCommentsAlone) {
  const std::string dots(40, '.');
  EXPECT_FALSE(check_text("a = \"" + dots + "\""));
  EXPECT_FALSE(check_text("a = '" + dots + "\\'"));
  EXPECT_FALSE(check_text("a = \"\\\"" + dots + "\" # it's " + dots));
  EXPECT_FALSE(check_text("a = \"\"\"\n \" \"\" " + dots + "\n\"\"\"\"\"\nb = 1"));
  EXPECT_FALSE(check_text("a = '''\n ' " + dots + "'''"));
  EXPECT_FALSE(check_text("a = \"\\\\\" # " + dots));
  expect_problem(
      "a = ''''''\n"
      "b" +
          std::string(17, '.'),
      {2, 18}, "dots");
  expect_problem("a = \"\"\"x\"\"\"\"\"\nb" + std::string(17, '.'), {2, 18}, "dots");
}

}  // namespace
}  // namespace ballot::config
