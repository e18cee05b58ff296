// Sets of days and the rules that calendars make of them.
#include "schedule/day_rule.hpp"

#include <ctime>

#include "plans.hpp"

namespace ballot::schedule::day_rule {
namespace {

using namespace std::chrono;

local_days day(int year, unsigned month, unsigned date) {
  return local_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(date));
}

DaySet set_of(std::string_view text) {
  const auto set = DaySet::parse(text);
  EXPECT_TRUE(set) << text;
  return set.value_or(DaySet());
}

DayRule rule_of(std::string_view text) {
  const auto rule = DayRule::parse(text);
  EXPECT_TRUE(rule) << text;
  return rule.value_or(DayRule());
}

TEST(DaySet, HasOneTextForEqualSets) {
  for (const auto& [written, text] : {std::pair("2026-12-26,2026-12-24..2026-12-25", "2026-12-24..2026-12-26"),
                                      {"2026-01-03,2026-01-01", "2026-01-01,2026-01-03"},
                                      {"2026-01-01..2026-01-05,2026-01-02", "2026-01-01..2026-01-05"},
                                      {"2026-01-01,2026-01-03,2026-01-02", "2026-01-01..2026-01-03"},
                                      {"sun,MON,12-25,01-01,12-25", "01-01,12-25,mon,sun"},
                                      {"12-30..01-02", "01-01,01-02,12-30,12-31"},
                                      {"02-28..03-01", "02-28,02-29,03-01"}})
    EXPECT_EQ(set_of(written).text(), text);
  EXPECT_EQ(set_of("").text(), "");
}

TEST(DaySet, HasYearlyRangesOverNewYearUpToAndFromTheLeapDay) {
  for (const std::string range : {"12-01..02-29", "12-01..03-01", "12-01..02-28", "02-29..02-28", "02-29..01-02",
                                  "12-31..01-01", "03-01..02-28", "03-01..02-29", "02-28..02-27"}) {
    const DaySet set = set_of(range);
    const std::string from = range.substr(0, 5), to = range.substr(7);
    for (local_days one = day(2027, 1, 1); one < day(2029, 1, 1); one += days(1)) {
      const std::string date = text_of(one), month_day = date.substr(5);
      EXPECT_EQ(set.has(one), month_day >= from || month_day <= to) << date << " of " << range;
    }
  }
}

TEST(DaySet, IsReadFromItsTextAlone) {
  for (const char* text :
       {"x", ",", "2026-12-25,", "2026-13-01", "2026-12-25..", "2026-12-25...2026-12-26", "12-32", "02-30..03-01",
        "2026-02-29", "2400-01-01", "sunday", "2026-12-26..2026-12-25", "1-1", "12-25..2026-12-26"})
    EXPECT_FALSE(DaySet::parse(text)) << text;
}

TEST(DaySet, HasDaysOfEveryYearWhereTheYearHasThem) {
  const DaySet leap = set_of("02-29");
  EXPECT_TRUE(leap.has(day(2028, 2, 29)));
  EXPECT_FALSE(leap.has(day(2027, 3, 1)));
  EXPECT_EQ(leap.next(day(1896, 3, 1)), day(1904, 2, 29));
  EXPECT_TRUE(set_of("02-28..03-01").has(day(2027, 3, 1)));
}

TEST(DaySet, KnowsItsNextDay) {
  const DaySet set = set_of("2026-01-10..2026-01-12,02-01,wed");
  EXPECT_EQ(set.next(day(2026, 1, 8)), day(2026, 1, 10));
  EXPECT_EQ(set.next(day(2026, 1, 11)), day(2026, 1, 11));
  EXPECT_EQ(set.next(day(2026, 1, 13)), day(2026, 1, 14));
  EXPECT_EQ(set.next(day(2026, 1, 29)), day(2026, 2, 1));
  EXPECT_EQ(set_of("2026-01-10").next(day(2026, 1, 11)), std::nullopt);
  EXPECT_EQ(set_of("wed").next(day(2399, 12, 31)), std::nullopt);
}

TEST(DayRule, IsReadFromItsTextAgain) {
  for (const char* text :
       {"except a=2026-12-25", "except a=12-25 except b=sun only c=mon,tue shift=next", "only c=mon shift=previous"})
    EXPECT_EQ(rule_of(text).text(), text);
  for (const char* text :
       {"", "shift=next", "except", "except a", "except =mon", "except a=x", "all a=mon",
        "except a=mon shift=next only b=tue", "except a=mon  only b=tue", "except a b=mon", "shift=none"})
    EXPECT_FALSE(DayRule::parse(text)) << text;
}

TEST(DayRule, SaysWhyADayIsNotAllowed) {
  const DayRule rule = rule_of("except holidays=12-25 only work=mon,tue,wed,thu,fri only extra=2026-12-26");
  EXPECT_EQ(rule.why_not(day(2026, 12, 25)), "2026-12-25 is in holidays");
  EXPECT_EQ(rule.why_not(day(2026, 12, 27)), "2026-12-27 is not in work or extra");
  EXPECT_EQ(rule.why_not(day(2026, 12, 26)), "");
  EXPECT_EQ(rule.summary(), "except holidays; only work, extra");
}

TEST(DayRule, FindsItsNextDayOverYearsWithoutLookingAtEach) {
  EXPECT_EQ(rule_of("except a=2026-01-01..2399-12-30").next_allowed(day(2026, 1, 1)), day(2399, 12, 31));
  EXPECT_EQ(rule_of("only a=2300-05-05").next_allowed(day(1800, 1, 1)), day(2300, 5, 5));
  EXPECT_EQ(rule_of("only a=2000-05-05").next_allowed(day(2026, 1, 1)), std::nullopt);
  EXPECT_EQ(rule_of("only a=02-29 except b=2028-01-01..2095-12-31").next_allowed(day(2028, 1, 1)), day(2096, 2, 29));
}

TEST(DayRule, KnowsThatItAllowsNoDay) {
  EXPECT_TRUE(rule_of("except a=mon,tue,wed,thu,fri,sat,sun").never());
  EXPECT_TRUE(rule_of("only a=12-25 except b=12-25").never());
  EXPECT_FALSE(rule_of("only a=1800-01-01").never());
  EXPECT_FALSE(rule_of("except a=mon,tue,wed,thu,fri,sat").never());
  EXPECT_TRUE(rule_of("only a=2026-01-01").ends());
  EXPECT_FALSE(rule_of("only a=2026-01-01,sun").ends());
  EXPECT_FALSE(rule_of("except a=2026-01-01").ends());
}

constexpr const char* all_week = "mon,tue,wed,thu,fri,sat,sun";

TEST(DayRule, KnowsThatItAllowsNoDayByTheKindsOfDays) {
  const std::string no_kind = "only y=01-01..12-31 except w=" + std::string(all_week);
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(rule_of(no_kind).never());  // each took a second by a search of 600 years
  EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
  EXPECT_TRUE(rule_of("only a=mon except b=mon").never());
  EXPECT_TRUE(rule_of("only a=02-29 except b=02-28..03-01").never());
  EXPECT_TRUE(rule_of("only a=2026-01-03..2026-01-04 except b=sat,sun").never());
  EXPECT_TRUE(rule_of("only a=12-25 except b=1800-01-01..2399-12-31").never());
  EXPECT_FALSE(rule_of("only a=12-25 except b=2026-01-01..2399-12-31").never());
  EXPECT_FALSE(rule_of("only a=12-25 except b=1800-01-01..2399-01-01").never());
  EXPECT_FALSE(rule_of("only a=mon except b=2024-01-01..2026-12-31").never());
  EXPECT_FALSE(rule_of("only a=mon,2026-01-03 except b=mon").never());
}

TEST(DayRule, FindsTheLeapDayOfADayOfTheWeekOverACentury) {
  for (const char* name : {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}) {
    const DaySet week = set_of(name);
    local_days wanted = day(2072, 3, 1);
    const auto is_it = [&] { return schedule::text_of(wanted).substr(5) == "02-29" && week.has(wanted); };
    while (!is_it()) wanted += days(1);
    const auto plan = Plan::of_stored({.expressions = {"0 6 29 2 *", "@days only a=" + std::string(name)}});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->next_due(at("2072-03-01T00:00:00Z"), {})->at,
              WallTime(sys_days(wanted.time_since_epoch()) + hours(6)))
        << name;
    EXPECT_FALSE(plan->is_never_due());
  }
}

