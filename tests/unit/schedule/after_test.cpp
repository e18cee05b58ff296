#include "schedule/after.hpp"

#include <gtest/gtest.h>

#include "schedule/plan.hpp"

namespace ballot::schedule {
namespace {

TEST(After, ReadsBackWhatItWrote) {
  for (const After& after : {After{{"extract"}, AfterStatus::succeeded, true},
                             After{{"a", "b-c"}, AfterStatus::failed, false}, After{{"a"}, AfterStatus::ended, true}}) {
    const auto read = parse_after(to_text(after));
    ASSERT_TRUE(read) << to_text(after);
    EXPECT_EQ(*read, after);
  }
  EXPECT_EQ(to_text({{"extract", "clean"}, AfterStatus::succeeded, true}),
            "@after extract,clean succeeded, as extract");
}

TEST(After, IsNoScheduleAndNoScheduleIsIt) {
  for (const char* text : {"", "@after", "@after ", "@after x", "@after x sometime", "@daily", "0 2 * * *"})
    EXPECT_FALSE(parse_after(text)) << text;
  EXPECT_TRUE(std::holds_alternative<std::vector<PlanError>>(Plan::make({.expressions = {"@after x succeeded"}})));
}

TEST(After, AnExpressionWithoutHashHasTheSlotsOfTheOneWithIt) {
  for (const char* text :
       {"H H * * *", "H/15 * * * *", "H(10-20) 3 H * *", "0 H(1-5)/2 * H *", "H 4 * * H", "H H H * * *", "5,H 2 * * *",
        "CRON_TZ=Europe/Paris H 2 * * *", "0 2 * * THU", "@every 90s"}) {
    const std::string plain = without_hash(text, "etl", "extract");
    EXPECT_EQ(plain.find("H "), std::string::npos) << plain;
    const auto with = Plan::make({.expressions = {text}, .group = "etl", .job = "extract"});
    const auto without = Plan::make({.expressions = {plain}, .group = "etl", .job = "load"});
    ASSERT_TRUE(std::holds_alternative<Plan>(with)) << text;
    ASSERT_TRUE(std::holds_alternative<Plan>(without)) << plain;
    EXPECT_EQ(std::get<Plan>(with), std::get<Plan>(without)) << text << " is " << plain;
  }
}

}  // namespace
}  // namespace ballot::schedule
