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

}  // namespace
}  // namespace ballot
