#include "config/diagnostics.hpp"

#include <gtest/gtest.h>

namespace ballot::config {
namespace {

TEST(Diagnostic, SaysFileLineColumnSeverityAndMessage) {
  EXPECT_EQ((Diagnostic{Severity::error, "a.toml", 3, 9, "no"}.text()), "a.toml:3:9: error: no");
  EXPECT_EQ((Diagnostic{Severity::warning, "a.toml", 3, 9, "hm"}.text()), "a.toml:3:9: warning: hm");
}

TEST(Diagnostic, HasNoLineWhereItIsInNoFile) {
  EXPECT_EQ((Diagnostic{Severity::error, "BALLOT_LOG_LEVEL", 0, 0, "no"}.text()), "BALLOT_LOG_LEVEL: error: no");
}

TEST(Diagnostic, StaysOnOneLine) {
  EXPECT_EQ((Diagnostic{Severity::error, "a\nb", 1, 1, "x\x1b[31m\x7f"}.text()), "a\\x0ab:1:1: error: x\\x1b[31m\\x7f");
}

TEST(Diagnostic, HasNothingThatATerminalObeys) {
  const auto shown = [](const char* message) {
    return Diagnostic{Severity::error, "a", 1, 1, message}.text().substr(14);
  };
  EXPECT_EQ(shown("\xc2\x9b 1m"), "\\xc2\\x9b 1m");
  EXPECT_EQ(shown("\x9b 1m\xc3"), "\\x9b 1m\\xc3");
  EXPECT_EQ(shown("\xc2\xa0\xc3\xa4\xe2\x82\xac"), "\xc2\xa0\xc3\xa4\xe2\x82\xac");
}

TEST(Diagnostics, AreSummedUpByHowManyErrorsThereAreAndWhereTheFirstOneIs) {
  const Diagnostic warning{Severity::warning, "a.toml", 1, 1, "odd"}, error{Severity::error, "a.toml", 3, 9, "no"};
  EXPECT_EQ(summary_of_errors({}), "");
  EXPECT_EQ(summary_of_errors({warning}), "");
  EXPECT_EQ(summary_of_errors({warning, error}),
            "1 error in the job files (`ballot check` lists them): a.toml:3:9: error: no");
  EXPECT_EQ(summary_of_errors({error, error}),
            "2 errors in the job files (`ballot check` lists them): the first is a.toml:3:9: error: no");
  EXPECT_TRUE(
      summary_of_errors({{Severity::error, "a.toml", 1, 1, "unknown key 'x'. Known are a, b"}}).ends_with("'x'."))
      << "the list of all keys is for `ballot check`";
}

TEST(Diagnostics, AreSortedByFileLineAndColumn) {
  Diagnostics all{{Severity::error, "b", 1, 1, "4"},
                  {Severity::error, "a", 10, 1, "3"},
                  {Severity::error, "a", 2, 9, "2"},
                  {Severity::warning, "a", 2, 1, "1"}};
  sort(all);
  std::string order;
  for (const Diagnostic& diagnostic : all) order += diagnostic.message;
  EXPECT_EQ(order, "1234");
}

TEST(Diagnostics, OfWarningsOnlyHaveNoErrors) {
  Diagnostics all{{Severity::warning, "a", 1, 1, ""}};
  EXPECT_FALSE(has_errors(all));
  all.push_back({Severity::error, "a", 1, 1, ""});
  EXPECT_TRUE(has_errors(all));
}

TEST(Quoted, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "\xc3\xa4";
  const std::string text = in_quotes("x" + umlauts);
  EXPECT_TRUE(text.ends_with("\xa4...'")) << text;
  EXPECT_LT(text.size(), 90u);
}

TEST(Diagnostics, OfOneFileAreBoundedAndTheirLastSaysHowManyWereLeftOut) {
  Diagnostics all;
  Findings findings("a.toml", all);
  for (int line = 1; line <= 1000; ++line) findings.warning({line, 1}, "odd");
  findings.error({1001, 1}, "wrong");
  sort_and_bound(all);
  ASSERT_EQ(all.size(), 101u);
  EXPECT_EQ(all[99].text(), "a.toml:100:1: warning: odd");
  EXPECT_EQ(all[100].text(), "a.toml:101:1: error: 901 further findings are left out; mend the ones above first");
  Diagnostics few(all.begin(), all.begin() + 100);
  sort_and_bound(few);
  EXPECT_EQ(few.size(), 100u);
}

TEST(Diagnostics, OfSeveralFilesAreBoundedEachByItselfAndAgainWhereMoreAreFound) {
  Diagnostics all;
  Findings findings("a.toml", all), others("b.toml", all);
  for (int line = 1; line <= 300; ++line) findings.warning({line, 1}, "odd");
  for (int line = 1; line <= 100; ++line) others.warning({line, 1}, "odd");
  sort_and_bound(all);
  ASSERT_EQ(all.size(), 201u);
  for (int line = 1; line <= 50; ++line) findings.error({line, 2}, "wrong");
  sort_and_bound(all);
  ASSERT_EQ(all.size(), 201u);
  EXPECT_EQ(all[100].text(), "a.toml:51:1: warning: 250 further findings are left out; mend the ones above first");
  EXPECT_EQ(all[101].text(), "b.toml:1:1: warning: odd");
}

}  // namespace
}  // namespace ballot::config
