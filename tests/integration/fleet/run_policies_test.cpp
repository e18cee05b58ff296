// What each policy of a run does with real children, and what the ledger says of it: the table of docs/runs.md, a test
// for each of its rows, on the embedded backend and on real servers of the others.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <thread>

#include "base/wall_text.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/store_place.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

std::string text_of(const Row& row) {
  std::string text(to_string(row.status));
  return row.reason == Reason::none ? text : text + ": " + std::string(to_string(row.reason));
}

std::vector<std::string> backends() {
  std::vector<std::string> all = StorePlace::backends();
  all.insert(all.begin(), "local");
  return all;
}

class RunPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  ~RunPolicy() override {
    if (HasFailure()) std::cout << daemon.log;
  }
  void begin(const std::string& keys, const std::string& more = "") {
    configure(more);
    daemon.job("job", keys);
    start();
  }
  void configure(const std::string& more) { daemon.configure(more + store); }
  void start(int groups = 1) {
    daemon.start();
    ASSERT_TRUE(daemon.wait_for("leads", groups)) << daemon.log;
  }
  Ran trigger(const std::string& job = "job") { return daemon.ballot({"trigger", job}); }
  /// What the ledger says of each row, oldest slot first, once `enough` says so.
  std::string outcomes(const std::function<bool(const std::vector<Row>&)>& enough, const std::string& job = "job") {
    wait_until([&] { return enough(rows = daemon.rows(job)); });
    std::string text;
    for (const Row& row : rows) text += (text.empty() ? "" : "; ") + text_of(row);
    return text;
  }
  /// Slots: it is the time itself that is tested.
  static void let_pass(seconds span) { ::poll(nullptr, 0, static_cast<int>(Millis(span).count())); }
  static std::function<bool(const std::vector<Row>&)> closed(std::size_t count) {
    return [count](const std::vector<Row>& all) {
      return all.size() >= count &&
             std::all_of(all.begin(), all.end(), [](const Row& row) { return is_final(row.status); });
    };
  }
  static std::function<bool(const std::vector<Row>&)> has(const std::string& text, std::size_t count = 1) {
    return [=](const std::vector<Row>& all) {
      return static_cast<std::size_t>(
                 std::count_if(all.begin(), all.end(), [&](const Row& r) { return text_of(r) == text; })) >= count;
    };
  }
  std::string why(const Row& row) const { return daemon.ballot({"why", row.job, "--at", format_millis(row.slot)}).out; }
  const Row& row_of(const std::string& text) const {
    for (const Row& row : rows)
      if (text_of(row) == text) return row;
    throw std::runtime_error("no row says " + text);
  }

  /// What ballot.toml says of it; of the embedded one nothing.
  const std::string store = GetParam() == "local" ? "" : StorePlace(GetParam()).config(Millis(3000));
  BallotDaemon daemon;
  std::vector<Row> rows;
};

// ---- overlap

TEST_P(RunPolicy, SkipPassesOverTheSlotsThatARunOutlasts) {
  begin("schedule = \"* * * * * *\"\ncommand = [\"/bin/sleep\", \"2.5\"]");
  outcomes(has("skipped: overlap", 2));
  ASSERT_TRUE(has("skipped: overlap", 2)(rows));
  EXPECT_NE(why(row_of("skipped: overlap")).find("concurrency"), std::string::npos);
}

TEST_P(RunPolicy, QueueLetsRunsWaitAndDropsTheNewOnesBeyondItsLimit) {
  begin("command = [\"/bin/sleep\", \"1\"]\nconcurrency = \"queue\"\nqueue_limit = 1");
  EXPECT_EQ(trigger().code, 0);
  EXPECT_EQ(trigger().code, 0);
  EXPECT_NE(trigger().code, 0);
  EXPECT_EQ(outcomes(closed(3)), "succeeded; succeeded; skipped: queue_full");
  EXPECT_GE(*rows[1].started_at, *rows[0].ended_at);
  EXPECT_NE(why(rows[2]).find("queue_limit"), std::string::npos);
}

TEST_P(RunPolicy, QueueDropsTheOldOnesWhereQueueOverflowSaysSo) {
  begin("command = [\"/bin/sleep\", \"1\"]\nconcurrency = \"queue\"\nqueue_overflow = \"drop-old\"");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trigger().code, 0);
  EXPECT_EQ(outcomes(closed(3)), "succeeded; skipped: queue_full; succeeded");
}

