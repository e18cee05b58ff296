// What of a server's text reaches a log.
#include <gtest/gtest.h>

#include "support/bounds.hpp"
#include "support/excerpt.hpp"
#include "support/log_rate.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

TEST(Excerpt, AShortTextIsWhatItWas) {
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("no leader: ünïcödé €𝄞"), "no leader: ünïcödé €𝄞");
  EXPECT_EQ(excerpt(std::string(bounds::text, 'x')), std::string(bounds::text, 'x'));
}

TEST(Excerpt, ALongTextIsCutAndSaysItsLength) {
  const std::string cut = excerpt(std::string(24'000'000, 'x'));
  EXPECT_LE(cut.size(), bounds::text);
  EXPECT_TRUE(cut.ends_with("xx [24000000 bytes]")) << cut.substr(cut.size() - 40);
  EXPECT_LE(excerpt(std::string(5000, '\n')).size(), bounds::text);
  std::string wide;
  while (wide.size() < 5000) wide += "€";
  const std::string whole = excerpt(wide);
  EXPECT_LE(whole.size(), bounds::text);
  EXPECT_EQ(whole.find("\\x"), std::string::npos) << "a character is not cut";
}

TEST(Excerpt, WhatMovesACursorIsWrittenOut) {
  EXPECT_EQ(excerpt("a\nb\r\x1b[2J\x7f"), "a\\x0ab\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(excerpt("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(excerpt("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(excerpt("a\u200fb\u061cc"), "a\\xe2\\x80\\x8fb\\xd8\\x9cc");
  EXPECT_EQ(excerpt("\u0085"), "\\xc2\\x85");
}

TEST(Excerpt, EachTextOfAnEventBecomesOne) {
  const std::string large(100'000, 'x');
  Event closed = backend::SessionClosed{Cause::expired, large}, unfit = backend::Unfit{"g", large};
  Event wrote = backend::Wrote{1, {{StoreResult::failed, 0, large}}};
  for (Event* const one : {&closed, &unfit, &wrote}) shorten_texts(*one);
  EXPECT_LE(std::get<backend::SessionClosed>(closed).text.size(), bounds::text);
  EXPECT_LE(std::get<backend::Unfit>(unfit).why.size(), bounds::text);
  EXPECT_LE(std::get<backend::Wrote>(wrote).answers[0].text.size(), bounds::text);
}

TEST(LogRate, OneLineASecondOfAKindAndTheNextSaysHowManyWereLeftOut) {
  LogRate rate;
  const SteadyTime begun(1h);
  EXPECT_EQ(rate.admit("etcd: changes are read anew: first", begun), "etcd: changes are read anew: first");
  for (int i = 0; i < 99; ++i) EXPECT_EQ(rate.admit("etcd: changes are read anew: other", begun + 500ms), std::nullopt);
  EXPECT_EQ(rate.admit("another kind", begun + 600ms), "another kind");
  EXPECT_EQ(rate.admit("etcd: changes are read anew: last", begun + 1s),
            "etcd: changes are read anew: last (and 99 lines like this before)");
}

TEST(LogRate, LinesOfTwoGroupsAreOfTwoKinds) {
  LogRate rate;
  const SteadyTime now(1h);
  EXPECT_TRUE(rate.admit("group production-database-a: waits for n1, the leader", now));
  EXPECT_TRUE(rate.admit("group production-database-b: waits for n1, the leader", now));
}

TEST(LogRate, ManyKindsAreBoundedTogether) {
  LogRate rate;
  const SteadyTime begun(1h);
  std::size_t written = 0;
  for (int i = 0; i < 10'000; ++i) written += rate.admit(std::to_string(i), begun).has_value() ? 1 : 0;
  EXPECT_EQ(written, LogRate::most_kinds);
  EXPECT_TRUE(rate.admit("a second later", begun + 1s));
}

}  // namespace
}  // namespace ballot::support
