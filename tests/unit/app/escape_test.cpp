#include "app/print/escape.hpp"

#include <gtest/gtest.h>

namespace ballot::app {
namespace {

TEST(Escape, LeavesOrdinaryTextAsItIs) {
  const std::string text = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 'x' {}=,";
  EXPECT_EQ(escaped(text, Escape::plain), text);
  EXPECT_EQ(escaped(text, Escape::json), text);
}

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(escaped("a\nb\tc\rd\x1b[2J\x7f", Escape::plain), "a\\nb\\tc\\rd\\u001b[2J\\u007f");
  EXPECT_EQ(escaped(std::string_view("\0", 1), Escape::plain), "\\u0000");
  EXPECT_EQ(escaped("\xC2\x9B"
                    "2J",
                    Escape::plain),
            "\\u009b2J")
      << "CSI of C1 moves cursors too";
  EXPECT_EQ(escaped("\xC2\xA0", Escape::plain), "\xC2\xA0");
}

TEST(Escape, ShowsCharactersThatTurnTextRound) {
  EXPECT_EQ(escaped("a\u202eb", Escape::plain), "a\\u202eb");
  for (const char* character :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"})
    for (const Escape how : {Escape::plain, Escape::quoted, Escape::json})
      EXPECT_EQ(escaped(character, how).size(), 6u) << escaped(character, how);
  for (const char* character : {"\u061b", "\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a", "\ufeff"})
    EXPECT_EQ(escaped(character, Escape::json), character);
}

TEST(Escape, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(escaped("a\xff\xC3", Escape::plain), "a\\xff\\xc3");
  EXPECT_EQ(escaped("\xED\xA0\x80", Escape::quoted), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("\xC0\xAF", Escape::quoted), "\\xc0\\xaf") << "longer than needed";
  EXPECT_EQ(escaped("\xff", Escape::json), "\\\\xff");
}

TEST(Escape, QuotesWhereQuotesStand) {
  EXPECT_EQ(escaped("\"a\\b\"", Escape::plain), "\"a\\b\"");
  EXPECT_EQ(escaped("\"a\\b\"", Escape::quoted), "\\\"a\\\\b\\\"");
  EXPECT_EQ(json_text("say \"x\"\n"), "\"say \\\"x\\\"\\n\"");
}

}  // namespace
}  // namespace ballot::app
