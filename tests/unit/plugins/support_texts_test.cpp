// The texts that plugins write into stores, and read from whoever wrote them.
#include <gtest/gtest.h>

#include "support/fields.hpp"
#include "support/random_word.hpp"
#include "support/texts.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

TEST(Fields, AreReadAsTheyWereWrittenAndNeverBreakTheirLine) {
  FieldWriter out;
  out.put("host", "a b\nnode c");
  out.put("pid", 7);
  EXPECT_EQ(out.text(), "host a b node c\npid 7\n");
  const Fields fields = fields_of(out.text() + "pid 8\nlonely\nlast x");
  EXPECT_EQ(field_of(fields, "host"), "a b node c");
  EXPECT_EQ(number_of(fields, "pid", 100), 7) << "the first counts";
  EXPECT_EQ(number_of(fields, "pid", 5), 5);
  EXPECT_EQ(field_of(fields, "lonely"), "");
  EXPECT_EQ(field_of(fields, "last"), "x");
}

/// Daemons of different versions read each other's.
TEST(StoredTexts, AreInAStoreAsTheyAlwaysWere) {
  EXPECT_EQ(
      format(MemberRecord{"1f", "a@g", "m", "b", "h", "0.1.0", "/run/c", 7, 6s, SteadyTime(5s), WallTime(9s), true}),
      "session 1f\nnode a@g\nmachine m\nboot b\nhost h\npid 7\nversion 0.1.0\ncontrol /run/c\n"
      "timeout_ms 6000\ndeadline_ms 5000\nrenewed_ms 9000\nended 1\n");
  EXPECT_EQ(format(TermRecord{12, "1f", "a", "", true, {{"b", "2e"}}}), "12 1f a - ended b/2e");
  EXPECT_EQ(format(CandidateText{"a", WallTime(9s)}), "a 9000");
}

TEST(StoredTexts, AreReadAsTheyWereWritten) {
  const MemberRecord member{"1f",       "a", "machine", "boot",         "host",       "0.1.0",
                            "/run/x y", 7,   6s,        SteadyTime(5s), WallTime(9s), true};
  const auto read = parse_member(format(member));
  ASSERT_TRUE(read);
  EXPECT_EQ(format(*read), format(member));
  EXPECT_EQ(read->control, "/run/x y");
  EXPECT_EQ(read->deadline, SteadyTime(5s));
  EXPECT_FALSE(parse_member(""));
  EXPECT_FALSE(parse_member("nonsense"));
  const TermRecord term{12, "1f", "a", "boot", false};
  EXPECT_EQ(format(parse_term(format(term))), format(term));
  const TermRecord later{12, "1f", "a", "boot", true, {{"b", "2e"}, {"c@g", "3d"}}};
  EXPECT_EQ(parse_term(format(later)).before, later.before);
  TermRecord many = later;
  for (int i = 0; i < 20; ++i) many.before.push_back({"n", std::to_string(i)});
  EXPECT_EQ(parse_term(format(many)).before.size(), TermRecord::most_before);
  EXPECT_EQ(parse_term(format(many)).before.back().session, "19") << "the latest";
  EXPECT_TRUE(parse_term("12 1f a boot open / x/ /y strange").before.empty());
  EXPECT_EQ(parse_term("").epoch, 0u);
  EXPECT_EQ(parse_term("x y").epoch, 0u);
  // An epoch after which none is larger would let whoever can write to the store end all terms of the group.
  for (const char* epoch : {"-1", "18446744073709551615", "4611686018427387905", "7x"})
    EXPECT_EQ(parse_term(std::string(epoch) + " 1f a boot open").epoch, 0u) << epoch;
  EXPECT_EQ(parse_term("4611686018427387904 1f a boot open").epoch, 4611686018427387904u);
  EXPECT_EQ(parse_candidate(format(CandidateText{"a", WallTime(9s)}))->since, WallTime(9s));
  for (const char* strange : {"", "a", "a ", " 1", "a/b 1", "a 1x", "{\"id\": 7}"})
    EXPECT_FALSE(parse_candidate(strange)) << strange;
}

/// A node's name becomes part of a path, and what a server refuses as one would fail every observer of the election.
TEST(StoredTexts, OfOthersAreRefusedOrCanBeReckonedWith) {
  for (const std::string& strange :
       {std::string("a\033[2J 1"), std::string("a\0b 1", 5), std::string("a\x7f 1"), std::string("\xff 1"),
        std::string(". 1"), std::string(".. 1"), std::string(300, 'x') + " 1", std::string("a -1"),
        std::string("a 9223372036854775807")})
    EXPECT_FALSE(parse_candidate(strange)) << strange;
  for (const std::string number : {"-9223372036854775808", "9223372036854775807", "99999999999999999999", "x", ""}) {
    const auto read = parse_member("session 1f\npid " + number + "\ntimeout_ms " + number + "\ndeadline_ms " + number +
                                   "\nrenewed_ms " + number + "\n");
    ASSERT_TRUE(read);
    EXPECT_GE(read->pid, 0);
    EXPECT_LE(read->timeout, 24h);
    EXPECT_GE(read->timeout, 0s);
    const Millis most = std::chrono::hours(24 * 366 * 8100);
    EXPECT_LE(read->deadline.time_since_epoch(), most) << "a timeout can be added to it";
    EXPECT_LE(read->renewed.time_since_epoch(), most);
    EXPECT_GE(read->deadline.time_since_epoch(), 0s);
  }
}

TEST(RandomWord, IsOfHexadecimalDigitsAndNeverTheSame) {
  const std::string word = random_word(6);
  EXPECT_EQ(word.size(), 12u);
  EXPECT_EQ(word.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_word(6), word);
}

}  // namespace
}  // namespace ballot::support
