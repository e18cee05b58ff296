// Three daemons with the default times on an ensemble of three servers that goes away for seconds, again and again: for
// the daemons only (connections delayed or broken), or by itself (its leader frozen, killed, restarted). Minutes.
// BALLOT_OUTAGES=N: so many of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>

#include "base/wall_text.hpp"
#include "support/process/fleet.hpp"
#include "support/servers/reserved_port.hpp"
#include "support/servers/tcp_relay.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

struct OutageOfZookeeper : ::testing::Test {
  static int count(int normally) {
    const char* asked = std::getenv("BALLOT_OUTAGES");
    return asked ? std::max(1, std::atoi(asked)) : normally;
  }

  /// A node's way to each of the servers.
  struct Way {
    explicit Way(ZookeeperEnsemble& store) : store(store) {
      for (std::size_t i = 0; i < store.size(); ++i) relays.emplace_back(store[i].port());
    }
    std::string addresses() const {
      std::string all;
      for (const TcpRelay& relay : relays) all += (all.empty() ? "" : ",") + relay.address();
      return all;
    }
    void hold() {
      for (TcpRelay& relay : relays) relay.cut();
    }
    void release() {
      for (TcpRelay& relay : relays) relay.heal();
    }
    /// Both sides notice, and nobody is let in.
    void cut() {
      for (TcpRelay& relay : relays) relay.lead_to(nowhere.number()), relay.break_connections();
    }
    void heal() {
      for (std::size_t i = 0; i < store.size(); ++i)
        std::next(relays.begin(), static_cast<long>(i))->lead_to(store[i].port());
    }

    ZookeeperEnsemble& store;
    const ReservedPort nowhere;
    std::list<TcpRelay> relays;
  };

  OutageOfZookeeper() {
    const std::string each_second = "schedule = \"* * * * * *\"\n";
    fleet.job("every", each_second + "misfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
    fleet.job("endless", each_second + fleet.oracle.command({"--for", "3600s"}));
    fleet.job("long", each_second + "group = \"slow\"\n" + fleet.oracle.command({"--for", "7s"}));
  }
  ~OutageOfZookeeper() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  /// Until a slot is launched that is due from now on. False: nobody launches any.
  bool is_on_time(std::chrono::seconds limit) const {
    const WallTime now = Instant::now().wall;
    return fleet.oracle.wait_until(
        [&](const Reports& all) {
          return std::any_of(all.begin(), all.end(), [&](const Report& r) { return r.job == "every" && r.slot > now; });
        },
        limit);
  }
  /// Each slot of `every`, to how often it was launched. Nothing where that was once each time.
  static std::map<std::string, int> not_once(const Evidence& evidence) {
    std::map<WallTime, int> starts;
    for (const Report& report : evidence.reports)
      if (report.job == "every") ++starts[report.slot];
    std::map<std::string, int> wrong;
    for (WallTime slot = evidence.from; slot <= evidence.until; slot += 1s)
      if (starts[slot] != 1) wrong[format_slot(slot)] = starts[slot];
    return wrong;
  }
  static std::map<std::string, int> dispositions(const Evidence& evidence) {
    std::map<std::string, int> all;
    for (const NodeLedger& ledger : evidence.ledgers)
      for (const Row& row : ledger.rows)
        ++all[row.job + ": " + std::string(to_string(row.status)) +
              (row.reason == Reason::none ? "" : ": " + std::string(to_string(row.reason)))];
    return all;
  }
  static std::size_t terms(const Evidence& evidence) {
    std::size_t all = 0;
    for (const NodeLedger& ledger : evidence.ledgers) all += ledger.terms.size();
    return all;
  }

  ZookeeperEnsemble store{3, {.tick = 2000ms, .synced = true}};
  std::map<std::string, Way> ways;
  Fleet fleet{
      {"n1", "n2", "n3"}, 10'000ms, [this](const std::string& node) {
        return "[coordination]\nbackend = \"zookeeper\"\nnamespace = \"t\"\nallow_open_store = true\n[zookeeper]\n"
               "servers = \"" +
               ways.try_emplace(node, store).first->second.addresses() + "\"\n";
      }};
};

