// Two daemons of one host, one of them leading: killed, stopped, frozen and hung, over and over. The checker judges
// what the processes reported and what the ledgers say of it. BALLOT_FAILOVERS=N: so many kills instead of ten.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/random.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr const char* every_second = "schedule = \"* * * * * *\"\n";

int failovers() {
  const char* asked = std::getenv("BALLOT_FAILOVERS");
  return asked ? std::atoi(asked) : 10;
}

/// The middle one and the longest.
void print(const std::string& what, std::vector<Millis> times) {
  ASSERT_FALSE(times.empty());
  std::sort(times.begin(), times.end());
  std::cout << what << ": p50 " << times[times.size() / 2].count() << " ms, max " << times.back().count() << " ms, of "
            << times.size() << "\n";
}

class Failover : public ::testing::Test {
 protected:
  Failover() {
    const std::string brief = every_second + fleet.oracle.command({"--for", "50ms"});
    fleet.job("latest", brief);
    fleet.job("all", brief + "misfire = \"all\"\n");
    fleet.job("none", brief + "misfire = \"skip\"\n");
    fleet.job("long", every_second + fleet.oracle.command({"--for", "1500ms"}));
    // At every second one of the digits is due whose last run has long been closed; the tools are run by hand, one
    // after the other.
    for (int i = 0; i < 10; ++i) {
      const std::string digit = std::to_string(i);
      fleet.job("digit" + digit, "schedule = \"" + digit + "/10 * * * * *\"\n" + fleet.oracle.command());
      fleet.job("tool" + digit, fleet.oracle.command());
    }
  }
  ~Failover() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  const std::string& other(const std::string& node) const { return node == "n1" ? n2 : n1; }

  /// The first START on a node after an instant, of any job or of one.
  std::optional<Report> first_start(const std::string& node, const Instant& after, const std::string& job = "") {
    std::optional<Report> found;
    fleet.oracle.wait_until([&](const Reports& all) {
      for (const Report& report : all)
        if (!found && report.node == node && report.started.boot > after.boot && (job.empty() || report.job == job))
          found = report;
      return found.has_value();
    });
    return found;
  }

  /// Until the job that catches everything up is on time again.
  void catch_up() {
    const WallTime now = Instant::now().wall;
    EXPECT_TRUE(fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == "all" && report.trigger == Trigger::schedule && report.slot > now;
      });
    }));
  }

  void trigger(const std::string& node) {
    const Ran ran = fleet[node].ballot({"trigger", "tool" + std::to_string(triggered.size() % 10)});
    ASSERT_EQ(ran.code, 0) << ran.err;
    triggered.push_back(*RunId::parse(ran.out.substr(0, 36)));
  }

  Evidence judge() {
    catch_up();
    Evidence evidence = fleet.evidence();
    evidence.triggered = triggered;
    EXPECT_GE(evidence.until - evidence.from, seconds(1)) << "there is something to judge";
    EXPECT_EQ(check(evidence), Findings{});
    EXPECT_EQ(fleet.oracle.unread(), std::vector<std::string>{});
    return evidence;
  }

  const std::string n1 = "n1", n2 = "n2";
  std::vector<RunId> triggered;
  Fleet fleet{{n1, n2}};
};

/// The loop's thread of a daemon is stopped, all its other threads go on; until this object goes.
class HungLoop {
 public:
  explicit HungLoop(pid_t pid) : pid_(pid) {
    hung_ = ::ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 && ::ptrace(PTRACE_INTERRUPT, pid, 0, 0) == 0 &&
            ::waitpid(pid, nullptr, __WALL) == pid;
  }
  ~HungLoop() { ::ptrace(PTRACE_DETACH, pid_, 0, 0); }
  HungLoop(const HungLoop&) = delete;
  HungLoop& operator=(const HungLoop&) = delete;
  bool hung() const { return hung_; }

 private:
  const pid_t pid_;
  bool hung_;
};

/// From an instant to the next term that began.
Millis until_elected(const Evidence& evidence, const Instant& from) {
  WallTime elected = WallTime::max();
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (term.elected_at >= from.wall) elected = std::min(elected, term.elected_at);
  return elected - from.wall;
}

