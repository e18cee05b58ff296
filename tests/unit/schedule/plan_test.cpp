// Several schedules as one stream of slots.
#include <map>

#include "plans.hpp"

namespace ballot::schedule {
namespace {

using namespace std::chrono_literals;

TEST(Plan, MergesEqualInstantsOfSeveralExpressions) {
  const auto plan = plan_of({.expressions = {"0 */6 * * *", "0 6,7 * * *", "CRON_TZ=Europe/Paris 0 13 * * *"}});
  EXPECT_EQ(slots_of(plan, "2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"),
            (Texts{"2025-01-01T06:00:00Z", "2025-01-01T07:00:00Z", "2025-01-01T12:00:00Z", "2025-01-01T18:00:00Z",
                   "2025-01-02T00:00:00Z"}));
}

TEST(Plan, IsStrictlyAfterTheInstantAskedFor) {
  const auto plan = plan_of("* * * * * *");
  EXPECT_EQ(plan.next(at("2025-01-01T00:00:00Z"), {})->at, at("2025-01-01T00:00:01Z"));
  EXPECT_EQ(plan.next(at("2025-01-01T00:00:00.001Z"), {})->at, at("2025-01-01T00:00:01Z"));
  EXPECT_EQ(plan.next(at("2025-01-01T00:00:00Z") - 1ms, {})->at, at("2025-01-01T00:00:00Z"));
}

TEST(Plan, KeepsWithinItsFirstAndLastPossibleSlot) {
  const auto plan = plan_of({.expressions = {"0 * * * *"},
                             .not_before = at("2025-01-01T02:00:00Z"),
                             .not_after = at("2025-01-01T04:00:00Z")});
  EXPECT_EQ(first_slots(plan, "1970-01-01T00:00:00Z", 9),
            (Texts{"2025-01-01T02:00:00Z", "2025-01-01T03:00:00Z", "2025-01-01T04:00:00Z"}));
  const auto between = plan_of({.expressions = {"* * * * * *"},
                                .not_before = at("2025-01-01T02:00:00.500Z"),
                                .not_after = at("2025-01-01T02:00:02.500Z")});
  EXPECT_EQ(first_slots(between, "1970-01-01T00:00:00Z", 9), (Texts{"2025-01-01T02:00:01Z", "2025-01-01T02:00:02Z"}));
}

TEST(Plan, CountsEveryFromItsAnchor) {
  const auto plan = plan_of("@every 90m");
  const std::vector<WallTime> anchor{at("2025-01-01T00:10:00.700Z")};
  EXPECT_EQ(first_slots(plan, "2020-01-01T00:00:00Z", 2, anchor),
            (Texts{"2025-01-01T01:40:00Z", "2025-01-01T03:10:00Z"}));
  EXPECT_EQ(first_slots(plan, "2025-01-01T00:10:00Z", 1, anchor), (Texts{"2025-01-01T01:40:00Z"}));
  EXPECT_EQ(first_slots(plan, "2025-01-01T01:40:00Z", 1, anchor), (Texts{"2025-01-01T03:10:00Z"}));
  EXPECT_EQ(first_slots(plan, "2025-01-01T01:39:59.999Z", 1, anchor), (Texts{"2025-01-01T01:40:00Z"}));
  EXPECT_EQ(first_slots(plan_of("@every 1s"), "2025-01-01T01:39:59.999Z", 1, anchor), (Texts{"2025-01-01T01:40:00Z"}));
}

TEST(Plan, CountsEveryInElapsedTimeWhateverTheZone) {
  const auto plan = plan_of("@every 1d", "America/New_York");
  EXPECT_EQ(first_slots(plan, "2025-03-08T12:00:00Z", 2, {at("2025-03-08T12:00:00Z")}),
            (Texts{"2025-03-09T12:00:00Z", "2025-03-10T12:00:00Z"}));
}

TEST(Plan, WantsAnAnchorForEachEveryInTheirOrder) {
  const auto plan = plan_of({.expressions = {"@every 2h", "0 12 * * *", "@EVERY  \t3h"}});
  EXPECT_EQ(plan.everies(), (Texts{"@every 2h", "@every 3h"}));
  EXPECT_EQ(slots_of(plan, "2025-01-01T06:00:00Z", "2025-01-01T12:00:00Z",
                     {at("2025-01-01T00:00:00Z"), at("2025-01-01T01:00:00Z")}),
            (Texts{"2025-01-01T07:00:00Z", "2025-01-01T08:00:00Z", "2025-01-01T10:00:00Z", "2025-01-01T12:00:00Z"}));
  EXPECT_DEATH(plan.next(at("2025-01-01T06:00:00Z"), {}), "one anchor for each");
}

TEST(Plan, PrefersTheSlotThatIsDueToTheOneThatIsOnlyRecorded) {
  const auto plan =
      plan_of({.expressions = {"0 9 * * *", "59 59 23 29 12 *", "30 9 * * *"}, .timezone = "Pacific/Apia"});
  EXPECT_EQ(slots_of(plan, "2011-12-29T20:00:00Z", "2011-12-30T20:00:00Z"),
            (Texts{"2011-12-30T09:59:59Z", "2011-12-30T19:00:00Z", "2011-12-30T19:30:00Z"}));
  const auto both = plan_of({.expressions = {"0 9 * * *", "30 9 * * *"}, .timezone = "Pacific/Apia"});
  EXPECT_EQ(slots_of(both, "2011-12-29T20:00:00Z", "2011-12-30T19:00:00Z"),
            (Texts{"2011-12-30T09:59:59Z gap", "2011-12-30T19:00:00Z"}));
}

TEST(Plan, SaysWhetherItIsDueAtBoot) {
  const auto boot = plan_of("@reboot");
  EXPECT_TRUE(boot.on_reboot());
  EXPECT_FALSE(boot.empty());
  EXPECT_EQ(boot.next(at("2025-01-01T00:00:00Z"), {}), std::nullopt);
  EXPECT_FALSE(plan_of("@daily").on_reboot());
  EXPECT_FALSE(plan_of("@daily").empty());
}

TEST(Plan, IsEmptyWithoutSchedules) {
  for (const Plan& plan : {plan_of(PlanSpec{}), Plan()}) {
    EXPECT_TRUE(plan.empty());
    EXPECT_FALSE(plan.on_reboot());
    EXPECT_TRUE(plan.everies().empty());
    EXPECT_EQ(plan.next(at("2025-01-01T00:00:00Z"), {}), std::nullopt);
    EXPECT_EQ(plan, Plan());
    EXPECT_EQ(plan.hash(), Plan().hash());
    EXPECT_TRUE(plan.has_same_zones(Plan()));
  }
  EXPECT_FALSE(plan_of("@daily") == Plan());
}

TEST(Plan, IsEmptyWhenItsLastPossibleSlotIsBeforeTheFirst) {
  EXPECT_TRUE(plan_of({.expressions = {"@daily"},
                       .not_before = at("2025-01-02T00:00:00Z"),
                       .not_after = at("2025-01-01T00:00:00Z")})
                  .empty());
}

TEST(Plan, AnswersForTheEndsOfTime) {
  const auto plan = plan_of({.expressions = {"0 * * * *", "0 2 * * *", "@every 1w"}, .timezone = "Europe/Paris"});
  for (const WallTime anchor : {WallTime::min(), at("2025-01-01T00:00:00Z"), WallTime::max()}) {
    const std::vector<WallTime> anchors{anchor};
    EXPECT_TRUE(plan.next(WallTime::min(), anchors));
    EXPECT_EQ(plan.next(WallTime::max(), anchors), std::nullopt);
  }
  const std::vector<WallTime> anchor{at("2025-01-01T00:00:00Z")};
  EXPECT_EQ(plan_of("@every 9223372036854775s").next(anchor[0], anchor), std::nullopt);
}

TEST(Plan, HasTheHashOfWhatIsEqualAndAnotherWhereAnythingElseDiffers) {
  const PlanSpec daily{.expressions = {"0 2 * * *"}, .group = "default", .job = "job"};
  const auto with = [&](auto change) {
    PlanSpec spec = daily;
    change(spec);
    return plan_of(spec);
  };
  const auto because = [&](const std::string& expression) {
    return with([&](PlanSpec& spec) { spec.expressions.push_back(expression); });
  };
  std::vector<Plan> plans{plan_of(daily), because("@reboot"), because("0 3 * * *"),
                          because("CRON_TZ=Asia/Tokyo 0 3 * * *")};
  for (const char* zone : {"Europe/Paris", "Europe/Berlin", "America/New_York"})
    plans.push_back(with([&](PlanSpec& spec) { spec.timezone = zone; }));
  for (int i = 1; i <= 1000; ++i) {
    const WallTime bound = at("2025-01-01T00:00:00Z") + i * 1s;
    plans.push_back(with([&](PlanSpec& spec) { spec.not_before = bound; }));
    plans.push_back(with([&](PlanSpec& spec) { spec.not_after = bound; }));
    plans.push_back(plan_of("@every " + std::to_string(i) + "s"));
  }
  std::map<std::size_t, const Plan*> by_hash;
  for (const Plan& plan : plans) EXPECT_TRUE(by_hash.emplace(plan.hash(), &plan).second);
  EXPECT_EQ(plan_of(daily).hash(), plans[0].hash());
  EXPECT_EQ(plan_of("@every 90s").hash(), plan_of("@EVERY  90s", "Europe/Paris").hash()) << "which has no use for one";
  PlanSpec early = daily;
  early.not_before = WallTime::min();
  ASSERT_EQ(plan_of(early), plans[0]) << "before all that is due";
  EXPECT_EQ(plan_of(early).hash(), plans[0].hash());
}

TEST(Plan, ReportsEveryErrorOfEveryExpression) {
  const auto errors =
      errors_of({.expressions = {"61 25 * * *", "@daily", "CRON_TZ=Mars/Base 0 0 0 * *"}, .timezone = "Nowhere"});
  ASSERT_EQ(errors.size(), 5u);
  EXPECT_EQ(errors[0].kind, PlanError::Kind::timezone);
  const std::vector<std::pair<std::size_t, int>> places{{0, 1}, {0, 4}, {2, 9}, {2, 23}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(errors[i + 1].kind, PlanError::Kind::expression);
    EXPECT_EQ(std::pair(errors[i + 1].index, errors[i + 1].column), places[i]) << errors[i + 1].text;
  }
}

}  // namespace
}  // namespace ballot::schedule
