// QueueElections of several sessions on a store in memory.
#include <gtest/gtest.h>

#include "support/clock.hpp"
#include "unit/plugins/memory_queue.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

class NoHost final : public Host {
 public:
  void post(BackendEvent) noexcept override {}
  void log(Level, std::string_view text) noexcept override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

/// A session of the node of the same name.
struct Participant {
  Participant(Shelf& shelf, const std::string& name, std::optional<SteadyTime> resumed_until = {})
      : queue(shelf, name), elections(queue, self(name, resumed_until)) {
    queue.on_removed = [this](const std::string& group, const std::string& entry) {
      elections.on_watch(group, entry, QueueElections::Gone::yes);
    };
  }
  ElectionSelf self(const std::string& name, std::optional<SteadyTime> resumed_until) {
    ElectionSelf made{host, [this](Event event) { events.push_back(std::move(event)); }, name, name, "boot", 10s};
    made.resumed_until = resumed_until;
    return made;
  }
  template <class T>
  std::vector<T> posted() const {
    std::vector<T> found;
    for (const Event& event : events)
      if (const auto* one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }

  NoHost host;
  Events events;
  MemoryQueue queue;
  QueueElections elections;
};

class TheQueueElections : public ::testing::Test {
 protected:
  /// Until nobody has anything to do.
  void run(const std::vector<Participant*>& all) {
    for (bool more = true; more;) {
      more = false;
      for (Participant* one : all) {
        one->elections.flush();
        while (one->queue.run_one()) more = true;
      }
    }
  }

