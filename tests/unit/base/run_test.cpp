#include "ballot/run.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace ballot {
namespace {

TEST(RunId, SortsByTimeAndReadsBackItsText) {
  Random random(7);
  const WallTime early{Millis(1'700'000'000'000)};
  const RunId first = random.run_id(early), second = random.run_id(early + Millis(1));
  EXPECT_LT(first.text(), second.text());
  EXPECT_EQ(RunId::parse(first.text()), first);
  EXPECT_EQ(first.text()[14], '7');
}

TEST(RunId, RefusesWhatIsNoId) {
  for (const char* text : {"", "0192", "0192f0c0-0000-7000-8000-00000000000G", "0192f0c000000-7000-8000-000000000000"})
    EXPECT_EQ(RunId::parse(text), std::nullopt) << text;
}

TEST(Words, EachReadsBackAsItself) {
  for (int i = 0; i <= static_cast<int>(Status::missed); ++i)
    EXPECT_EQ(parse_status(to_string(static_cast<Status>(i))), static_cast<Status>(i));
  for (int i = 0; i <= static_cast<int>(last_reason); ++i)
    EXPECT_EQ(parse_reason(to_string(static_cast<Reason>(i))), static_cast<Reason>(i));
  EXPECT_EQ(to_string(Reason::operator_), "operator");
  EXPECT_EQ(parse_status("done"), std::nullopt);
}

// They stand on disks and in stores: a new one has the next number, and none is given a second time.
TEST(Words, HaveTheirNumbersForGood) {
  const std::pair<std::string_view, int> statuses[] = {
      {"queued", 0},    {"claimed", 1}, {"running", 2}, {"succeeded", 3}, {"failed", 4},
      {"timed_out", 5}, {"killed", 6},  {"lost", 7},    {"skipped", 8},   {"missed", 9}};
  for (const auto& [word, number] : statuses) EXPECT_EQ(static_cast<int>(parse_status(word).value()), number) << word;
  const std::pair<std::string_view, int> reasons[] = {
      {"exit_code", 1},       {"signal", 2},         {"cannot_start", 3}, {"oom", 4},
      {"lost_limit", 5},      {"deadline", 6},       {"operator", 7},     {"replaced", 8},
      {"leadership_lost", 9}, {"shutdown", 10},      {"node_died", 11},   {"runner_died", 12},
      {"forgotten", 13},      {"evidence_lost", 14}, {"overlap", 15},     {"queue_full", 16},
      {"paused", 17},         {"dry_run", 18},       {"misfire", 19},     {"start_deadline", 20},
      {"unclaimed", 21},      {"stale", 22},         {"dst_gap", 23},     {"no_leader", 24},
      {"no_definition", 25},  {"halted", 26},        {"exception", 27},   {"temporary", 28},
      {"permanent", 29},      {"upstream", 30},      {"calendar", 31}};
  for (const auto& [word, number] : reasons) EXPECT_EQ(static_cast<int>(parse_reason(word).value()), number) << word;
}

TEST(Named, IsTheEnumeratorWhereItIsKnown) {
  const auto word = Named<Reason>::parse("overlap"), number = Named<Reason>::parse("15");
  ASSERT_TRUE(word && number);
  EXPECT_EQ(*word, Reason::overlap);
  EXPECT_EQ(*word, *number);
  EXPECT_EQ(number->text(), "overlap");
  EXPECT_EQ(number->description(), "overlap");
  EXPECT_EQ(word->number(), 15);
}

TEST(Named, KeepsANewerVersionsWordAndEqualsNothingThatIsKnown) {
  const auto word = Named<Reason>::parse("solar_flare");
  ASSERT_TRUE(word);
  EXPECT_FALSE(word->is_known());
  EXPECT_EQ(word->text(), "solar_flare");
  EXPECT_EQ(to_string(*word), "solar_flare");
  EXPECT_EQ(word->description(), "solar_flare (of a newer version)");
  EXPECT_GE(word->number(), first_unnumbered);
  for (int i = 0; i <= static_cast<int>(last_reason); ++i) EXPECT_FALSE(*word == static_cast<Reason>(i));
  EXPECT_EQ(*word, *Named<Reason>::parse("solar_flare"));
  EXPECT_FALSE(*word == *Named<Reason>::parse("solar_wind"));
}

TEST(Named, KeepsANewerVersionsNumber) {
  const auto number = Named<Reason>::parse("57");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->text(), "57");
  EXPECT_EQ(number->number(), 57);
  EXPECT_EQ(number->description(), "reason 57 (of a newer version)");
  EXPECT_EQ(*number, Named<Reason>(static_cast<Reason>(57)));
  EXPECT_TRUE(is_final(*Named<Status>::parse("57")));
}

TEST(Named, IsNoOtherText) {
  for (const char* text : {"0", "-1", "007", "+5", "1e3", "4294967297", "Overlap", "two words", "caf\xc3\xa9", "_x",
                           "9x", "a.b", "a_word_that_is_longer_than_thirty2"})
    EXPECT_FALSE(Named<Reason>::parse(text)) << text;
}

TEST(Named, ReadsBackWhateverItKeeps) {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string text = i % 2 == 0 ? std::string(1, static_cast<char>('a' + random.below(26)))
                                  : std::to_string(1 + random.below(0x7fffffff));
    for (std::uint64_t more = i % 2 == 0 ? random.below(32) : 0; more > 0; --more)
      text += "abcdefghijklmnopqrstuvwxyz0123456789_"[random.below(37)];
    const auto status = Named<Status>::parse(text);
    ASSERT_TRUE(status) << text;
    EXPECT_EQ(*Named<Status>::parse(status->text()), *status);
    EXPECT_EQ(*Named<Status>::make(status->number(), status->text()), *status) << text;
    EXPECT_TRUE(is_final(*status) || status->is_known());
    if (!status->is_known()) {
      EXPECT_EQ(status->text(), text);
    }
  }
}

TEST(Named, HasTheEnumeratorThatAnOlderVersionDidNotKnow) {
  EXPECT_EQ(*Named<Reason>::make(first_unnumbered + 7, "overlap"), Reason::overlap);
  EXPECT_EQ(*Named<Reason>::make(15, "something else"), Reason::overlap) << "the number says it";
  EXPECT_FALSE(Named<Reason>::make(-1, "overlap"));
  EXPECT_FALSE(Named<Reason>::make(std::int64_t{1} << 40, "overlap"));
}

}  // namespace
}  // namespace ballot
