// KilledLeaders: daemons of one fleet whose leader is killed, again and again, at another phase of the second each
// time, while a job is due each second; and what must have become of each slot. BALLOT_KILLS=N: so many kills.
//
//   KilledLeaders kills(fleet, {"n1", "n2"});
//   fleet.start();
//   for (int i = 0; i < KilledLeaders::count(); ++i) kills.kill(KilledLeaders::phase(i));
//   kills.expect_each_slot_once();
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/wall_text.hpp"

#include "support/process/fleet.hpp"

namespace ballot::testing {

class KilledLeaders {
 public:
  static constexpr const char* job = "every";

  static int count() {
    const char* asked = std::getenv("BALLOT_KILLS");
    return asked ? std::max(1, std::atoi(asked)) : 4;
  }
  /// From 0.05 to 0.95 of the second.
  static Millis phase(int kill) { return Millis(count() == 1 ? 50 : 50 + 900 * kill / (count() - 1)); }

  KilledLeaders(Fleet& fleet, std::string first) : fleet_(fleet), leader_(std::move(first)) {
    fleet.job(job, "schedule = \"* * * * * *\"\nmisfire = \"all\"\n" + fleet.oracle.command({"--for", "50ms"}));
  }

  /// Kills who leads at that phase of a second. `then` is called right after it. The time from then, or from the next
  /// slot where that came later, to the next START.
  Millis kill(
      Millis at, const std::function<void(BallotDaemon& dead)>& then = [](BallotDaemon&) {}) {
    using std::chrono::seconds;
    EXPECT_TRUE(is_on_time());
    std::this_thread::sleep_until(std::chrono::ceil<seconds>(Instant::now().wall) + at);
    const Instant killed = Instant::now();
    BallotDaemon& dead = fleet_[leader_];
    dead.kill();
    then(dead);
    const Millis to_slot = std::chrono::ceil<seconds>(killed.wall) - killed.wall;
    std::optional<Report> next;
    EXPECT_TRUE(fleet_.oracle.wait_until([&](const Reports& all) {
      for (const Report& report : all)
        if (!next && report.node != leader_ && report.started.boot > killed.boot) next = report;
      return next.has_value();
    })) << "nobody took over from "
        << leader_;
    if (!next) return Millis::max();
    dead.start();
    EXPECT_TRUE(dead.wait_for("session open"));
    leader_ = next->node;
    const Millis taken = std::chrono::ceil<Millis>(next->started.boot - killed.boot) - std::max(to_slot, Millis(0));
    std::cout << "killed at " << at.count() << " ms of the second: next START after "
              << std::chrono::ceil<Millis>(next->started.boot - killed.boot).count() << " ms, "
              << std::max(taken, Millis(0)).count() << " ms after its slot\n";
    return std::max(taken, Millis(0));
  }

  /// Launched once and not lost, but for a claim that never reached its runner.
  void expect_each_slot_once() {
    EXPECT_TRUE(is_on_time());
    const Evidence evidence = fleet_.evidence();
    EXPECT_EQ(check(evidence), Findings{});
    std::map<WallTime, int> starts;
    std::set<RunId> started;
    for (const Report& report : evidence.reports) {
      if (report.job != job) continue;
      ++starts[report.slot];
      started.insert(report.run);
    }
    std::set<WallTime> never_started;
    for (const NodeLedger& ledger : evidence.ledgers)
      for (const Row& row : ledger.rows) {
        if (row.status != Status::lost) continue;
        EXPECT_TRUE(row.run && !started.contains(*row.run)) << row.job << " lost: " << to_string(row.reason);
        never_started.insert(row.slot);
      }
    for (WallTime slot = evidence.from; slot <= evidence.until; slot += std::chrono::seconds(1))
      if (!never_started.contains(slot)) {
        EXPECT_EQ(starts[slot], 1) << "slot " << format_slot(slot);
      }
    std::cout << starts.size() << " slots, " << never_started.size() << " claims that did not reach a runner\n";
  }

 private:
  /// Until a slot is launched that is due from now on.
  bool is_on_time() const {
    const WallTime now = Instant::now().wall;
    return fleet_.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Report& r) { return r.job == job && r.slot > now && r.on_time(); });
    });
  }

  Fleet& fleet_;
  std::string leader_;
};

}  // namespace ballot::testing