TEST(DayRule, IsTheLastLineOfAStoredTiming) {
  const std::vector<std::string> expressions{"0 2 * * *"}, stored{"0 2 * * *", "@days except a=mon"};
  EXPECT_EQ(with_rule(expressions, "except a=mon"), stored);
  EXPECT_EQ(with_rule(expressions, ""), expressions);
  EXPECT_EQ(without_rule(stored), std::pair(expressions, std::string("except a=mon")));
  EXPECT_EQ(without_rule(expressions), std::pair(expressions, std::string()));
  EXPECT_FALSE(Plan::of_stored({.expressions = {"0 2 * * *", "@days except a=x"}}));
  EXPECT_FALSE(Plan::of_stored({.expressions = {"@days except a=mon", "0 2 * * *"}}));
  EXPECT_TRUE(std::holds_alternative<std::vector<PlanError>>(Plan::make({.expressions = stored})))
      << "no expression is one";
}

std::string slots(std::vector<std::string> expressions, const char* rule, const char* from, const char* to,
                  const char* zone = "UTC") {
  const auto plan = Plan::of_stored({.expressions = with_rule(std::move(expressions), rule), .timezone = zone});
  EXPECT_TRUE(plan);
  std::string text;
  for (auto slot = plan->next(at(from), {}); slot && slot->at <= at(to); slot = plan->next(slot->at, {}))
    text += (text.empty() ? "" : " ") + text_of(*slot);
  return text;
}

