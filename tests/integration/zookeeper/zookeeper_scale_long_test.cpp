// Ten thousand groups on three daemons and an ensemble of three: how long it takes until all of them are led, where the
// store is new, where it has been in use, and where the leader of most is killed. It prints; only what must be true on
// any machine fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/wall_text.hpp"
#include "support/judge/report.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/zookeeper_server.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

constexpr int groups = 10'000, groups_of_a_file = 1'000;
constexpr std::chrono::seconds longest = 90s;

std::string jobs_from(int first) {
  std::string text;
  for (int i = first; i < first + groups_of_a_file; ++i)
    text += "[job.j" + std::to_string(i) + "]\nschedule = \"@hourly\"\ngroup = \"g" + std::to_string(i) +
            "\"\ncommand = [\"/bin/true\"]\n";
  return text;
}

/// A daemon, and when it began to lead each group since its log was read last.
struct Node {
  explicit Node(const std::string& name) : daemon(name) {
    for (int first = 0; first < groups; first += groups_of_a_file)
      daemon.file("jobs-" + std::to_string(first), jobs_from(first));
  }

  void read_log() {
    daemon.read_log();
    for (std::size_t end = daemon.log.find('\n', read); end != std::string::npos; end = daemon.log.find('\n', read)) {
      const std::string line = daemon.log.substr(std::exchange(read, end + 1), end - read);
      sessions += line.find("session open") != std::string::npos;
      const std::size_t group = line.find("group=");
      if (line.find("INFO  leads ") == std::string::npos || group == std::string::npos) continue;
      leads[line.substr(group, line.find(' ', group) - group)] = parse_wall(line.substr(0, line.find(' '))).value();
    }
  }
  void forget() {
    read_log();
    leads.clear();
    sessions = 0;
  }

  BallotDaemon daemon;
  std::size_t read = 0;
  std::map<std::string, WallTime> leads;
  int sessions = 0;
};

struct TenThousandGroups : ::testing::Test {
  void start(const std::string& name_space) {
    for (Node& node : nodes) {
      node.forget();
      node.daemon.configure("[coordination]\nbackend = \"zookeeper\"\nnamespace = \"" + name_space +
                            "\"\nallow_open_store = true\n[zookeeper]\nservers = \"" + store.addresses() + "\"\n");
      node.daemon.start();
    }
  }
  void stop() {
    for (Node& node : nodes)
      if (node.daemon.pid() > 0) node.daemon.send(SIGTERM);
    for (Node& node : nodes) {
      if (node.daemon.pid() <= 0) continue;
      EXPECT_EQ(node.daemon.wait(), 0);
    }
  }
  /// Until each of so many groups is led by one of those that run; how long after `from` the last one is.
  void expect_all_led(const std::string& what, std::size_t wanted, WallTime from) {
    std::map<std::string, WallTime> led;
    ASSERT_TRUE(wait_until(
        [&] {
          for (Node& node : nodes) {
            node.read_log();
            if (node.daemon.pid() > 0) led.insert(node.leads.begin(), node.leads.end());
          }
          return led.size() >= wanted;
        },
        longest))
        << what << ": " << led.size() << " of " << wanted;
    WallTime first = WallTime::max(), last = WallTime::min();
    for (const auto& [group, at] : led) first = std::min(first, at), last = std::max(last, at);
    std::cout << what << ": the first after " << (first - from).count() << " ms, all " << led.size() << " after "
              << (last - from).count() << " ms\n";
  }

  /// Until the servers are asked little: who waits has then read what it needs to lead.
  void await_calm() {
    long before = 0;
    auto since = std::chrono::steady_clock::now();
    ASSERT_TRUE(wait_until(
        [&] {
          if (std::chrono::steady_clock::now() - since < 2s) return false;
          since = std::chrono::steady_clock::now();
          long all = 0;
          for (std::size_t i = 0; i < store.size(); ++i) {
            const std::string facts = store[i].ask("mntr"), key = "zk_packets_received\t";
            if (const std::size_t at = facts.find(key); at != std::string::npos)
              all += std::stol(facts.substr(at + key.size()));
          }
          return all - std::exchange(before, all) < 200;
        },
        longest));
  }

  ZookeeperEnsemble store{3, {.tick = std::chrono::milliseconds(2000)}};
  Node nodes[3]{Node("n1"), Node("n2"), Node("n3")};
};

// S13 zookeeper
TEST_F(TenThousandGroups, AreAllLedAfterAStartAndAfterTheirLeaderIsKilled) {
  const auto now = [] { return Instant::now().wall; };
  for (const char* name_space : {"new", "second", "third"}) {
    WallTime from = now();
    start(name_space);
    expect_all_led(std::string("first start of the namespace ") + name_space, groups, from);
    stop();
  }
  WallTime from = now();
  start("third");
  expect_all_led("started again", groups, from);
  for (Node& node : nodes) EXPECT_EQ(node.sessions, 1) << "nobody has lost its session";
  Node& leader = *std::max_element(std::begin(nodes), std::end(nodes),
                                   [](const Node& a, const Node& b) { return a.leads.size() < b.leads.size(); });
  const std::size_t lost = leader.leads.size();
  await_calm();
  for (Node& node : nodes)
    if (&node != &leader) node.forget();
  from = now();
  leader.daemon.kill();
  expect_all_led("their leader killed", lost, from);
  stop();
}

}  // namespace
}  // namespace ballot::testing
