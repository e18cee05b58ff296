// `ballot audit` and `ballot backup` beside a daemon: one that is killed again and again.
#include <gtest/gtest.h>

#include "storage/database.hpp"
#include "support/process/ballot_daemon.hpp"

namespace ballot::testing {
namespace {

TEST(Audit, FindsNothingAfterTenKillsAndThenTheRowThatIsDeleted) {
  BallotDaemon daemon;
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]\nmisfire = \"all\"");
  daemon.job("slow",
             "schedule = [\"*/2 * * * * *\", \"@every 5s\"]\njitter = \"500ms\"\ncommand = [\"/bin/sleep\", \"3\"]");
  daemon.job("fails", "schedule = \"*/2 * * * * *\"\nretries = 1\nretry_delay = \"100ms\"\ncommand = [\"/bin/false\"]");
  for (int kills = 0; kills < 10; ++kills) {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
    daemon.kill();
    if (kills == 5) daemon.job("slow", "schedule = \"*/3 * * * * *\"\ncommand = [\"/bin/sleep\", \"2\"]");
  }
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << daemon.log;
  const Ran clean = daemon.ballot({"audit"});
  EXPECT_EQ(clean.code, 0) << clean.out << clean.err;
  EXPECT_NE(clean.out.find("\n0 findings\n"), std::string::npos) << clean.out;

  EXPECT_EQ(daemon.ballot({"backup", daemon.folder / "copy.db"}).code, 0);
  EXPECT_EQ(daemon.ballot({"backup", daemon.folder / "copy.db"}).code, 1);
  EXPECT_EQ(daemon.ballot({"audit", "--job", "tock"}).code, 3);
  EXPECT_EQ(daemon.stop(), 0) << daemon.log;

  storage::Database ledger(daemon.history, storage::Open::write);
  ledger.run(
      "DELETE FROM ledger WHERE id = (SELECT id FROM ledger WHERE job_id = (SELECT id FROM name WHERE text = 'tick')"
      " ORDER BY slot LIMIT 1 OFFSET 2)");
  const Ran found = daemon.ballot({"audit", "--job", "tick"});
  EXPECT_EQ(found.code, 1) << found.out << found.err;
  EXPECT_NE(found.out.find(": missing: is due and has no row\n"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("\n1 finding\n"), std::string::npos) << found.out;
  EXPECT_EQ(daemon.ballot({"audit", "--job", "fails,slow", "--format", "json"}).code, 0);
}

}  // namespace
}  // namespace ballot::testing
