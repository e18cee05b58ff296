// A chain of three with a join, on real daemons: its leader is killed again and again, and each slot of each job has
// one disposition, none of which was begun before its parents' slots had ended. BALLOT_FAILOVERS=N: so many.
// BALLOT_SLOTS=minutes: a slot a minute instead of one each two seconds, and runs that are as much longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string_view>

#include "base/wall_text.hpp"
#include "support/judge/slot_accounts.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {
namespace {

using namespace std::chrono_literals;

const std::vector<std::pair<std::string, std::vector<std::string>>> chain = {
    {"extract", {}}, {"clean", {}}, {"load", {"extract"}}, {"join", {"load", "clean"}}};

const bool by_the_minute = std::getenv("BALLOT_SLOTS") && std::string_view(std::getenv("BALLOT_SLOTS")) == "minutes";
const std::chrono::seconds period = by_the_minute ? 60s : 2s;
const std::string slots = by_the_minute ? "* * * * *" : "*/2 * * * * *";

struct ChainOfThree : ::testing::Test {
  ChainOfThree() {
    for (const auto& [job, parents] : chain) {
      const auto length = static_cast<double>((1 + job.size() % 4) * period.count()) / 20;
      std::string keys = "shell = \"sleep " + std::to_string(length) + "\"\nstart_deadline = \"10m\"\n";
      if (parents.empty()) keys += "schedule = \"" + slots + "\"\n";
      for (const std::string& parent : parents)
        keys += (parent == parents.front() ? "after = [\"" : ", \"") + parent + "\"" +
                (parent == parents.back() ? "]\n" : "");
      fleet.job(job, keys);
    }
  }
  ~ChainOfThree() override {
    if (HasFailure()) std::cout << fleet.logs();
  }
  std::string leader() {
    for (const std::string node : {"n1", "n2", "n3"})
      if (fleet[node].ballot({"status"}).out.find("leads       default") != std::string::npos) return node;
    return "";
  }
  void kill_the_leader() {
    std::string killed;
    ASSERT_TRUE(wait_until([&] { return !(killed = leader()).empty(); }, 60s));
    const auto moment = std::chrono::steady_clock::now() + Millis(static_cast<long>(random_() % 1000) * period.count());
    ASSERT_TRUE(wait_until([&] { return std::chrono::steady_clock::now() >= moment; },
                           2 * period));  // at any instant of a slot
    fleet[killed].kill();
    ASSERT_TRUE(wait_until([&] { return !leader().empty(); }, 60s));
    fleet[killed].start();
  }

  /// By the ledgers of all: one disposition of each slot, of each job.
  static void expect_each_slot_once(const MergedLedger& merged, WallTime from, WallTime until) {
    const auto plan = std::get<schedule::Plan>(schedule::Plan::make({.expressions = {slots}}));
    for (const auto& [job, parents] : chain) {
      SlotAccounts accounts;
      accounts.due(slots_between(plan, {}, from, until));
      for (const Entry* entry : merged.entries())
        if (entry->row.job == job && entry->row.slot >= from && entry->row.slot <= until)
          accounts.add(*entry,
                       slots_between(plan, {}, entry->row.slot, entry->row.slot_until.value_or(entry->row.slot)));
      for (const Discrepancy& one : accounts.discrepancies()) ADD_FAILURE() << job << ": " << one.text();
    }
  }
  /// One host has one clock.
  static std::size_t expect_order(const MergedLedger& merged) {
    std::map<std::pair<std::string, WallTime>, const Entry*> runs;
    for (const Entry* entry : merged.entries())
      if (entry->row.run && is_scheduled(entry->row.trigger)) runs[{entry->row.job, entry->row.slot}] = entry;
    std::size_t followed = 0;
    for (const auto& [job, parents] : chain)
      for (const auto& [key, entry] : runs) {
        if (key.first != job || parents.empty() || !entry->row.started_at) continue;
        for (const std::string& parent : parents) {
          const auto before = runs.find({parent, key.second});
          const std::string what = job + " " + format_slot(key.second) + " began, and " + parent;
          if (before == runs.end()) {
            ADD_FAILURE() << what << " did not run";
            continue;
          }
          const Row& row = before->second->row;
          EXPECT_EQ(row.status, Status::succeeded) << what;
          EXPECT_TRUE(row.ended_at && *row.ended_at <= *entry->row.started_at) << what << " had not ended";
        }
        ++followed;
      }
    return followed;
  }

  Fleet fleet{{"n1", "n2", "n3"}};
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(ChainOfThree, HasOneDispositionOfEachSlotOverFailovers) {
  const char* asked = std::getenv("BALLOT_FAILOVERS");
  const int failovers = asked ? std::atoi(asked) : 3;
  fleet.start();
  for (int i = 0; i < failovers && !HasFatalFailure(); ++i) kill_the_leader();
  const WallTime last = Instant::now().wall;
  ASSERT_TRUE(wait_until(
      [&] {
        for (const std::string node : {"n1", "n2", "n3"})
          for (const Row& row : fleet[node].rows("join"))
            if (row.status == Status::succeeded && row.slot > last + 2 * period) return true;
        return false;
      },
      4 * period + 120s));
  for (const std::string node : {"n1", "n2", "n3"}) {
    const Ran audit = fleet[node].ballot({"audit", "--local"});
    EXPECT_EQ(audit.code, 0) << node << ": " << audit.out << audit.err;
  }
  const Evidence evidence = fleet.evidence();
  const MergedLedger merged(evidence.ledgers);
  expect_each_slot_once(merged, fleet.counts_from(), last);
  const std::size_t followed = expect_order(merged);
  EXPECT_GT(followed, 5u);
  std::cout << failovers << " failovers, " << merged.entries().size() << " rows, " << followed
            << " runs after others\n";
}

}  // namespace
}  // namespace ballot::testing
