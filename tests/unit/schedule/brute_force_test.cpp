// Random expressions against a matcher that knows no sets and no jumps: it looks at every second, minute or day.
#include <array>
#include <functional>
#include <random>

#include "plans.hpp"
#include "support/judge/slot_oracle.hpp"

namespace ballot::schedule {
namespace {

using namespace std::chrono;
using ballot::testing::is_nearest_weekday;
using ballot::testing::Moment;
using ballot::testing::SlotOracle;

using Test = std::function<bool(const Moment&)>;

struct Field {
  std::string text;
  Test matches;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

  Field field(int low, int high, const std::function<Field()>& special = nullptr) {
    Field result;
    for (int items = between(0, 3) == 0 ? between(2, 3) : 1; items > 0; --items) {
      Field next = special && between(0, 3) == 0 ? special() : item(low, high);
      if (result.text.empty()) {
        result = next;
        continue;
      }
      result.text += "," + next.text;
      result.matches = [a = result.matches, b = next.matches](const Moment& at) { return a(at) || b(at); };
    }
    return result;
  }

  Field special_day() {
    const int n = between(1, 31);
    switch (between(0, 3)) {
      case 0: return {"L", [](const Moment& at) { return at.day == at.length; }};
      case 1:
        return {"L-" + std::to_string(n % 30 + 1),
                [n = n % 30 + 1](const Moment& at) { return at.day == at.length - n; }};
      case 2: return {std::to_string(n) + "W", [n](const Moment& at) { return is_nearest_weekday(at, n); }};
      default: return {"LW", [](const Moment& at) { return is_nearest_weekday(at, at.length); }};
    }
  }

  Field special_weekday() {
    const int weekday = between(0, 7), nth = between(1, 5);
    if (between(0, 2) == 0)
      return {std::to_string(weekday) + "L",
              [weekday](const Moment& at) { return at.weekday == weekday % 7 && at.day + 7 > at.length; }};
    return {std::to_string(weekday) + "#" + std::to_string(nth),
            [weekday, nth](const Moment& at) { return at.weekday == weekday % 7 && (at.day + 6) / 7 == nth; }};
  }

 private:
  Field item(int low, int high) {
    int a = between(low, high), b = between(low, high);
    if (a > b) std::swap(a, b);
    const int step = between(1, 9) % (high - low + 1) + 1;
    const std::string first = std::to_string(a), range = first + "-" + std::to_string(b),
                      by = "/" + std::to_string(step);
    const auto in = [](int from, int to, int every) -> Test {
      return [=](const Moment& at) { return at.value >= from && at.value <= to && (at.value - from) % every == 0; };
    };
    switch (between(0, 6)) {
      case 0: return {"*", in(low, high, 1)};
      case 1: return {"*" + by, in(low, high, step)};
      case 2: return {range, in(a, b, 1)};
      case 3: return {range + by, in(a, b, step)};
      case 4: return {first + by, in(a, high, step)};
      default: return {first, in(a, a, 1)};
    }
  }

  std::mt19937 random_;
};

/// The dates of an expression: three fields and the rule of the days.
struct Dates {
  Field days, months, weekdays;

  explicit Dates(Generator& random)
      : days(random.field(1, 31, [&] { return random.special_day(); })),
        months(random.field(1, 12)),
        weekdays(random.field(0, 6, [&] { return random.special_weekday(); })) {}

