#include "base/env_words.hpp"

#include <gtest/gtest.h>

namespace ballot {
namespace {

TEST(EnvWords, AreOneLineOfAsciiWhateverTheValuesHave) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const Variables env{{"A", ""}, {"B_1", all}, {"NOTE", "two words, 100 %"}};
  const std::string words = env_words(env);
  for (const char c : words) EXPECT_TRUE(c >= ' ' && c < 0x7f) << words;
  EXPECT_TRUE(words.ends_with(" NOTE=two%20words,%20100%20%25")) << words;
  EXPECT_EQ(parse_env_words(words), env);
  EXPECT_EQ(env_words({}), "");
  EXPECT_EQ(parse_env_words(""), Variables());
}

TEST(EnvWords, AreReadOnlyAsTheyAreWritten) {
  for (const char* words : {"A", "=1", "1A=1", "A=1 A=2", "B=1 A=2", "A=1 ", " A=1", "A=1  B=2", "A=%41", "A=%2", "A=%",
                            "A=%0a", "A=\t", "A=\xc3\xa9", "A B=1"})
    EXPECT_EQ(parse_env_words(words), std::nullopt) << words;
}

TEST(EnvWords, OfAssignmentsNeedAnEqualsSignAndEachNameOnce) {
  const auto env = read_assignments({"DAY=a=b", "EMPTY="});
  ASSERT_TRUE(env);
  EXPECT_EQ(*env, (Variables{{"DAY", "a=b"}, {"EMPTY", ""}}));
  EXPECT_EQ(read_assignments({"DAY"}).error().what, "env: 'DAY' is not NAME=VALUE");
  EXPECT_EQ(read_assignments({"DAY=1", "DAY=2"}).error().what, "env: 'DAY' is given twice");
}

TEST(EnvWords, HaveFaultsThatNameTheVariable) {
  EXPECT_EQ(fault_of_env({{"DAY", "1"}}), "");
  EXPECT_EQ(fault_of_env({{"1DAY", "1"}}),
            "env: '1DAY' is no name of a variable: letters, digits and '_', no digit first");
  for (const char* name : {"BALLOT_FENCE", "LD_PRELOAD", "LD_LIBRARY_PATH", "GLIBC_TUNABLES"})
    EXPECT_EQ(fault_of_env({{name, "1"}}),
              std::string("env: ") + name + " is a variable that ballot or the loader goes by, and nobody may give");
  EXPECT_EQ(fault_of_env({{"DAY", std::string("a\0b", 3)}}), "env: the value of DAY has a NUL byte");
  EXPECT_EQ(fault_of_env({{"DAY", std::string(1019, 'x')}}), "");
  EXPECT_EQ(fault_of_env({{"DAY", std::string(1020, 'x')}}),
            "env: its variables have 1025 bytes with their names, and may have 1024");
}

}  // namespace
}  // namespace ballot