TEST_P(RunPolicy, WhyExplainsASlotThatWaits) {
  begin("schedule = \"* * * * * *\"\ncommand = [\"/bin/sleep\", \"600\"]\nconcurrency = \"queue\"\nqueue_limit = 100");
  ASSERT_TRUE(daemon.wait_for("started"));
  std::string text;
  EXPECT_TRUE(wait_until([&] {
    return (text = daemon.ballot({"why", "job"}).out).find(" queued\n") != text.npos;
  })) << text;
  EXPECT_NE(text.find("The slot is due and waits. It waits for run"), std::string::npos) << text;
}

TEST_P(RunPolicy, AQueuedSlotIsMissedAtItsStartDeadline) {
  begin(
      "schedule = \"* * * * * *\"\ncommand = [\"/bin/sleep\", \"4\"]\nconcurrency = \"queue\"\nstart_deadline = "
      "\"1s\"");
  outcomes(has("missed: start_deadline"));
  ASSERT_TRUE(has("missed: start_deadline")(rows));
  EXPECT_NE(why(row_of("missed: start_deadline")).find("start_deadline"), std::string::npos);
}

TEST_P(RunPolicy, ReplaceKillsTheRunningOneAndStartsTheNewOneWhenItIsGone) {
  begin("shell = \"trap 'sleep 0.3; exit 0' TERM; sleep 600 & wait\"\nconcurrency = \"replace\"\nkill_grace = \"5s\"");
  EXPECT_EQ(trigger().code, 0);
  ASSERT_TRUE(daemon.wait_for("started"));
  EXPECT_EQ(trigger().code, 0);
  outcomes([](const std::vector<Row>& all) { return all.size() == 2 && all[1].status == Status::running; });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(text_of(rows[0]), "killed: replaced");
  EXPECT_GE(*rows[1].started_at, *rows[0].ended_at);
  EXPECT_NE(why(rows[0]).find("replace"), std::string::npos);
}

TEST_P(RunPolicy, AllowLetsRunsGoOnAtOnceUpToMaxRunning) {
  begin("command = [\"/bin/sleep\", \"2\"]\nconcurrency = \"allow\"\nmax_running = 2");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trigger().code, 0);
  EXPECT_EQ(outcomes(closed(3)), "succeeded; succeeded; succeeded");
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.started_at < b.started_at; });
  EXPECT_LT(*rows[1].started_at, *rows[0].ended_at) << "two at once";
  EXPECT_GE(*rows[2].started_at, std::min(*rows[0].ended_at, *rows[1].ended_at)) << "and no third";
}

// ---- places

TEST_P(RunPolicy, MaxRunningOfTheNodeHoldsRunsBackAndPriorityDecidesWhoIsNext) {
  configure("max_running = 1\n");
  for (const auto& [name, priority] : std::map<std::string, int>{{"blocks", 0}, {"high", 5}, {"low", -5}})
    daemon.job(name, "command = [\"/bin/sleep\", \"" + std::string(name == "blocks" ? "3" : "0.1") +
                         "\"]\npriority = " + std::to_string(priority));
  start();
  EXPECT_EQ(trigger("blocks").code, 0);
  std::thread low([&] { trigger("low"); });
  std::thread high([&] { trigger("high"); });
  low.join();
  high.join();
  outcomes(closed(1), "low");
  const auto started = [&](const std::string& job) { return *daemon.rows(job).at(0).started_at; };
  const WallTime end = *daemon.rows("blocks").at(0).ended_at;
  EXPECT_GE(started("high"), end);
  EXPECT_LT(started("high"), started("low"));
}

TEST_P(RunPolicy, MaxRunningOfAGroupHoldsBackItsOwnRunsOnly) {
  configure("");
  daemon.file("group", "[group.narrow]\nmax_running = 1\n");
  for (const std::string name : {"one", "two"})
    daemon.job(name, "group = \"narrow\"\ncommand = [\"/bin/sleep\", \"1\"]");
  daemon.job("free", "command = [\"/bin/true\"]");
  start(2);
  EXPECT_EQ(trigger("one").code, 0);
  std::thread two([&] { trigger("two"); });
  EXPECT_EQ(daemon.ballot({"trigger", "free", "--wait"}).code, 0);
  EXPECT_FALSE(is_final(daemon.rows("one").at(0).status)) << "the other group does not wait";
  two.join();
  outcomes(closed(1), "two");
  EXPECT_GE(*rows.at(0).started_at, *daemon.rows("one").at(0).ended_at);
}