  std::string text() const { return days.text + " " + months.text + " " + weekdays.text; }
  bool match(sys_days date) const {
    const Moment at = Moment::of(date);
    const bool day = days.matches(at.with(at.day)), weekday = weekdays.matches(at.with(at.weekday));
    const bool both = days.text[0] == '*' || weekdays.text[0] == '*';
    return months.matches(at.with(at.month)) && (both ? day && weekday : day || weekday);
  }
};

sys_days random_date(Generator& random) {
  return sys_days(year(random.between(1970, 2190)) / 1 / 1) + days(random.between(0, 3000));
}

TEST(BruteForce, DatesAgreeDayByDay) {
  Generator random(20250309);
  int never = 0, seen = 0;
  for (int i = 0; i < 800; ++i) {
    const Dates dates(random);
    const sys_days begin = random_date(random), end = begin + days(12 * 365);
    std::vector<WallTime> wanted, found;
    for (sys_days date = begin; date < end; date += days(1))
      if (dates.match(date)) wanted.push_back(date);
    const auto made = Plan::make({.expressions = {"0 0 " + dates.text()}});
    if (std::holds_alternative<Plan>(made)) {
      const Plan& plan = std::get<Plan>(made);
      for (auto slot = plan.next(begin - milliseconds(1), {}); slot && slot->at < end; slot = plan.next(slot->at, {}))
        found.push_back(slot->at);
    } else {
      ++never;
    }
    ASSERT_EQ(found, wanted) << dates.text() << " from " << format_slot(begin);
    seen += static_cast<int>(found.size());
  }
  EXPECT_GT(seen, 50'000);
  EXPECT_LT(never, 20);
}

/// Which values of a field of the time of day match, by looking at each.
struct Values {
  std::string text;
  std::array<bool, 60> has{};

  explicit Values(const Field& field) : text(field.text) {
    for (int value = 0; value < 60; ++value) {
      Moment moment{};
      moment.value = value;
      has[static_cast<std::size_t>(value)] = field.matches(moment);
    }
  }
  bool operator()(std::int64_t value) const { return has[static_cast<std::size_t>(value)]; }
};

/// Walks every unit of time from a random date on and wants the plan's slots to be those that match, up to 300.
void expect_times_agree(Generator& random, seconds unit, int units) {
  const Dates dates(random);
  const Values hour(random.field(0, 23)), minute(random.field(0, 59)), second(random.field(0, 59));
  const bool by_second = unit == seconds(1);
  const std::string text = (by_second ? second.text + " " : "") + minute.text + " " + hour.text + " " + dates.text();
  const auto made = Plan::make({.expressions = {text}});
  if (!std::holds_alternative<Plan>(made)) return;  // never fires: DatesAgreeDayByDay says whether that is so
  const Plan& plan = std::get<Plan>(made);
  const sys_days begin = random_date(random);
  auto slot = plan.next(begin - milliseconds(1), {});
  if (slot && slot->at < begin + units * unit) {  // the tests' own computation, of the text
    const WallTime first = slot->at;
    EXPECT_EQ(SlotOracle({text}).between(std::max(first - minutes(1), WallTime(begin - seconds(1))), first),
              std::vector<WallTime>{first})
        << text;
  }
  int matched = 0;
  const sys_seconds end = begin + units * unit;
  for (sys_days date = begin; date < end && matched < 300; date += days(1)) {
    if (!dates.match(date)) continue;
    for (seconds in_day{0}; in_day < days(1) && date + in_day < end && matched < 300; in_day += unit) {
      if (!hour(in_day / hours(1)))
        in_day += hours(1) - unit;
      else if (minute(in_day / minutes(1) % 60) && (!by_second || second(in_day.count() % 60))) {
        ASSERT_TRUE(slot) << text;
        ASSERT_EQ(format_slot(slot->at), format_slot(date + in_day)) << text;
        slot = plan.next(slot->at, {});
        ++matched;
      }
    }
  }
  if (matched < 300 && slot) {
    ASSERT_GE(slot->at, begin + units * unit) << text;
  }
}

TEST(BruteForce, TimesAgreeMinuteByMinute) {
  Generator random(20251102);
  for (int i = 0; i < 1000 && !::testing::Test::HasFatalFailure(); ++i)
    expect_times_agree(random, minutes(1), 60 * 1440);
}

TEST(BruteForce, TimesAgreeSecondBySecond) {
  Generator random(20111230);
  for (int i = 0; i < 500 && !::testing::Test::HasFatalFailure(); ++i)
    expect_times_agree(random, seconds(1), 2 * 86400);
}

TEST(BruteForce, AnyTextIsAPlanOrAnErrorThatPointsIntoIt) {
  std::mt19937 random(19930821);
  const std::vector<std::string> pieces{"0",   "1",      "5",       "31",     "59",  "60",          "*",
                                        "?",   "/",      ",",       "-",      "#",   "L",           "W",
                                        "H",   "(",      ")",       "H(1-5)", "mon", "SUN",         "jan",
                                        "Dec", " ",      " ",       " ",      " ",   "\t",          "@every ",
                                        "1s",  "@daily", "~",       "\xff",   "\n",  "99999999999", "CRON_TZ=UTC ",
                                        "L-3", "FRI#2",  "* * * *", " * * *"};
  int plans = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left) text += pieces[random() % pieces.size()];
    const auto made = Plan::make({.expressions = {text}});
    if (const auto* errors = std::get_if<std::vector<PlanError>>(&made)) {
      ASSERT_FALSE(errors->empty()) << text;
      for (const PlanError& error : *errors) {
        ASSERT_GE(error.column, 1) << text;
        ASSERT_LE(error.column, static_cast<int>(text.size()) + 1) << text;
        ASSERT_FALSE(error.text.empty()) << text;
      }
      continue;
    }
    const Plan& plan = std::get<Plan>(made);
    const std::vector<WallTime> anchors(plan.everies().size());
    const WallTime after = sys_days(year(2025) / 1 / 1) + milliseconds(random());
    const auto slot = plan.next(after, anchors);
    ASSERT_TRUE(slot) << text;
    ASSERT_GT(slot->at, after) << text;
    ++plans;
  }
  EXPECT_GT(plans, 500);
}

}  // namespace
}  // namespace ballot::schedule
