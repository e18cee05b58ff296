// Three daemons on an ensemble of three servers: killed, stopped, cut off, and the ensemble restarted under them. The
// checker judges what the processes reported and what the ledgers say of it; each prints how long its hand-over took.
#include <gtest/gtest.h>

#include <iostream>
#include <thread>

#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr Millis timeout{4000}, tick{400};
constexpr Millis busy{3000};  // more than a hand-over takes on a quiet machine
constexpr const char* nodes[] = {"n1", "n2", "n3"};

class OnZookeeper : public ::testing::Test {
 protected:
  OnZookeeper() : OnZookeeper(started()) {}
  explicit OnZookeeper(ZookeeperEnsemble& ensemble) : store(ensemble) {
    const std::string every_second = "schedule = \"* * * * * *\"\n";
    fleet.job("brief", every_second + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
    fleet.job("long",
              every_second + "group = \"slow\"\nkill_grace = \"300ms\"\n" + fleet.oracle.command({"--for", "1500ms"}));
    fleet.job("tool", fleet.oracle.command());
  }
  ~OnZookeeper() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  /// Who starts `brief` after `instant`.
  std::string new_leader(const Instant& instant, const std::string& not_this = "") {
    std::string leader;
    fleet.oracle.wait_until([&](const Reports& all) {
      for (const Report& report : all)
        if (report.job == "brief" && report.started.boot > instant.boot && report.node != not_this)
          leader = report.node;
      return !leader.empty();
    });
    return leader;
  }
  std::string start() {
    fleet.start(2);
    return "n1";
  }
  void cut_off(const std::string& node) {
    fleet.fault(node);
    for (TcpRelay& relay : relays) relay.cut();
  }
  void heal(const std::string& node) {
    for (TcpRelay& relay : relays) relay.heal();
    fleet.healed(node);
  }
  Evidence judge() {
    // What is asked for ends two seconds before this slot, and is to be longer than one.
    const WallTime enough = std::max(Instant::now().wall, fleet.counts_from() + seconds(4));
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Report& r) { return r.job == "brief" && r.slot > enough && r.on_time(); });
    })) << "nobody catches up";
    Evidence evidence = fleet.evidence();
    EXPECT_GE(evidence.until - evidence.from, seconds(1)) << "there is something to judge";
    EXPECT_EQ(check(evidence), Findings{});
    return evidence;
  }
  /// From an instant to the next term.
  static Millis until_elected(const Evidence& evidence, const Instant& from) {
    WallTime elected = WallTime::max();
    for (const NodeLedger& ledger : evidence.ledgers)
      for (const TermRow& term : ledger.terms)
        if (term.elected_at >= from.wall) elected = std::min(elected, term.elected_at);
    return elected - from.wall;
  }
  void expect_within(const char* what, const Evidence& evidence, const std::vector<Instant>& from, Millis longest) {
    for (const Instant& instant : from) {
      const Millis taken = until_elected(evidence, instant);
      std::cout << "hand-over, " << what << ": " << taken.count() << " ms\n";
      EXPECT_LE(taken, longest) << what;
    }
  }
  void expect_dead_by_the_deadline(const Instant& gone, const std::string& node) {
    for (const Report& report : fleet.oracle.reports("long")) {
      if (report.node != node || report.started.boot > gone.boot) continue;
      ASSERT_TRUE(report.gone) << report.text();
      EXPECT_LE(report.gone->boot - gone.boot, timeout - Fleet::margin) << report.text();
    }
  }

  /// All serve, whatever the test before has done to them.
  static ZookeeperEnsemble& started() {
    static ZookeeperEnsemble one(3, {.tick = tick});
    one.start();
    return one;
  }
  static std::string own_path() {
    static int last = 0;
    return "/t" + std::to_string(++last);
  }

  ZookeeperEnsemble& store;
  const std::string path = own_path();
  TcpRelay relays[3]{TcpRelay(store[0].port()), TcpRelay(store[1].port()), TcpRelay(store[2].port())};  // n1's way
  Fleet fleet{{nodes[0], nodes[1], nodes[2]}, timeout, [this](const std::string& node) {
                std::string servers = store.addresses();
                if (node == "n1") servers = relays[0].address() + "," + relays[1].address() + "," + relays[2].address();
                return "[coordination]\nbackend = \"zookeeper\"\nnamespace = \"t\"\nallow_open_store = "
                       "true\nsession_timeout = \"" +
                       format_duration(timeout) +
                       "\"\n"
                       "[zookeeper]\ntick = \"" +
                       format_duration(tick) + "\"\nservers = \"" + servers + path + "\"\n";
              }};
};

// S1 zookeeper
TEST_F(OnZookeeper, AKilledLeaderIsSucceededWhenItsSessionExpires) {
  std::string leader = start();
  std::vector<Instant> kills;
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(new_leader(Instant::now()), leader);
    fleet[leader].kill();
    kills.push_back(Instant::now());
    const std::string next = new_leader(kills.back(), leader);
    ASSERT_NE(next, "") << "nobody took over from " << leader;
    fleet[leader].start();
    ASSERT_TRUE(fleet[leader].wait_for("session open"));
    leader = next;
  }
  expect_within("killed", judge(), kills, timeout + tick + busy);
}

TEST_F(OnZookeeper, AKilledLeaderWhoseSupervisorResignsForItIsSucceededAtOnceWhereNothingRuns) {
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  fleet[leader].kill();
  const Instant killed = Instant::now();
  const Ran resigned = fleet[leader].ballot({"resign", "--session", fleet[leader].folder / "run/session"});
  EXPECT_EQ(resigned.code, 0) << resigned.err;
  ASSERT_NE(new_leader(killed, leader), "");
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(fleet[leader].folder / "run/session"); }))
      << "the session ends once no run of the other group goes on";
  fleet[leader].start();
  ASSERT_TRUE(fleet[leader].wait_for("session open"));
  expect_within("killed, and resigned by its supervisor", judge(), {killed}, timeout - Millis(200));
}

