// The parts of QueueElections: a session's place in a queue, what waits for its time, and what is sent together.
#include <gtest/gtest.h>

#include "support/delayed_groups.hpp"
#include "support/entry_watches.hpp"
#include "support/queue_place.hpp"
#include "support/queue_sender.hpp"
#include "unit/plugins/memory_queue.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;
using Entries = std::vector<QueueStore::Entry>;

TEST(QueuePlace, TheFirstHasNobodyAhead) {
  const QueuePlace place = find_place(Entries{{"1", "own"}, {"2", "other"}}, "own", "");
  EXPECT_EQ(place.own, "1");
  EXPECT_FALSE(place.ahead);
  EXPECT_EQ(place.all_ahead, 0u);
}

TEST(QueuePlace, WhoeverWaitsKnowsTheLastOneBeforeIt) {
  const QueuePlace place = find_place(Entries{{"1", "a"}, {"2", "b"}, {"3", "own"}, {"4", "c"}}, "own", "3");
  ASSERT_TRUE(place.ahead);
  EXPECT_EQ(place.ahead->name, "2");
  EXPECT_EQ(place.all_ahead, 2u);
}

TEST(QueuePlace, TheKnownEntryCountsAndItsOthersAreStrays) {
  const Entries entries{{"1", "own"}, {"2", "a"}, {"3", "own"}};
  EXPECT_EQ(find_place(entries, "own", "3").own, "3");
  EXPECT_EQ(find_place(entries, "own", "3").strays, std::vector<std::string>{"1"});
  EXPECT_EQ(find_place(entries, "own", "3").ahead->name, "2");
  EXPECT_EQ(find_place(entries, "own", "gone").own, "1");
}

TEST(QueuePlace, AnEntryThatIsGivenUpIsAStrayToo) {
  QueuePlace place = find_place(Entries{{"1", "own"}, {"2", "own"}}, "own", "");
  place.give_up();
  EXPECT_TRUE(place.own.empty());
  EXPECT_EQ(place.strays, (std::vector<std::string>{"2", "1"}));
  EXPECT_TRUE(find_place(Entries{{"1", "a"}}, "own", "").own.empty());
}

TEST(DelayedGroups, ComeOnceAndNotBeforeTheirTime) {
  DelayedGroups delayed;
  const SteadyTime now(10s);
  delayed.add("a", now + 1s);
  delayed.add("a", now);
  delayed.add("b", now + 2s);
  EXPECT_EQ(delayed.due(), now + 1s);
  EXPECT_FALSE(delayed.take(now));
  EXPECT_EQ(delayed.take(now + 1s), "a");
  EXPECT_FALSE(delayed.take(now + 1s));
  delayed.add("a", now + 3s);
  EXPECT_EQ(delayed.take(now + 9s), "b");
  EXPECT_EQ(delayed.take(now + 9s), "a");
  EXPECT_FALSE(delayed.due());
}

TEST(EntryWatches, AreCountedOnce) {
  Shelf shelf;
  const MemoryQueue store(shelf, "a");
  EntryWatches watches(store);
  EXPECT_TRUE(watches.add("g", "1"));
  EXPECT_FALSE(watches.add("g", "1"));
  EXPECT_EQ(watches.size(), store.size_of_entry("g"));
  watches.remove("g", "2");
  watches.remove("g", "1");
  EXPECT_EQ(watches.size(), 0u);
}

/// What the sender reported, as "GROUP" or "GROUP: CODE".
class TheQueueSender : public ::testing::Test, protected QueueSender::Results {
 protected:
  bool wanted(const std::string& group, std::uint64_t) const override { return !unwanted.contains(group); }
  void on_entered(const std::string& group, std::uint64_t, const Step& step, const QueueStore::Made& made) override {
    reported.insert(group + text(step));
    entries[group] = made.name;
  }
  void on_claimed(const std::string& group, std::uint64_t, const Step& step, std::uint64_t revision) override {
    reported.insert(group + text(step));
    EXPECT_EQ(revision != 0, step.ok());
  }
  void on_left(const std::string& group, std::uint64_t, const Step& step) override {
    reported.insert(group + text(step));
  }
  static std::string text(const Step& step) { return step.ok() ? "" : ": " + std::to_string(int(step.code)); }
  static std::string text(Step::Code code) { return text(Step{code}); }

  void run() {
    reported.clear();
    do sender.flush(true);
    while (store.run_one());
  }

  Shelf shelf;
  MemoryQueue store{shelf, "own"};
  QueueSender sender{store, *this};
  std::set<std::string> unwanted, reported;
  std::map<std::string, std::string> entries;
};

TEST_F(TheQueueSender, MakesGroupsThatAreMissingAndEntersThem) {
  for (const char* group : {"a", "b", "c"}) sender.enter(group, 1, "text");
  run();
  EXPECT_EQ(reported, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(shelf.groups.at("b").queue.size(), 1u);
}

TEST_F(TheQueueSender, EntersEachAloneWhereSomeOfTheGroupsAreMadeByOthers) {
  shelf.groups["b"];
  for (const char* group : {"a", "b", "c"}) sender.enter(group, 1, "text");
  run();
  EXPECT_EQ(reported, (std::set<std::string>{"a", "b", "c"}));
}

TEST_F(TheQueueSender, AClaimThatIsRefusedKeepsNoOtherFromBeingMade) {
  for (const char* group : {"a", "b"}) sender.enter(group, 1, "text");
  run();
  sender.claim(2, {"a", entries["a"], "term a", {}});
  sender.claim(2, {"b", "gone", "term b", {}});
  run();
  EXPECT_EQ(reported, (std::set<std::string>{"a", "b" + text(Step::Code::missing)}));
  EXPECT_EQ(shelf.groups.at("a").term, "term a");
}

TEST_F(TheQueueSender, WhatIsNotWantedAnyMoreIsNotSent) {
  sender.enter("a", 1, "text");
  sender.enter("b", 1, "text");
  unwanted.insert("a");
  run();
  EXPECT_EQ(reported, std::set<std::string>{"b"});
  EXPECT_FALSE(shelf.groups.contains("a"));
}

TEST_F(TheQueueSender, ManyAreFewTransactions) {
  for (int i = 0; i < 200; ++i) sender.enter("g" + std::to_string(i), 1, "text");
  run();
  EXPECT_EQ(reported.size(), 200u);
  EXPECT_LE(store.transactions, 20);
}

}  // namespace
}  // namespace ballot::support
