#include "library/why/moved_slot.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

/// Daily at 6 in Paris, by a rule of days.
JobFacts daily(const std::string& rule) {
  JobFacts job;
  job.name = "load", job.group = "g", job.timezone = "Europe/Paris";
  job.expressions = {"0 6 * * 5"};  // Fridays
  auto days = schedule::DayRule::parse(rule);
  auto made = schedule::Plan::make({job.expressions, job.timezone, {}, {}, job.group, job.name, *std::move(days)});
  job.plan = std::get<schedule::Plan>(made);
  return job;
}

WallTime at(const char* text) { return *parse_wall(text); }

TEST(MovedSlot, NamesTheDayThatItComesFromAndWhyThatIsLeftOut) {
  const JobFacts job = daily("except holidays=2026-12-25..2026-12-27 shift=next");
  EXPECT_EQ(moved_text(at("2026-12-28T05:00:00Z"), job),
            " By shift = \"next\" it is the slot of an earlier day: 2026-12-25 is in holidays.");
  EXPECT_EQ(moved_text(at("2026-12-24T05:00:00Z"), daily("except holidays=2026-12-25 shift=previous")),
            " By shift = \"previous\" it is the slot of a later day: 2026-12-25 is in holidays.");
}

TEST(MovedSlot, OfADayOfItsOwnSaysNothing) {
  const JobFacts job = daily("except holidays=2026-12-25..2026-12-27 shift=next");
  EXPECT_EQ(moved_text(at("2026-12-18T05:00:00Z"), job), "");
  EXPECT_EQ(moved_text(at("2026-12-28T05:00:00Z"), daily("except holidays=2026-12-25")), "");
}

}  // namespace
}  // namespace ballot::library
