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
  for (int i = 0; i <= static_cast<int>(Reason::halted); ++i)
    EXPECT_EQ(parse_reason(to_string(static_cast<Reason>(i))), static_cast<Reason>(i));
  EXPECT_EQ(to_string(Reason::operator_), "operator");
  EXPECT_EQ(parse_status("done"), std::nullopt);
}

}  // namespace
}  // namespace ballot
