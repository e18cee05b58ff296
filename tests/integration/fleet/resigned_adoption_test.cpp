// A daemon that is killed, and back within half a second, while somebody resigns for it: on `local` and on ZooKeeper.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "support/process/fleet.hpp"

namespace ballot::testing {
namespace {

constexpr int runs = 50;

std::string name_of_run(int number) { return "run" + std::to_string(number); }

/// BALLOT_ADOPTIONS=N: so many kills. A supervisor has `ballot resign` started at once, and the daemon a little later.
TEST(ResignedAdoption, OfFiftyRunsSucceedsThoughSomebodyResigns) {
  const char* asked = std::getenv("BALLOT_ADOPTIONS");
  const int rounds = asked ? std::atoi(asked) : 3;
  Fleet fleet({"n1"}, "", Millis(5000));
  for (int i = 0; i < runs; ++i) fleet.job(name_of_run(i), fleet.oracle.command({"--wait"}));
  fleet.start();
  BallotDaemon& daemon = fleet["n1"];
  for (int i = 0; i < runs; ++i) ASSERT_EQ(daemon.ballot({"trigger", name_of_run(i)}).code, 0);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) { return all.size() == runs; }));
  for (int round = 0; round < rounds; ++round) {
    daemon.kill();
    std::thread supervisor([&] {
      const Ran resigned = daemon.ballot({"resign", "--session", daemon.folder / "run/session"});
      EXPECT_EQ(resigned.code, 0) << resigned.err;
    });
    std::this_thread::sleep_for(Millis(rounds == 1 ? 250 : 500 * round / (rounds - 1)));
    daemon.start();
    supervisor.join();
    ASSERT_TRUE(daemon.wait_for("adopted", runs)) << "round " << round << "\n" << daemon.log;
    ASSERT_TRUE(daemon.wait_for("leads again")) << "their deadline is a new one";
  }
  for (int i = 0; i < runs; ++i) fleet.oracle.end(name_of_run(i), 7);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) {
    return std::all_of(all.begin(), all.end(), [](const Report& report) { return report.gone.has_value(); });
  }));
  const Evidence evidence = fleet.evidence();
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(evidence.reports.size(), std::size_t{runs}) << "none was started again";
  EXPECT_EQ(evidence.ledgers[0].terms.size(), 1u) << "it goes on with the same term";
}

}  // namespace
}  // namespace ballot::testing