// S1 local
TEST_F(Failover, AKilledLeaderLosesNoSlotAndStartsNoneTwice) {
  fleet.start();
  Random random(1);
  std::string leader = n1;
  std::vector<Instant> kills;
  std::vector<Millis> to_start;
  for (int round = 0; round < failovers(); ++round) {
    const std::string next = other(leader);
    trigger(leader);
    // Mostly right before slots are due, which the next leader then has to start; else at any time.
    const bool timed = round % 4 != 3;
    const Millis before(timed ? 30 : static_cast<int>(random.below(1000)));
    std::this_thread::sleep_until(std::chrono::ceil<seconds>(Instant::now().wall + before) - before);
    const Instant killed = Instant::now();
    fleet[leader].kill();
    const auto start = first_start(next, killed);
    ASSERT_TRUE(start) << "nobody took over from " << leader;
    kills.push_back(killed);
    if (timed) to_start.push_back(std::chrono::ceil<Millis>(start->started.boot - killed.boot));
    fleet[leader].start();
    ASSERT_TRUE(fleet[leader].wait_for("session open"));
    leader = next;
    if (timed) continue;
    ASSERT_TRUE(first_start(leader, killed, "long")) << "what waits for the old deadline starts too";
  }
  const Evidence evidence = judge();
  std::vector<Millis> to_lead;
  for (const Instant& killed : kills) to_lead.push_back(until_elected(evidence, killed));
  print("hand-over, killed: death to elected", to_lead);
  print("hand-over, killed 30 ms before a slot: death to first START", to_start);
}

TEST_F(Failover, AStandbyThatStopsAndComesBackChangesNothing) {
  fleet.start();
  ASSERT_EQ(fleet[n2].stop(), 0);
  ASSERT_TRUE(first_start(n1, Instant::now()));
  fleet[n2].start();
  ASSERT_TRUE(fleet[n2].wait_for("session open"));
  ASSERT_TRUE(first_start(n1, Instant::now()));
  catch_up();
  for (const Report& report : fleet.oracle.reports()) EXPECT_EQ(report.node, n1);
  judge();
}

TEST_F(Failover, ALeaderThatIsStoppedHandsOver) {
  fleet.start();
  std::string leader = n1;
  std::vector<Instant> stops;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(first_start(leader, Instant::now(), "long"));
    EXPECT_EQ(fleet[leader].stop(), 0);
    stops.push_back(Instant::now());
    ASSERT_TRUE(first_start(other(leader), stops.back()));
    fleet[leader].start();
    ASSERT_TRUE(fleet[leader].wait_for("session open"));
    leader = other(leader);
  }
  const Evidence evidence = judge();
  std::vector<Millis> times;
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const TermRow& term : ledger.terms)
      if (term.ended_at && *term.ended_at < stops.back().wall)
        times.push_back(until_elected(evidence, {.boot = {}, .wall = *term.ended_at}));
  print("hand-over, clean stop: end of the term to elected", times);
}

// S4 local
TEST_F(Failover, ALeaderThatIsFrozenIsSucceededAndLaunchesNothingInItsOldTerm) {
  fleet.start();
  ASSERT_TRUE(first_start(n1, Instant::now(), "long"));
  fleet[n1].send(SIGSTOP);
  const Instant frozen = Instant::now();
  const auto start = first_start(n2, frozen);
  ASSERT_TRUE(start) << "nobody took over";
  EXPECT_LT(start->started.boot - frozen.boot, fleet.timeout + seconds(2));
  EXPECT_EQ(state_of(fleet[n1].pid()), 'T') << "it need not be killed";
  ASSERT_TRUE(first_start(n2, frozen, "long"));
  fleet[n1].send(SIGCONT);
  ASSERT_TRUE(fleet[n1].wait_for("leads no more"));
  const Evidence evidence = judge();
  const Reports reports = fleet.oracle.reports();
  for (const Report& report : reports) {
    if (report.started.boot <= frozen.boot + fleet.timeout - fleet.margin) continue;
    EXPECT_GT(report.epoch, reports.front().epoch) << report.text();
  }
  std::cout << "hand-over, frozen: stop to elected " << until_elected(evidence, frozen).count()
            << " ms, to first START " << std::chrono::ceil<Millis>(start->started.boot - frozen.boot).count()
            << " ms\n";
}

// S27 local
TEST_F(Failover, ALeaderWhoseLoopHangsIsSucceeded) {
  fleet.start();
  ASSERT_TRUE(first_start(n1, Instant::now(), "long"));
  fleet.fault(n1);
  std::optional<HungLoop> hang(fleet[n1].pid());
  ASSERT_TRUE(hang->hung()) << "this process may not trace its children";
  const Instant hung = Instant::now();
  const auto start = first_start(n2, hung);
  ASSERT_TRUE(start) << "nobody took over";
  EXPECT_LT(start->started.boot - hung.boot, fleet.timeout + seconds(2));
  ASSERT_TRUE(first_start(n2, hung, "long"));
  hang.reset();
  fleet.healed(n1);
  ASSERT_TRUE(fleet[n1].wait_for("leads no more"));
  const Evidence evidence = judge();
  std::cout << "hand-over, loop hung: hang to elected " << until_elected(evidence, hung).count()
            << " ms, to first START " << std::chrono::ceil<Millis>(start->started.boot - hung.boot).count() << " ms\n";
}

}  // namespace
}  // namespace ballot::testing