// ---- time

TEST_P(RunPolicy, JitterDelaysEachSlotByItsShare) {
  begin("schedule = \"* * * * * *\"\njitter = \"800ms\"\ncommand = [\"/bin/true\"]");
  outcomes(has("succeeded", 6));
  Millis least{1000}, most{0};
  for (const Row& row : rows) {
    if (!row.started_at) continue;
    least = std::min(least, *row.started_at - row.slot);
    most = std::max(most, *row.started_at - row.slot);
  }
  EXPECT_GT(most - least, Millis(50)) << "six slots do not share a share";
}

TEST_P(RunPolicy, NotAfterEndsAScheduleAndNotBeforeBeginsIt) {
  configure("");
  const std::string each_second = "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]\n";
  daemon.job("tick", each_second);
  daemon.job("over", each_second + "not_after = 2020-01-01T00:00:00Z");
  daemon.job("later", each_second + "not_before = 2099-01-01T00:00:00Z");
  start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 3));
  EXPECT_EQ(daemon.rows("over").size(), 0u);
  EXPECT_EQ(daemon.rows("later").size(), 0u);
  EXPECT_GE(daemon.rows("tick").size(), 3u);
}

// ---- attempts

TEST_P(RunPolicy, RetriesAreRowsOfTheirOwnUnderOneRunId) {
  begin("shell = \"test $BALLOT_ATTEMPT = 3\"\nretries = 4\nretry_delay = \"100ms\"\nretry_backoff = 1.0");
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0) << "waits for the run, not for an attempt";
  EXPECT_EQ(outcomes(closed(3)), "failed: exit_code; failed: exit_code; succeeded");
  for (const Row& row : rows) EXPECT_EQ(row.run, rows[0].run);
  EXPECT_EQ(rows[2].attempt, 3);
  EXPECT_GE(*rows[1].started_at - *rows[0].ended_at, Millis(100));
  EXPECT_NE(why(rows[0]).find("succe"), std::string::npos);
}

TEST_P(RunPolicy, AnAttemptPastItsDeadlineIsTimedOutAndTriedAgain) {
  begin(
      "shell = \"test $BALLOT_ATTEMPT = 2 || sleep 600\"\ndeadline = \"300ms\"\nkill_grace = \"1s\"\nretries = 1\n"
      "retry_delay = \"50ms\"");
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 0);
  EXPECT_EQ(outcomes(closed(2)), "timed_out: deadline; succeeded");
}

TEST_P(RunPolicy, SuccessCodesSayWhatIsNoFailure) {
  begin("shell = \"exit 3\"\nsuccess_codes = [0, 3]\nretries = 3");
  EXPECT_EQ(daemon.ballot({"trigger", "job", "--wait"}).code, 3);
  EXPECT_EQ(outcomes(closed(1)), "succeeded");
}

TEST_P(RunPolicy, OnSuccessRerunBeginsANewRunAtOnce) {
  begin("command = [\"/bin/sleep\", \"0.2\"]\non_success = \"rerun\"");
  EXPECT_EQ(trigger().code, 0);
  outcomes(has("succeeded", 3));
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(rows[1].trigger, Trigger::rerun);
  EXPECT_NE(rows[1].run, rows[0].run);
}

TEST_P(RunPolicy, OnErrorRerunBeginsANewRunAfterTheRetryDelay) {
  begin("command = [\"/bin/false\"]\non_error = \"rerun\"\nretry_delay = \"500ms\"");
  EXPECT_EQ(trigger().code, 0);
  outcomes(has("failed: exit_code", 2));
  ASSERT_GE(rows.size(), 2u);
  EXPECT_GE(*rows[1].started_at - *rows[0].ended_at, Millis(500));
}

TEST_P(RunPolicy, ReelectResignsTheGroupAfterTheRun) {
  begin("command = [\"/bin/true\"]\non_success = \"reelect\"");
  EXPECT_EQ(trigger().code, 0);
  EXPECT_TRUE(daemon.wait_for("cause=resigned"));
  EXPECT_TRUE(daemon.wait_for("leads")) << "there is nobody else";
}