TEST_F(OutageOfZookeeper, OfSecondsKillsNoRunChangesNoLeaderAndLosesNoSlot) {
  fleet.start(2);
  const int outages = count(40);
  for (int i = 0; i < outages; ++i) {
    ASSERT_TRUE(is_on_time(30s));
    const bool delayed = i % 2 == 0, all = i / 2 % 2 == 0;
    const auto longest = delayed ? 5000ms : 3000ms;
    const Millis lasts = 500ms + (longest - 500ms) * (i / 2) / std::max(1, (outages - 1) / 2);
    const auto each = [&](auto&& act) {
      for (auto& [node, way] : ways)
        if (all || node == "n1") act(way);
    };
    const Instant began = Instant::now();
    fleet.fault(all ? "" : "n1");
    each([&](Way& way) { delayed ? way.hold() : way.cut(); });
    std::this_thread::sleep_until(std::chrono::system_clock::now() + lasts);
    each([&](Way& way) { delayed ? way.release() : way.heal(); });
    fleet.healed(all ? "" : "n1");
    const Instant over = Instant::now();
    ASSERT_TRUE(is_on_time(30s));
    const Reports reports = fleet.oracle.reports("every");
    const auto next =
        std::find_if(reports.begin(), reports.end(), [&](const Report& r) { return r.started.boot > over.boot; });
    std::cout << (delayed ? "delayed " : "cut ") << (all ? "for all " : "for the leader ") << lasts.count()
              << " ms: next START "
              << (next == reports.end() ? -1 : std::chrono::ceil<Millis>(next->started.boot - over.boot).count())
              << " ms later" << std::endl;
    EXPECT_LE(over.boot - began.boot, 9s) << "the machine was suspended";
  }
  const Evidence evidence = fleet.evidence();
  for (const auto& [what, times] : dispositions(evidence)) std::cout << times << "  " << what << "\n";
  EXPECT_EQ(check(evidence), Findings{});
  EXPECT_EQ(not_once(evidence), (std::map<std::string, int>{}));
  EXPECT_EQ(terms(evidence), 2u) << "one of each group";
  for (const auto& [what, times] : dispositions(evidence))
    EXPECT_EQ(what.find("leadership_lost"), std::string::npos) << what;
}

TEST_F(OutageOfZookeeper, OfTheEnsemblesLeaderEndsNoDaemonAndLeavesNoRowOpenAndNoSlotWithoutOne) {
  fleet.start(2);
  const int faults = count(30);
  for (int i = 0; i < faults; ++i) {
    const auto next = std::chrono::steady_clock::now() + 20s;
    ZookeeperServer& leader = store.leader();
    const Instant began = Instant::now();
    fleet.fault();
    const char* const what[] = {"frozen for 5 s", "killed, back after 5 s", "restarted"};
    if (i % 3 == 0)
      leader.freeze();
    else
      leader.kill();
    if (i % 3 != 2) std::this_thread::sleep_until(std::chrono::system_clock::now() + 5s);
    if (i % 3 == 0) leader.thaw();
    store.start();
    EXPECT_TRUE(is_on_time(120s));
    fleet.healed();
    const std::string last = fleet.oracle.reports("every").back().node;
    std::cout << what[i % 3] << ": on time again after "
              << std::chrono::ceil<Millis>(Instant::now().boot - began.boot).count() << " ms, on " << last << std::endl;
    std::this_thread::sleep_until(next);
  }
  const Evidence evidence = fleet.evidence();  // throws where a daemon has ended
  for (const auto& [what, times] : dispositions(evidence)) std::cout << times << "  " << what << "\n";
  std::cout << terms(evidence) << " terms\n";
  EXPECT_EQ(check(evidence), Findings{});
}

}  // namespace
}  // namespace ballot::testing
