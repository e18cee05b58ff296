// What is no expression, where and why; and where `H` falls.
#include "schedule/cron_expression.hpp"

#include <bit>
#include <map>
#include <set>

#include "plans.hpp"

namespace ballot::schedule {
namespace {

struct Wrong {
  std::string expression;
  int column;
  std::string text;  // part of the message
};

void expect_wrong(const std::vector<Wrong>& rows) {
  for (const Wrong& row : rows) {
    const auto errors = errors_of({.expressions = {row.expression}});
    ASSERT_EQ(errors.size(), 1u) << row.expression;
    EXPECT_EQ(errors[0].kind, PlanError::Kind::expression) << row.expression;
    EXPECT_EQ(errors[0].column, row.column) << row.expression << ": " << errors[0].text;
    EXPECT_NE(errors[0].text.find(row.text), std::string::npos) << row.expression << ": " << errors[0].text;
  }
}

TEST(CronExpression, RefusesValuesOutsideTheirField) {
  expect_wrong({{"60 * * * *", 1, "minute is 0 to 59, not '60'"},
                {"0 24 * * *", 3, "hour is 0 to 23, not '24'"},
                {"0 0 0 * *", 5, "day-of-month is 1 to 31, not '0'"},
                {"0 0 32 * *", 5, "day-of-month is 1 to 31, not '32'"},
                {"0 0 * 13 *", 7, "month is 1 to 12, not '13'"},
                {"0 0 * * 8", 9, "day-of-week is 0 to 7, not '8'"},
                {"60 0 0 * * *", 1, "second is 0 to 59, not '60'"},
                {"0 0-24 * * *", 5, "hour is 0 to 23, not '24'"},
                {"1,2,99999999999999999999 * * * *", 5, "minute is 0 to 59, not '99999999999999999999'"}});
}

TEST(CronExpression, RefusesWhatIsNoValue) {
  expect_wrong({{"a * * * *", 1, "'a' is no value; minute is 0 to 59, in lists"},
                {"0 0 * MON *", 7, "'MON' is no value; month is 1 to 12 or JAN to DEC"},
                {"0 0 * * JAN", 9, "SUN to SAT"},
                {"0 0 * JANUARY *", 10, "'UARY' makes no sense after 'JAN'"},
                {"-1 * * * *", 1, "'-1' is no value"},
                {"*5 * * * *", 2, "'5' makes no sense after '*'"},
                {"1-2-3 * * * *", 4, "'-3' makes no sense after '1-2'"},
                {"0~30 * * * *", 2, "'~30' makes no sense after '0'"},
                {"0 0 * * \xc3\xa4", 9, "is no value"}});
}

TEST(CronExpression, RefusesMissingValues) {
  expect_wrong({{"1,,2 * * * *", 3, "a value is missing"},
                {"1, * * * *", 3, "a value is missing"},
                {",1 * * * *", 1, "a value is missing"},
                {"1- * * * *", 3, "a value is missing"},
                {"*/ * * * *", 3, "a step of minute is 1 to 60"},
                {"H/ * * * *", 3, "a step of minute is 1 to 60"},
                {"0 0 * * 5#", 11, "the n of d#n is 1 to 5"},
                {"0 0 L- * *", 7, "the n of L-n is 1 to 30"}});
}

TEST(CronExpression, RefusesStepsThatTheFieldCannotHold) {
  expect_wrong({{"*/0 * * * *", 3, "a step of minute is 1 to 60, not '0'"},
                {"*/90 * * * *", 3, "a step of minute is 1 to 60, not '90'"},
                {"0 */25 * * *", 5, "a step of hour is 1 to 24, not '25'"},
                {"0 0 H/32 * *", 7, "a step of day-of-month is 1 to 31, not '32'"},
                {"0 0 L/2 * *", 6, "'/2' makes no sense after 'L'"}});
}

TEST(CronExpression, SaysHowToWriteARangeThatRunsBackwards) {
  expect_wrong({{"0 22-2 * * *", 3, "'22-2' runs backwards; write 22-23,0-2"},
                {"0 23-0 * * *", 3, "'23-0' runs backwards; write 23,0"},
                {"0 0 * NOV-feb *", 7, "'NOV-feb' runs backwards; write NOV-DEC,JAN-feb"},
                {"0 0 * * FRI-MON", 9, "'FRI-MON' runs backwards; write FRI-SAT,SUN-MON"},
                {"0 0 25-5 * *", 5, "'25-5' runs backwards; write 25-31,1-5"},
                {"0 H(22-2) * * *", 5, "'22-2' runs backwards"}});
}

TEST(CronExpression, RefusesDaysThatNoMonthHas) {
  expect_wrong({{"0 0 L-31 * *", 7, "the n of L-n is 1 to 30, not '31'"},
                {"0 0 * * 5#6", 11, "the n of d#n is 1 to 5, not '6'"},
                {"0 0 * * 5#0", 11, "the n of d#n is 1 to 5, not '0'"},
                {"0 0 W * *", 5, "'W' is no value"},
                {"0 0 32W * *", 5, "day-of-month is 1 to 31"},
                {"0 0 * * L", 9, "'L' is no value"},
                {"0 L * * *", 3, "'L' is no value"},
                {"0 0 5#2 * *", 6, "'#2' makes no sense after '5'"},
                {"0 0 * * 5W", 10, "'W' makes no sense after '5'"}});
}

TEST(CronExpression, RefusesAnOddRangeOfH) {
  expect_wrong({{"H( * * * *", 3, "a value is missing"},
                {"H(5) * * * *", 4, "takes a range, as in H(0-29)"},
                {"H(5-9 * * * *", 6, "closing bracket"},
                {"H(5-60) * * * *", 5, "minute is 0 to 59"},
                {"H5 * * * *", 2, "'5' makes no sense after 'H'"}});
}

TEST(CronExpression, ShowsLongAndOddTextsShortened) {
  const auto message = [](const std::string& text) { return errors_of({.expressions = {text}})[0].text; };
  EXPECT_LT(message(std::string(100'000, 'x') + " * * * *").size(), 200u);
  EXPECT_NE(message("* * * * " + std::string(59, 'x') + "\xc3\xa4").find("xx...'"), std::string::npos);
  EXPECT_NE(message("1\n2 * * * *").find("'?2' makes no sense after '1'"), std::string::npos);
}

TEST(CronExpression, RefusesAnotherNumberOfFields) {
  expect_wrong({{"", 1,
                 "no fields; write 5 (minute hour day-of-month month day-of-week), 6 "
                 "with second first"},
                {"  ", 1, "no fields"},
                {"*", 1, "only 1 field;"},
                {" * * * *", 2, "only 4 fields;"},
                {"0 0 0 1 1 * 2025", 13, "more than 6 fields"},
                {"* * * * * * * * * * * *", 13, "more than 6 fields"},
                {"CRON_TZ=UTC", 1, "no fields"}});
}

TEST(CronExpression, RefusesUnknownMacros) {
  expect_wrong({{"@fortnightly", 1, "unknown macro '@fortnightly'; write @yearly, @annually, @monthly"},
                {"@", 1, "unknown macro '@'"},
                {"@daily 5", 8, "nothing may follow @daily"},
                {"@reboot now", 9, "nothing may follow @reboot"}});
}

TEST(CronExpression, RefusesEveryUnlessItTakesWholeSeconds) {
  const std::string usage = "@every takes one duration of whole seconds, from 1s";
  expect_wrong({{"@every", 1, usage},
                {"@every 0s", 8, usage},
                {"@every 500ms", 8, usage + ", such as 90s or 1h30m, not '500ms'"},
                {"@every 1s500ms", 8, usage},
                {"@every 5", 8, usage},
                {"@every -5s", 8, usage},
                {"CRON_TZ=UTC @every  1h 30m", 24, usage}});
}

TEST(CronExpression, RefusesWhatNeverFires) {
  expect_wrong({{"0 0 30 2 *", 5,
                 "this never fires: no date has day-of-month '30', month '2' and "
                 "day-of-week '*'"},
                {"0 0 31 2,4,6,9,11 *", 5, "this never fires"},
                {"0 0 31W FEB *", 5, "this never fires"},
                {"0 0 L-29 2 *", 5, "this never fires"},
                {"0 0 0 */31 * 1#2", 7, "this never fires"}});
}

TEST(CronExpression, AcceptsWhatFiresRarely) {
  for (const char* expression : {"0 0 29 2 *", "0 0 */28 2 1#5", "0 0 30 2 1", "0 0 L-28 2 *", "0 0 29W 2 *"})
    EXPECT_TRUE(errors_of({.expressions = {expression}}).empty()) << expression;
}

TEST(CronExpression, RefusesAnUnknownZoneOfItsOwnAtItsColumn) {
  expect_wrong({{"CRON_TZ=Europe/Pariss 0 0 * * *", 9, "unknown time zone 'Europe/Pariss'; did you mean Europe/Paris?"},
                {"TZ=Europe/Pariss 0 0 * * *", 4, "unknown time zone 'Europe/Pariss'; did you mean Europe/Paris?"},
                {" CRON_TZ= 0 0 * * *", 10, "unknown time zone ''"},
                {"CRON_TZ=/etc/localtime @daily", 9, "unknown time zone '/etc/localtime'"}});
}

TEST(CronExpression, ReadsMacrosInAnyCase) {
  const std::string from = "2025-02-01T00:30:00Z";
  const std::map<std::string, std::string> first{
      {"@yearly", "2026-01-01T00:00:00Z"}, {"@annually", "2026-01-01T00:00:00Z"}, {"@monthly", "2025-03-01T00:00:00Z"},
      {"@Weekly", "2025-02-02T00:00:00Z"}, {"@daily", "2025-02-02T00:00:00Z"},    {"@midnight", "2025-02-02T00:00:00Z"},
      {"@HOURLY", "2025-02-01T01:00:00Z"}};
  for (const auto& [macro, slot] : first) EXPECT_EQ(first_slots(plan_of(macro), from, 1), Texts{slot}) << macro;
}

TEST(CronExpression, TakesBlanksAroundAndBetweenFields) {
  EXPECT_EQ(first_slots(plan_of("\t 30   2 \t* *  * "), "2025-01-01T00:00:00Z", 1), Texts{"2025-01-01T02:30:00Z"});
}

/// What `H` stands for, in place of the only H of an expression.
CronFields hashed(const std::string& expression, std::string_view job = "backup", std::string_view group = "default") {
  const auto parsed = parse_cron(expression, {group, job});
  return std::get<CronFields>(std::get<CronExpression>(parsed).when);
}

// Pinned: another value moves the jobs of everyone who upgrades.
TEST(CronHash, StaysWhereItIs) {
  const CronFields fields = hashed("H H H H H H", "nightly-backup", "nightly");
  EXPECT_EQ(fields.seconds, std::uint64_t{1} << 5);
  EXPECT_EQ(fields.minutes, std::uint64_t{1} << 21);
  EXPECT_EQ(fields.hours, 1u << 1);
  EXPECT_EQ(fields.days, 1u << 2);
  EXPECT_EQ(fields.months, 1u << 1);
  EXPECT_EQ(fields.weekdays, 1u << 4);
  const CronFields stepped = hashed("H/15 H(8-17) * * H(MON-FRI)/2", "nightly-backup", "nightly");
  EXPECT_EQ(stepped.minutes,
            std::uint64_t{1} << 6 | std::uint64_t{1} << 21 | std::uint64_t{1} << 36 | std::uint64_t{1} << 51);
  EXPECT_EQ(stepped.hours, 1u << 17);
  EXPECT_EQ(stepped.weekdays, 1u << 2 | 1u << 4);
}

TEST(CronHash, KeepsToItsRange) {
  for (int i = 0; i < 500; ++i) {
    const std::string job = "job-" + std::to_string(i);
    EXPECT_EQ(hashed("H(10-14) 0 * * *", job).minutes & ~std::uint64_t{0x1f << 10}, 0u);
    EXPECT_EQ(hashed("0 0 H * *", job).days & ~0x1ffffffeu, 0u) << "every month has its day: 1 to 28";
    EXPECT_EQ(hashed("0 0 * H *", job).months & ~0x1ffe, 0);
    EXPECT_EQ(hashed("0 0 * * H(MON-FRI)", job).weekdays & ~0x3e, 0);
    EXPECT_EQ(std::popcount(hashed("0 0 * * H(1-7)", job).weekdays), 1);
  }
}

TEST(CronHash, StepsFromAnOffsetWithinTheStep) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t minutes = hashed("H/15 * * * *", "job-" + std::to_string(i)).minutes;
    EXPECT_EQ(std::popcount(minutes), 4);
    EXPECT_EQ(minutes >> 15, minutes & ((std::uint64_t{1} << 45) - 1));
    seen.insert(minutes);
    const std::uint64_t narrow = hashed("H(0-9)/30 * * * *", "job-" + std::to_string(i)).minutes;
    EXPECT_EQ(std::popcount(narrow), 1);
    EXPECT_LT(narrow, std::uint64_t{1} << 10);
  }
  EXPECT_EQ(seen.size(), 15u);
}

TEST(CronHash, SpreadsJobsOverTheWholeDay) {
  std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
  for (int i = 0; i < 14400; ++i) {
    const CronFields fields = hashed("H H * * *", "job-" + std::to_string(i));
    seen.insert({fields.minutes, fields.hours});
  }
  EXPECT_GT(seen.size(), 1400u) << "of the 1440 minutes of a day";
}

TEST(CronHash, DependsOnGroupAndJob) {
  EXPECT_NE(hashed("H H H * *", "a", "bc").minutes, hashed("H H H * *", "ab", "c").minutes);
  EXPECT_EQ(hashed("H,H(0-59) h * * *").minutes, hashed("H * * * *").minutes);
}

}  // namespace
}  // namespace ballot::schedule