// ---- what was passed while nobody led

TEST_P(RunPolicy, MisfireCatchesUpTheLatestAllOrNone) {
  configure("");
  for (const std::string name : {"latest", "all", "skip"})
    daemon.job(name, "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]\nmisfire = \"" + name + "\"");
  start();
  ASSERT_TRUE(daemon.wait_for("succeeded", 6));
  daemon.stop();
  const WallTime stopped = Instant::now().wall;
  let_pass(seconds(4));  // with their slots
  start();
  const auto count = [&](const std::string& job, const auto& is) {
    const std::vector<Row> all = daemon.rows(job);
    std::int64_t slots = 0;
    for (const Row& row : all)
      if (row.slot > stopped && row.slot < stopped + seconds(3) && is(row)) slots += row.slots;
    return slots;
  };
  const auto missed = [](const Row& row) { return row.status == Status::missed; };
  const auto caught_up = [](const Row& row) { return row.trigger == Trigger::catch_up; };
  outcomes([&](const std::vector<Row>&) { return count("skip", missed) >= 3; }, "skip");
  EXPECT_GE(count("skip", missed), 3);
  EXPECT_EQ(count("skip", caught_up), 0);
  outcomes([&](const std::vector<Row>&) { return count("all", caught_up) >= 3; }, "all");
  EXPECT_GE(count("all", caught_up), 3);
  outcomes([&](const std::vector<Row>&) { return count("latest", missed) >= 2; }, "latest");
  EXPECT_GE(count("latest", missed), 2);
}

// ---- by hand, and by the daemon's end

TEST_P(RunPolicy, WhatIsKilledOrPausedSaysSo) {
  daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  begin("schedule = \"* * * * * *\"\ncommand = [\"/bin/sleep\", \"600\"]");
  ASSERT_TRUE(daemon.wait_for("job=job"));
  outcomes(has("running"));
  const std::string run = daemon.rows("job").at(0).run->text();
  EXPECT_EQ(daemon.ballot({"pause", "job"}).code, 0);
  EXPECT_EQ(daemon.ballot({"kill", run}).code, 0);
  outcomes(has("killed: operator"));
  ASSERT_TRUE(daemon.wait_for("succeeded", 3)) << "slots pass";
  EXPECT_EQ(daemon.ballot({"resume", "job"}).code, 0);
  outcomes(has("skipped: paused"));
  EXPECT_NE(why(row_of("killed: operator")).find("kill_signal"), std::string::npos);
  EXPECT_NE(why(row_of("skipped: paused")).find("paused"), std::string::npos);
}

/// S31: what waits is in the register, not in the leader that is killed.
// S31 local zookeeper
TEST_P(RunPolicy, ARetryAQueueAndAPauseSurviveTheDaemonThatHadThem) {
  configure("");
  daemon.job("retried", "shell = \"test $BALLOT_ATTEMPT = 2\"\nretries = 1\nretry_delay = \"3s\"");
  daemon.job("queued", "command = [\"/bin/sleep\", \"2\"]\nconcurrency = \"queue\"");
  daemon.job("paused", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
  start();
  EXPECT_EQ(daemon.ballot({"pause", "paused"}).code, 0);
  const WallTime paused_at = Instant::now().wall;
  EXPECT_EQ(trigger("retried").code, 0);
  ASSERT_TRUE(daemon.wait_for("failed"));
  EXPECT_EQ(trigger("queued").code, 0);
  EXPECT_EQ(trigger("queued").code, 0);
  daemon.kill();
  daemon.start();
  ASSERT_TRUE(daemon.wait_for("leads", 1)) << daemon.log;
  EXPECT_EQ(outcomes(closed(2), "retried"), "failed: exit_code; succeeded");
  EXPECT_EQ(outcomes(closed(2), "queued"), "succeeded; succeeded");
  EXPECT_NE(daemon.ballot({"jobs", "paused"}).out.find("paused"), std::string::npos);
  for (const Row& row : daemon.rows("paused")) EXPECT_LE(row.slot, paused_at) << "nothing starts before it is resumed";
}

INSTANTIATE_TEST_SUITE_P(On, RunPolicy, ::testing::ValuesIn(backends()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ballot::testing
