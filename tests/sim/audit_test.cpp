// A day of slots whose daemon is killed ten times, as an audit of its ledger sees it. Every other test of the
// simulation audits its ledgers too, at its end.
#include <gtest/gtest.h>

#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

TEST(Audit, OfADayWithTenKillsFindsNothingButARowThatIsDeleted) {
  SimWorld world{7};
  SimNode& a = world.add("a");
  Job often = minutely();
  often.name = "often";
  often.schedule = {"*/3 * * * *", "@every 7m"};
  often.misfire = Misfire::all;
  a.jobs = {define(minutely()), define(often)};
  a.takes["often"] = 4min;
  a.start();
  for (int kills = 0; kills < 10; ++kills) {
    world.run_for(2h + 17min + 31s * kills);
    a.crash();
    world.run_for(7s + 83s * kills);
    a.start();
  }
  world.run_for(30min);
  EXPECT_EQ(world.unaccounted(), "");  // of the audit too
  const std::vector<Row> rows = a.ledger.rows();
  ASSERT_GT(rows.size(), 1440u);
  for (std::size_t i = 0; i < rows.size(); i += 53)
    if (rows[i].slot < world.wall() - 10min) {
      EXPECT_NE(a.ledger.audited(&rows[i]), "") << line_of(rows[i]);
    }
}

/// Slots that a clock ahead has passed are written with the pause that is asked for when the clock is right again: they
/// were settled before it.
TEST(Audit, KnowsThatSlotsWerePassedBeforeThePauseThatTheyAreWrittenWith) {
  SimWorld world{3};
  SimNode& a = world.add("a");
  Job often = minutely("often");
  often.schedule = {"*/10 * * * * *"};
  often.misfire = Misfire::skip;
  a.jobs = {define(often)};
  a.start();
  world.run_for(35s);
  a.step_clock(2min);
  world.run_for(1500ms);
  a.step_clock(-2min);
  world.run_for(700ms);
  a.pause("often", true);
  world.run_for(4min);
  a.pause("often", false);
  world.run_for(1min);
  std::size_t passed = 0;
  for (const Row& row : a.ledger.rows()) passed += row.reason == Reason::misfire;
  EXPECT_GT(passed, 5u);
  EXPECT_EQ(a.ledger.audited(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

/// A kind of job, and what is done to it. Each row of its ledger is left out in turn, and the audit has to notice.
struct Kept {
  const char* name;
  Job job;
  Millis takes{1000};
  int exits = 0;
  enum class Life { quiet, killed, paused } life = Life::killed;
};
void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.name; }

Job of_kind(const char* schedule, Concurrency concurrency = Concurrency::skip) {
  Job job = minutely();
  job.schedule = {schedule};
  job.concurrency = concurrency;
  return job;
}

Job with_retries(int retries) {
  Job job = of_kind("*/5 * * * *");
  job.retries = retries;
  job.details.edit().retry_delay = 20s;
  return job;
}

Job repeated(Job job) {
  job.guarantee = Guarantee::at_least_once;
  return job;
}

Job catching_up_all(Job job) {
  job.misfire = Misfire::all;
  return job;
}

class EachRow : public ::testing::TestWithParam<Kept> {};

TEST_P(EachRow, ThatIsDeletedIsFound) {
  const Kept& kind = GetParam();
  SimWorld world{11};
  SimNode& a = world.add("a");
  a.jobs = {define(kind.job)};
  a.takes["job"] = kind.takes;
  if (kind.job.concurrency == Concurrency::allow) world.oracle.at_once["job"] = kind.job.max_running;
  a.exits["job"] = kind.exits;
  a.start();
  for (int round = 0; round < 6; ++round) {
    world.run_for(33min + 11s * round);
    if (kind.life == Kept::Life::killed) {
      a.crash();
      if (round == 3) a.runner.crash();
      world.run_for(3s + 41s * round);
      a.start();
    } else if (kind.life == Kept::Life::paused) {
      a.pause("job", round % 2 == 0);
    }
  }
  world.run_for(30min);
  ASSERT_EQ(world.unaccounted(), "");  // of the audit too
  std::size_t rows = 0, found = 0;
  std::string missed;
  for (const Row& row : a.ledger.rows()) {
    if (row.slot > world.wall() - 20min) continue;
    ++rows;
    if (!a.ledger.audited(&row).empty())
      ++found;
    else
      missed += "attempt " + std::to_string(row.attempt) + " of " + line_of(row) + "\n";
  }
  ASSERT_GT(rows, 30u);
  EXPECT_GE(100 * found, 99 * rows) << found << " of " << rows << ", but for\n" << missed;
  EXPECT_EQ(world.broken_promises(), "");
}

const Kept kinds[] = {
    {"skip", of_kind("* * * * *"), 100s},
    {"skip_short", of_kind("* * * * *")},
    {"misfire_all", catching_up_all(of_kind("* * * * *")), 40s},
    {"queue", of_kind("* * * * *", Concurrency::queue), 80s},
    {"replace", of_kind("* * * * *", Concurrency::replace), 90s},
    {"allow", of_kind("* * * * *", Concurrency::allow), 150s},
    {"every", of_kind("@every 95s"), 5s},
    {"paused", of_kind("* * * * *"), 1s, 0, Kept::Life::paused},
    {"retries", with_retries(1), 5s, 3},
    {"retries_quiet", with_retries(3), 5s, 3, Kept::Life::quiet},
    {"at_least_once", repeated(of_kind("* * * * *"))},
    {"at_least_once_long", repeated(of_kind("* * * * *")), 100s},
    {"at_least_once_all", repeated(catching_up_all(of_kind("* * * * *"))), 40s},
    {"at_least_once_retries", repeated(with_retries(1)), 5s, 3},
    {"at_least_once_paused", repeated(of_kind("* * * * *")), 1s, 0, Kept::Life::paused},
};

INSTANTIATE_TEST_SUITE_P(Audit, EachRow, ::testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace ballot