// S14 zookeeper
TEST_F(OnZookeeper, AStoppedLeaderHandsOverAtOnce) {
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  EXPECT_EQ(fleet[leader].stop(), 0);
  const Instant stopped = Instant::now();
  ASSERT_NE(new_leader(stopped, leader), "");
  const Evidence evidence = judge();
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (ledger.node == leader && term.ended_at)
        expect_within("clean stop", evidence, {{.boot = {}, .wall = *term.ended_at}}, busy);
}

// S4 zookeeper
TEST_F(OnZookeeper, ALeaderThatIsFrozenForThreeTimeoutsLaunchesNothingInItsOldTerm) {
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  fleet[leader].send(SIGSTOP);
  const Instant frozen = Instant::now();
  ASSERT_NE(new_leader(frozen, leader), "");
  expect_dead_by_the_deadline(frozen, leader);
  std::this_thread::sleep_until(std::chrono::system_clock::now() + 2 * timeout);
  fleet[leader].send(SIGCONT);
  ASSERT_TRUE(fleet[leader].wait_for("leads no more"));
  expect_within("frozen", judge(), {frozen}, timeout + tick + busy);
}

// S6 zookeeper
TEST_F(OnZookeeper, ALeaderThatIsCutOffStopsByItsOwnClock) {
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  cut_off(leader);
  const Instant cut = Instant::now();
  ASSERT_NE(new_leader(cut, leader), "");
  expect_dead_by_the_deadline(cut, leader);
  heal(leader);
  ASSERT_TRUE(fleet[leader].wait_for("session open"));
  expect_within("cut off", judge(), {cut}, timeout + tick + busy);
}

TEST_F(OnZookeeper, AnAtLeastOnceJobStartsWithoutAClaimWhileItsLeaderIsCutOff) {
  fleet.job("always", "schedule = \"* * * * * *\"\nguarantee = \"at-least-once\"\nkill_grace = \"200ms\"\n" +
                          fleet.oracle.command({"--for", "50ms"}));
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  cut_off(leader);
  const Instant cut = Instant::now();
  const auto is_unclaimed = [](const Report& report) { return report.fence == 0; };
  EXPECT_TRUE(
      fleet.oracle.wait_until([&](const Reports& all) { return std::any_of(all.begin(), all.end(), is_unclaimed); }));
  ASSERT_NE(new_leader(cut, leader), "");
  heal(leader);
  ASSERT_TRUE(fleet[leader].wait_for("session open"));
  judge();
  for (const Report& report : fleet.oracle.reports())
    if (is_unclaimed(report)) {
      EXPECT_EQ(report.job, "always") << report.text();
      EXPECT_EQ(report.node, leader) << report.text();
      EXPECT_LE(report.started.boot - cut.boot, timeout - Fleet::margin) << report.text();
    }
}

// S9 zookeeper
TEST_F(OnZookeeper, ARollingRestartOfTheEnsembleLosesNoSlot) {
  start();
  for (std::size_t i = 0; i < store.size(); ++i) {
    fleet.fault();
    store[i].kill();
    ASSERT_NE(new_leader(Instant::now()), "");
    store.start();
    fleet.healed();
    ASSERT_NE(new_leader(Instant::now()), "");
  }
  judge();
}

// S10 zookeeper
TEST_F(OnZookeeper, WithTheWholeEnsembleDownNobodyActsPastItsDeadlineAndAllIsCaughtUp) {
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  fleet.fault();
  for (std::size_t i = 0; i < store.size(); ++i) store[i].kill();
  const Instant down = Instant::now();
  ASSERT_TRUE(fleet[leader].wait_for("leads no more"));
  std::this_thread::sleep_until(std::chrono::system_clock::now() + timeout);
  const Instant up = Instant::now();
  store.start();
  fleet.healed();
  ASSERT_NE(new_leader(up), "");
  for (const Report& report : fleet.oracle.reports()) {
    const bool late = report.started.boot > down.boot + timeout - Fleet::margin && report.started.boot < up.boot;
    EXPECT_FALSE(late) << report.text();
  }
  judge();
}

class OnAPartedEnsemble : public OnZookeeper {
 protected:
  OnAPartedEnsemble() : OnZookeeper(relayed()) {}

  static ZookeeperEnsemble& relayed() {
    static ZookeeperEnsemble one(3, {.tick = tick, .relayed = true});
    return one;
  }
};

/// The server that n1 knows answers its pings, and can do nothing without the other two.
// S8 zookeeper
TEST_F(OnAPartedEnsemble, ALeaderOnTheMinoritySideStepsDownBeforeItsSessionEnds) {
  std::size_t minority = 0;
  while (store[minority].leads()) ++minority;
  for (TcpRelay& relay : relays) relay.lead_to(store[minority].port());
  const std::string leader = start();
  ASSERT_EQ(new_leader(Instant::now()), leader);
  fleet.fault();
  store.cut_off(minority);
  const Instant cut = Instant::now();
  ASSERT_NE(new_leader(cut, leader), "");
  expect_dead_by_the_deadline(cut, leader);
  store.heal();
  ASSERT_TRUE(fleet[leader].wait_for("session open"));
  fleet.healed();
  expect_within("on the minority side", judge(), {cut}, timeout + tick + busy);
}

}  // namespace
}  // namespace ballot::testing
