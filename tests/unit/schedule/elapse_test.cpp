// How much time has passed where days that calendars leave out do not count.
#include "plans.hpp"

namespace ballot::schedule {
namespace {

using namespace std::chrono_literals;

Plan plan_by(const std::string& expression, const std::string& rule, const std::string& zone = "UTC") {
  return plan_of(PlanSpec{.expressions = {expression},
                          .timezone = zone,
                          .group = "default",
                          .job = "job",
                          .days = DayRule::parse(rule).value()});
}

std::string elapsed(const Plan& plan, const std::string& from, Millis span, const std::vector<WallTime>& anchors = {}) {
  const auto end = plan.elapse(at(from), span, anchors);
  return end ? format_slot(*end) : "never";
}

TEST(Elapse, IsPlainTimeWhereNoDayIsLeftOut) {
  EXPECT_EQ(elapsed(plan_of("0 2 * * *"), "2026-11-27T02:00:00Z", 26h), "2026-11-28T04:00:00Z");
  EXPECT_EQ(elapsed(Plan(), "2026-11-27T02:00:00Z", 26h), "2026-11-28T04:00:00Z");
}

/// 2026-11-27 is a Friday.
TEST(Elapse, DoesNotCountTheTimeFromASlotThatIsLeftOutToTheNextThatIsDue) {
  const Plan daily = plan_by("0 2 * * *", "except weekend=sat,sun");
  EXPECT_EQ(elapsed(daily, "2026-11-27T02:00:00Z", 26h), "2026-11-30T04:00:00Z");
  EXPECT_EQ(elapsed(daily, "2026-11-27T02:00:00Z", 20h), "2026-11-27T22:00:00Z");
  EXPECT_EQ(elapsed(daily, "2026-11-28T10:00:00Z", 26h), "2026-11-30T12:00:00Z") << "from within the days";
  EXPECT_EQ(elapsed(daily, "2026-11-30T02:00:00Z", 26h), "2026-12-01T04:00:00Z");
}

TEST(Elapse, HasAWeekMoreWhereTheOneSlotOfAWeekIsLeftOut) {
  const Plan weekly = plan_by("0 2 * * mon", "except holidays=2026-11-30");
  EXPECT_EQ(elapsed(weekly, "2026-11-23T02:00:00Z", 24h * 8), "2026-12-08T02:00:00Z");
  EXPECT_EQ(elapsed(weekly, "2026-11-16T02:00:00Z", 24h * 6), "2026-11-22T02:00:00Z");
}

TEST(Elapse, OfManySlotsADayLeavesOutWholeDays) {
  const Plan often = plan_by("*/5 * * * *", "except weekend=sat,sun", "Europe/Paris");
  EXPECT_EQ(elapsed(often, "2026-11-27T22:55:00Z", 30min), "2026-11-29T23:25:00Z") << "by the days of its zone";
}

TEST(Elapse, WithAShiftDoesNotCountDaysThatAreNotAllowed) {
  const Plan next = plan_by("0 2 * * mon", "except holidays=2026-11-30 shift=next");
  EXPECT_EQ(elapsed(next, "2026-11-23T02:00:00Z", 24h * 8), "2026-12-02T02:00:00Z");
  const Plan previous = plan_by("0 2 * * mon", "except weekend=sat,sun except holidays=2026-11-30 shift=previous");
  EXPECT_EQ(elapsed(previous, "2026-11-27T02:00:00Z", 24h * 8), "2026-12-10T02:00:00Z");
}

TEST(Elapse, OfEveryCountsFromItsAnchor) {
  const Plan every = plan_by("@every 6h", "except weekend=sat,sun");
  EXPECT_EQ(elapsed(every, "2026-11-27T19:00:00Z", 8h, {at("2026-11-27T01:00:00Z")}), "2026-11-30T03:00:00Z");
}

TEST(Elapse, NeverEndsWhereNoDayIsNear) {
  EXPECT_EQ(elapsed(plan_by("0 2 * * *", "only past=2020-01-01"), "2026-11-27T02:00:00Z", 26h), "never");
  EXPECT_EQ(elapsed(plan_by("0 2 * * *", "only past=2020-01-01 shift=next"), "2026-11-27T02:00:00Z", 26h), "never");
  EXPECT_EQ(elapsed(plan_by("0 2 29 2 *", "only far=2032-02-29"), "2026-11-27T02:00:00Z", 24h * 900), "never");
}

}  // namespace
}  // namespace ballot::schedule
