// `ballot run` on a real server of each kind of store: a leader that is killed, or cut off, and ticks that fall into a
// failover.
#include <filesystem>
#include <memory>

#include "integration/elections/store_elections.hpp"

namespace ballot::testing {
namespace {

/// Of ten seconds: whoever has to wait for its end waits longer than these tests allow.
struct KilledOnAStore : ElectionsOnAStore {
  KilledOnAStore() : ElectionsOnAStore(10s) {}

  const std::string session = folder.folder / "run/candidate-default.a";
  CandidateProcess a{folder, candidate("a", until_ended())};
  std::unique_ptr<CandidateProcess> b;
  Millis killed{0};

  void kill() {
    ASSERT_TRUE(folder.wait_until_said("START"));
    b = std::make_unique<CandidateProcess>(folder, candidate("b", until_ended()));
    ASSERT_TRUE(campaigns(*b));
    ASSERT_TRUE(std::filesystem::exists(session));
    a.send(SIGKILL);
    killed = wall_now();
  }
  void expect_successor(Millis within) {
    ASSERT_TRUE(folder.wait_until_said("START", 2));
    const Millis taken = since(killed, start_of(1));
    report("hand-over after kill -9", taken);
    EXPECT_LE(taken, within);
    EXPECT_EQ(name_of(1), "b");
    expect_no_overlap();
    EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(session); })) << "nothing is left of it";
  }
};

TEST_P(KilledOnAStore, IsSucceededByItsGuardsResignation) {
  kill();
  expect_successor(6s);
}

TEST_P(KilledOnAStore, IsSucceededByItsSupervisorsResignationOnceItsChildIsGone) {
  kill();
  while (std::filesystem::exists(session)) {
    const Ran resigned = ballot({"resign", "--session", session});
    ASSERT_EQ(resigned.code, 0) << resigned.err;
  }
  expect_successor(6s);
}

struct FaultsOnAStore : ElectionsOnAStore {};

TEST_P(FaultsOnAStore, ALeaderThatIsKilledWithItsGuardIsFollowedWhenItsSessionExpires) {
  CandidateProcess a(folder, candidate("a", until_ended()));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  kill_with_guard(a);
  const Millis killed = wall_now();
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("kill -9 to the next child", since(killed, start_of(1)));
  EXPECT_GE(since(killed, start_of(1)), timeout / 2) << "nobody has resigned for it";
  EXPECT_LE(since(killed, start_of(1)), timeout + busy);
  EXPECT_GT(epoch_of(1), epoch_of(0));
  expect_no_overlap();
}

TEST_P(FaultsOnAStore, ALeaderThatIsCutOffEndsItsChildBeforeTheNextOneStarts) {
  TcpRelay relay(place.port());
  CandidateProcess a(folder, candidate("a", until_ended(), place.through(relay)));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, candidate("b", until_ended()));
  ASSERT_TRUE(campaigns(b));
  relay.cut();
  const Millis cut = wall_now();
  ASSERT_TRUE(wait_until([&] { return is_gone(pid_of(start_of(0))); }));
  const Millis ended = wall_now();
  report("cut off to the end of the child", ended - cut);
  EXPECT_LE(ended - cut, timeout - margin) << "T since the last contact, less the margin";
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("cut off to the next child", since(cut, start_of(1)));
  EXPECT_GE(since(ended, start_of(1)), 0ms);
  EXPECT_LE(since(cut, start_of(1)), timeout + busy);
  relay.heal();
  ASSERT_TRUE(a.wait_for("the backend is back"));
  b.stop(SIGTERM);
  ASSERT_TRUE(folder.wait_until_said("START", 3)) << "it has queued again";
  EXPECT_EQ(name_of(2), "a");
  EXPECT_GT(epoch_of(2), epoch_of(1));
  EXPECT_EQ(candidates(), "a") << "nothing of its old session is left";
  expect_no_overlap();
}

/// T is 3 s: more than a tick is due while the session of the killed leader lasts.
TEST_P(CronOnAStore, RunsTheNewestTickThatFellIntoAFailoverAndNamesTheOthers) {
  std::vector<std::unique_ptr<CandidateProcess>> all;
  const Arguments flags{"--on-child-success", "rerun", "--log-level", "debug"};
  for (const char* name : {"a", "b"}) {
    all.push_back(std::make_unique<CandidateProcess>(folder, cron(name, "* * * * * *", flags, folder.saying("true"))));
    ASSERT_TRUE(all.back()->wait_for("campaigns"));
  }
  ASSERT_TRUE(folder.wait_until_said("END", 2));
  kill_with_guard(*all[0]);
  const std::size_t before = folder.said("START").size();
  ASSERT_TRUE(folder.wait_until_said("END", before + 2));
  EXPECT_EQ(field(folder.said("START").back(), 3), "b");
  EXPECT_GE(all[1]->count("tick missed"), 1u);
  expect_each_second_accounted_for(all);
}

BALLOT_ON_EACH_STORE(KilledOnAStore);
BALLOT_ON_EACH_STORE(FaultsOnAStore);
BALLOT_ON_EACH_STORE(CronOnAStore);

}  // namespace
}  // namespace ballot::testing