TEST(ChosenSlots, AreLeftOutOrMove) {
  const char *const from = "2026-12-24T00:00:00Z", *const to = "2026-12-28T23:59:59Z";
  EXPECT_EQ(slots({"0 6 * * *"}, "except a=2026-12-25..2026-12-26", from, to),
            "2026-12-24T06:00:00Z 2026-12-25T06:00:00Z left out 2026-12-26T06:00:00Z left out 2026-12-27T06:00:00Z "
            "2026-12-28T06:00:00Z");
  EXPECT_EQ(slots({"0 6 25 * *"}, "except a=2026-12-25..2026-12-26 shift=next", from, to), "2026-12-27T06:00:00Z");
  EXPECT_EQ(slots({"0 6 26 * *"}, "except a=2026-12-25..2026-12-26 shift=previous", from, to), "2026-12-24T06:00:00Z");
  EXPECT_EQ(slots({"0 6 25-27 * *"}, "except a=2026-12-25..2026-12-26 shift=next", from, to), "2026-12-27T06:00:00Z");
  EXPECT_EQ(slots({"0 6 25 * *", "0 7 26 * *"}, "except a=2026-12-25..2026-12-26 shift=next", from, to),
            "2026-12-27T06:00:00Z 2026-12-27T07:00:00Z");
}

