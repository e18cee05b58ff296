#include "config/names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace ballot::config {
namespace {

using namespace std::string_view_literals;

TEST(Names, AreLettersDigitsUnderscoresAndDashes) {
  for (const auto name : {"a"sv, "0"sv, "nightly-backup_2"sv}) EXPECT_TRUE(is_name(name)) << name;
  EXPECT_TRUE(is_name(std::string(64, 'x')));
  EXPECT_FALSE(is_name(std::string(65, 'x')));
  for (const auto name : {""sv, "-a"sv, "_a"sv, "a.b"sv, "a/b"sv, "../x"sv, "a b"sv, "a\n"sv, "a\0"sv, "\xc3\xa4"sv})
    EXPECT_FALSE(is_name(name)) << name;
}

TEST(Names, OfNodesMayHaveDots) {
  EXPECT_TRUE(is_node_name("db-1.example.org"));
  EXPECT_FALSE(is_node_name(".db"));
  EXPECT_FALSE(is_node_name(""));
}

TEST(Names, OfJobFilesLeaveOutWhatEditorsAndPackagesLeaveBehind) {
  for (const auto name : {"a.toml"sv, "a.b-c_d.toml"sv, "0.toml"sv}) EXPECT_TRUE(is_job_file_name(name)) << name;
  for (const auto name : {".toml"sv, ".a.toml"sv, "a.toml~"sv, "a.toml.swp"sv, "a.toml.dpkg-old"sv, "#a.toml#"sv,
                          "a.TOML"sv, "a b.toml"sv, "a"sv, "-a.toml"sv})
    EXPECT_FALSE(is_job_file_name(name)) << name;
}

TEST(Names, OfVariablesBeginWithNoDigit) {
  for (const auto name : {"A"sv, "_a1"sv}) EXPECT_TRUE(is_variable_name(name)) << name;
  for (const auto name : {""sv, "1A"sv, "A-B"sv, "A=B"sv, "A B"sv}) EXPECT_FALSE(is_variable_name(name)) << name;
}

TEST(Nearest, FindsSlipsOfEveryKind) {
  constexpr std::string_view known[] = {"schedule", "shell", "deadline", "user"};
  for (const auto slip : {"shedule"sv, "scheduel"sv, "schedules"sv, "Schedule"sv})
    EXPECT_EQ(nearest(slip, known), "schedule");
  EXPECT_EQ(nearest("usr", known), "user");
  EXPECT_EQ(nearest("abdc", std::array{"abxy"sv, "abcd"sv}), "abcd") << "two letters swapped are one slip";
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 's'), known), "");
}

TEST(Suggestion, NamesTheNearestAndAll) {
  constexpr std::string_view known[] = {"schedule", "shell"};
  EXPECT_EQ(suggestion("shedule", known), "; did you mean 'schedule'? Known are schedule, shell");
  EXPECT_EQ(suggestion("qqqqqqqq", known), ". Known are schedule, shell");
  const std::vector<std::string_view> many(5'000, "some-job");
  EXPECT_EQ(suggestion("qqqqqqqq", many), ". There are 5000") << "a list that nobody reads";
}

}  // namespace
}  // namespace ballot::config