  Shelf shelf;
};

TEST_F(TheQueueElections, TheFirstLeadsAndTheNextFollowsAResignationAtOnce) {
  Participant a(shelf, "a"), b(shelf, "b");
  a.elections.campaign("g");
  run({&a});
  b.elections.campaign("g");
  run({&a, &b});
  ASSERT_EQ(a.posted<backend::Elected>().size(), 1u);
  EXPECT_GT(a.elections.epoch("g"), 0u);
  EXPECT_EQ(b.elections.epoch("g"), 0u);
  a.elections.resign("g");
  run({&a, &b});
  ASSERT_EQ(a.posted<backend::Deposed>().size(), 1u);
  EXPECT_EQ(a.posted<backend::Deposed>()[0].cause, Cause::resigned);
  ASSERT_EQ(b.posted<backend::Elected>().size(), 1u);
  const auto elected = b.posted<backend::Elected>()[0];
  EXPECT_GT(elected.epoch, a.posted<backend::Elected>()[0].epoch);
  EXPECT_FALSE(elected.old_deadline);
  EXPECT_GT(elected.revision, elected.epoch) << "of the write by which it began";
  EXPECT_TRUE(a.elections.left_cleanly());
}

TEST_F(TheQueueElections, WhoeverIsFirstReadsNothingBeforeItLeads) {
  Participant a(shelf, "a");
  a.queue.tells_epochs = true;
  a.elections.campaign("g");
  while (a.posted<backend::Elected>().empty()) {
    a.elections.flush();
    ASSERT_TRUE(a.queue.run_one());
  }
  EXPECT_EQ(a.queue.reads, 0);
  EXPECT_EQ(a.elections.epoch("g"), shelf.find("g", a.elections.own_entry("g"))->revision);
  run({&a});
  const std::string own = a.elections.own_entry("g");
  shelf.remove("g", own);
  run({&a});
  EXPECT_EQ(a.posted<backend::Deposed>().size(), 1u) << "its entry is watched by then";
}

TEST_F(TheQueueElections, WhoeverWaitsSaysForWhomAndAtWhichPlaceEachTimeThatThisChanges) {
  Participant a(shelf, "a"), b(shelf, "b"), c(shelf, "c");
  for (Participant* one : {&a, &b, &c}) {
    one->elections.campaign("g");
    run({one});
  }
  run({&a, &b, &c});
  using Lines = std::vector<std::string>;
  EXPECT_EQ(a.host.lines, Lines{});
  EXPECT_EQ(b.host.lines, Lines{"group g: waits for a, at place 2 of the queue"});
  EXPECT_EQ(c.host.lines, Lines{"group g: waits for b, at place 3 of the queue"});
  c.elections.on_watch("g", b.elections.own_entry("g"), QueueElections::Gone::no);  // for nothing
  run({&a, &b, &c});
  EXPECT_EQ(c.host.lines.size(), 1u);
  b.elections.resign("g");
  run({&a, &b, &c});
  EXPECT_EQ(c.host.lines.back(), "group g: waits for a, at place 2 of the queue");
  a.elections.resign("g");
  run({&a, &b, &c});
  EXPECT_GT(c.elections.epoch("g"), 0u);
  a.elections.campaign("g");
  run({&a, &b, &c});
  EXPECT_EQ(a.host.lines, Lines{"group g: waits for c, at place 2 of the queue"});
  EXPECT_EQ(c.host.lines.size(), 2u);
}

TEST_F(TheQueueElections, ASessionThatTheStoreHasEndedLeavesNothingThatRuns) {
  Participant a(shelf, "a"), b(shelf, "b");
  a.elections.campaign("g");
  run({&a});
  b.elections.campaign("g");
  run({&a, &b});
  shelf.end("a");
  run({&b});
  ASSERT_EQ(b.posted<backend::Elected>().size(), 1u);
  EXPECT_FALSE(b.posted<backend::Elected>()[0].old_deadline);
  EXPECT_EQ(b.posted<backend::Elected>()[0].last_alive, WallTime(7ms));
}

TEST_F(TheQueueElections, OneThatIsEvictedIsDeposedAndMayRunForTAndCampaignsAgain) {
  Participant a(shelf, "a"), b(shelf, "b");
  a.elections.campaign("g");
  run({&a});
  b.elections.campaign("g");
  run({&a, &b});
  const SteadyTime evicted = boot_now();
  shelf.remove("g", a.elections.own_entry("g"));
  run({&a, &b});
  ASSERT_EQ(a.posted<backend::Deposed>().size(), 1u);
  EXPECT_EQ(a.posted<backend::Deposed>()[0].cause, Cause::evicted);
  EXPECT_FALSE(a.elections.left_cleanly());
  ASSERT_EQ(b.posted<backend::Elected>().size(), 1u);
  const auto until = b.posted<backend::Elected>()[0].old_deadline;
  ASSERT_TRUE(until) << "its session is open";
  EXPECT_GE(*until, evicted + 10s);
  b.elections.resign("g");
  run({&a, &b});
  ASSERT_EQ(a.posted<backend::Elected>().size(), 2u) << "it entered the queue again";
  EXPECT_FALSE(a.posted<backend::Elected>()[1].old_deadline) << "what runs there is its own";
}

/// By hand, or by a session that a server has given the same number.
TEST_F(TheQueueElections, AnEntryThatIsRemovedAllTheTimeIsMadeAgainAtOnceOnlyOnce) {
  Participant a(shelf, "a");
  a.elections.campaign("g");
  run({&a});
  for (int i = 0; i < 20; ++i) {
    shelf.remove("g", a.elections.own_entry("g"));
    run({&a});
  }
  EXPECT_EQ(a.posted<backend::Elected>().size(), 2u);
  EXPECT_EQ(a.posted<backend::Deposed>().size(), 2u);
  ASSERT_TRUE(a.elections.due()) << "and once more a little later";
  EXPECT_GT(*a.elections.due(), boot_now());
}

TEST_F(TheQueueElections, AnOutcomeThatIsUnknownIsReadAndTheTermPostedOnce) {
  Participant a(shelf, "a");
  a.queue.next_claim = {Step::Code::unknown, "no answer"};
  a.elections.campaign("g");
  run({&a});
  EXPECT_TRUE(a.posted<backend::Elected>().empty());
  ASSERT_TRUE(a.elections.due()) << "it is tried again";
  a.elections.tick(*a.elections.due());
  run({&a});
  EXPECT_EQ(a.posted<backend::Elected>().size(), 1u);
  EXPECT_TRUE(a.host.lines.empty());
}

TEST_F(TheQueueElections, ARefusalIsLoggedWithItsPlaceAndTriedAgain) {
  Participant a(shelf, "a");
  a.queue.next_claim = {Step::Code::failed, "not allowed"};
  a.elections.campaign("g");
  run({&a});
  ASSERT_EQ(a.host.lines.size(), 1u);
  EXPECT_EQ(a.host.lines[0], "group g at /g: not allowed");
  a.elections.on_connected();
  run({&a});
  EXPECT_EQ(a.posted<backend::Elected>().size(), 1u);
}

TEST_F(TheQueueElections, ATermGoesOnInASessionThatIsGoneOnWith) {
  std::uint64_t epoch = 0;
  {
    Participant a(shelf, "a");
    a.elections.campaign("g");
    a.elections.campaign("left");
    run({&a});
    epoch = a.elections.epoch("g");
    shelf.watches.clear();
  }
  Participant next(shelf, "a", boot_now() + 10s);
  next.elections.campaign("g");
  run({&next});
  ASSERT_EQ(next.posted<backend::Elected>().size(), 1u);
  EXPECT_TRUE(next.posted<backend::Elected>()[0].resumed);
  EXPECT_EQ(next.posted<backend::Elected>()[0].epoch, epoch);
  next.elections.tick(boot_now() + 11s);
  run({&next});
  EXPECT_TRUE(shelf.groups["left"].queue.empty()) << "it takes no part there any more";
  EXPECT_EQ(shelf.groups["g"].queue.size(), 1u);
}

TEST_F(TheQueueElections, AResignationWaitsForTheWritesBeforeIt) {
  Participant a(shelf, "a");
  a.elections.campaign("g");
  run({&a});
  a.elections.write_began("g");
  a.elections.resign("g");
  run({&a});
  EXPECT_TRUE(a.posted<backend::Deposed>().empty());
  EXPECT_EQ(a.elections.epoch("g"), 0u) << "no write begins any more";
  a.elections.write_ended("g");
  run({&a});
  EXPECT_EQ(a.posted<backend::Deposed>().size(), 1u);
}

TEST_F(TheQueueElections, ManyGroupsTakeFewTransactionsAndNoMoreThanFit) {
  Participant a(shelf, "a");
  for (int i = 0; i < 1001; ++i) a.elections.campaign("g" + std::to_string(i));
  run({&a});
  EXPECT_EQ(a.posted<backend::Elected>().size(), 1000u);
  EXPECT_LT(a.queue.transactions, 100);
  ASSERT_EQ(a.host.lines.size(), 1u);
  EXPECT_EQ(a.host.lines[0], "group g1000: no candidate, as it is full");
}

TEST_F(TheQueueElections, AnObserverDoesNotCampaign) {
  NoHost host;
  MemoryQueue queue(shelf, "o");
  ElectionSelf self{host, [](Event) {}, "o"};
  self.observes = true;
  QueueElections elections(queue, self);
  elections.campaign("g");
  elections.flush();
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(host.lines.size(), 1u);
}

}  // namespace
}  // namespace ballot::support