TEST(ChosenSlots, GoNoFartherThanAYear) {
  const char *const from = "2026-12-24T00:00:00Z", *const to = "2028-12-28T23:59:59Z";
  EXPECT_EQ(slots({"0 6 25 12 *"}, "except a=2026-12-25..2027-12-25 shift=next", from, to),
            "2027-12-26T06:00:00Z 2028-12-25T06:00:00Z");  // 366 days
  EXPECT_EQ(slots({"0 6 25 12 *"}, "except a=2026-12-25..2027-12-26 shift=next", from, to),
            "2026-12-25T06:00:00Z left out 2027-12-27T06:00:00Z 2028-12-25T06:00:00Z");
  EXPECT_EQ(slots({"0 6 25 12 *"}, "only a=2026-12-01 shift=previous", "2026-11-24T00:00:00Z", to),
            "2026-12-01T06:00:00Z 2027-12-25T06:00:00Z left out 2028-12-25T06:00:00Z left out");
}

TEST(ChosenSlots, ThatAreTooFarDoNotComeHoweverIsAsked) {
  const auto plan =
      Plan::of_stored({.expressions = {"0 6 29 2 *", "@days except a=2028-02-29..2029-03-01 shift=next"}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(text_of(*plan->next(at("2028-02-01T00:00:00Z"), {})), "2028-02-29T06:00:00Z left out");
  for (const char* from : {"2028-02-29T06:00:00Z", "2028-03-05T00:00:00Z", "2029-03-02T00:00:00Z"})
    EXPECT_EQ(plan->next(at(from), {})->at, at("2032-02-29T06:00:00Z")) << from;
}

/// The clocks are put from 23:30 of the day that is left out to the midnight after it.
TEST(ChosenSlots, AreDueWhereOneLabelOfAGapIs) {
  EXPECT_EQ(slots({"0,45 0,23 * * *"}, "except a=2018-05-04", "2018-05-04T14:00:00Z", "2018-05-04T16:00:00Z",
                  "Asia/Pyongyang"),
            "2018-05-04T14:30:00Z left out 2018-05-04T15:00:00Z 2018-05-04T15:45:00Z");
}

/// The day is that of the label; the clocks are put forward over midnight.
TEST(ChosenSlots, AreThoseOfTheirLabels) {
  EXPECT_EQ(
      slots({"30 0 * * *"}, "except a=2024-04-26", "2024-04-25T00:00:00Z", "2024-04-27T12:00:00Z", "Africa/Cairo"),
      "2024-04-25T22:00:00Z left out 2024-04-26T21:30:00Z");
  EXPECT_EQ(slots({"30 2 28 3 *"}, "except a=2026-03-28 shift=next", "2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z",
                  "Europe/Paris"),
            "2026-03-29T01:00:00Z");  // 02:30 is skipped there
}

TEST(ChosenSlots, OfAnEveryAreLeftOutByTheDateOfTheirInstants) {
  const auto plan =
      Plan::of_stored({.expressions = {"@every 8h", "@days except a=2026-12-25"}, .timezone = "Asia/Tokyo"});
  ASSERT_TRUE(plan);
  const std::vector<WallTime> anchors{at("2026-12-24T00:00:00Z")};
  std::string text;
  for (auto slot = plan->next(anchors[0], anchors); slot && slot->at <= at("2026-12-25T16:00:00Z");
       slot = plan->next(slot->at, anchors))
    text += text_of(*slot) + " ";
  EXPECT_EQ(text,
            "2026-12-24T08:00:00Z 2026-12-24T16:00:00Z left out 2026-12-25T00:00:00Z left out 2026-12-25T08:00:00Z "
            "left out 2026-12-25T16:00:00Z ");
  EXPECT_EQ(plan->next_due(at("2026-12-24T08:00:00Z"), anchors)->at, at("2026-12-25T16:00:00Z"));
  EXPECT_EQ(plan->why_left_out(at("2026-12-24T16:00:00Z")), "2026-12-25 is in a");
}

TEST(ChosenSlots, ThatAreDueAreFoundOverMillionsThatAreLeftOut) {
  const auto plan = Plan::of_stored({.expressions = {"* * * * * *", "@days only a=2390-01-01"}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->next_due(at("2026-01-01T00:00:00Z"), {})->at, at("2390-01-01T00:00:00Z"));
  const auto over = Plan::of_stored({.expressions = {"* * * * * *", "@days only a=2000-01-01 shift=next"}});
  ASSERT_TRUE(over);
  EXPECT_EQ(over->next_due(at("2026-01-01T00:00:00Z"), {}), std::nullopt);
}

bool is_never_due(std::vector<std::string> expressions, const char* rule) {
  const auto plan = Plan::of_stored({.expressions = with_rule(std::move(expressions), rule)});
  EXPECT_TRUE(plan);
  return plan && plan->is_never_due();
}

TEST(ChosenSlots, ThatNoDayIsEverGoodForAreKnown) {
  for (const char* shift : {"", " shift=next", " shift=previous"}) {
    const auto with = [&](const char* rule) { return std::string(rule) + shift; };
    EXPECT_FALSE(is_never_due({"0 6 * * 0"}, with("only a=2020-01-05").c_str())) << "it was due once";
    EXPECT_FALSE(is_never_due({"0 6 * * 0", "0 6 * * 1"}, with("except a=sun").c_str()));
    EXPECT_FALSE(is_never_due({"0 6 * * 0"}, with("except a=2026-01-01..2399-12-31").c_str()));
    EXPECT_FALSE(is_never_due({"0 6 29 2 *"}, with("except a=2024-02-29..2399-12-31").c_str()));
  }
  EXPECT_TRUE(is_never_due({"0 6 * * 0"}, "except a=sun"));
  EXPECT_TRUE(is_never_due({"0 6 * * 0", "0 7 * * sun"}, "except a=sun,2026-12-25"));
  EXPECT_TRUE(is_never_due({"0 6 25 12 *"}, "except a=12-24..01-02"));
  EXPECT_TRUE(is_never_due({"0 6 1 1 *"}, "only a=2026-01-02..2399-12-30 except b=01-01"));
  EXPECT_FALSE(is_never_due({"0 6 25 12 *"}, "except a=12-24..01-02 shift=next"));
  EXPECT_FALSE(is_never_due({"0 6 * * *"}, "except a=sun"));
}

TEST(ChosenSlots, ThatAreNeverDueAreLookedForOverABoundedTime) {
  const auto week = Plan::of_stored({.expressions = {"0 6 * * 0", "0 7 1 1 *", "@days except a=sun,2026-12-25"}});
  const auto every = Plan::of_stored({.expressions = {"@every 7d", "@days except a=sun"}});
  ASSERT_TRUE(week && every);
  const std::vector<WallTime> sunday{at("2026-01-04T12:00:00Z")}, monday{at("2026-01-05T12:00:00Z")};
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(week->next_due(at("2029-02-01T00:00:00Z"), {})->at, at("2030-01-01T07:00:00Z"));
    EXPECT_EQ(every->next_due(at("2026-01-04T12:00:00Z"), sunday), std::nullopt);
  }
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
  EXPECT_EQ(every->next_due(at("2026-01-05T12:00:00Z"), monday)->at, at("2026-01-12T12:00:00Z"));
  EXPECT_EQ(text_of(*week->next(at("2029-02-01T00:00:00Z"), {})), "2029-02-04T06:00:00Z left out");
}

TEST(ChosenSlots, MakePlansDiffer) {
  const auto a = Plan::of_stored({.expressions = {"0 2 * * *", "@days except a=mon"}});
  const auto b = Plan::of_stored({.expressions = {"0 2 * * *", "@days except a=tue"}});
  const auto same = Plan::of_stored({.expressions = {"0 2 * * *", "@days except a=mon"}});
  EXPECT_EQ(*a, *same);
  EXPECT_EQ(a->hash(), same->hash());
  EXPECT_FALSE(*a == *b);
  EXPECT_FALSE(*a == plan_of("0 2 * * *"));
}

}  // namespace
}  // namespace ballot::schedule::day_rule
