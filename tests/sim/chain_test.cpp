// Chains: jobs `after` others. A slot begins once those of its parents have ended as it asks, and not before, whoever
// leads by then.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// Without a schedule of its own, as config makes it: its slots are those of `first`.
Job after(const Job& first, const std::string& name, const std::vector<std::string>& others = {}) {
  Job job = minutely(name);
  job.schedule = first.schedule;
  JobDetails& details = job.details.edit();
  details.after = {first.name};
  details.after.insert(details.after.end(), others.begin(), others.end());
  details.has_slots_of_first = true;
  return job;
}

struct Chained : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job extract = minutely("extract");
  Job load = after(extract, "load");
  WallTime from = world.wall();

  Chained() {
    a.takes["extract"] = b.takes["extract"] = 10s;
    a.takes["load"] = b.takes["load"] = 5s;
  }

  void begin(const std::vector<Job>& jobs) {
    for (SimNode* node : {&a, &b}) {
      node->jobs.clear();
      for (const Job& job : jobs) node->jobs.push_back(define(job));
    }
    a.start();
    world.run_for(5s);
    b.start();
    world.run_for(1min);
    from = world.wall();
  }
  SimNode& leader() { return a.running() && a.leads("default") ? a : b; }
  WallTime next_minute() const { return std::chrono::ceil<std::chrono::minutes>(world.wall()); }

  std::optional<Row> row(const std::string& job, WallTime slot) const {
    std::optional<Row> last;
    for (const Row& one : world.merged())
      if (one.job == job && one.slot <= slot && slot <= one.slot_until.value_or(one.slot)) last = one;
    return last;
  }
  std::string fate(const std::string& job, WallTime slot) const {
    const auto one = row(job, slot);
    if (!one) return "none";
    const std::string status(to_string(one->status));
    return one->reason == Reason::none ? status : status + ": " + std::string(to_string(one->reason));
  }
  /// "succeeded x 9, missed: no_leader x 1"
  std::string fates(const std::string& job) const {
    std::map<std::string, int> counts;
    for (WallTime slot = std::chrono::ceil<std::chrono::minutes>(from); slot < world.wall() - 1min; slot += 1min)
      ++counts[fate(job, slot)];
    std::string text;
    for (const auto& [what, count] : counts) text += (text.empty() ? "" : ", ") + what + " x " + std::to_string(count);
    return text;
  }
  /// Each run of the child began after a run of the parent of its slot had ended.
  void expect_in_order(const std::string& parent, const std::string& child) const {
    std::size_t runs = 0;
    for (const Row& one : world.merged()) {
      if (one.job != child || !one.started_at || one.slot < from) continue;
      ++runs;
      const auto before = row(parent, one.slot);
      ASSERT_TRUE(before && before->ended_at) << child << " began, and " << parent << " has not ended";
      EXPECT_EQ(before->status, Status::succeeded);
      EXPECT_GE(*one.started_at, *before->ended_at);
    }
    EXPECT_GT(runs, 0u);
  }
  void expect_all_is_well() {
    for (auto& node : world.nodes)
      for (const auto& job : node->jobs) EXPECT_EQ(world.unaccounted(*job, from, world.wall() - 1min), "");
    world.judge_ends();
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(Chained, ASlotBeginsAsSoonAsThatOfItsParentHasSucceeded) {
  begin({extract, load});
  world.run_for(10min);
  EXPECT_EQ(fates("load"), "succeeded x 9");
  expect_in_order("extract", "load");
  for (const Row& one : world.merged())
    if (one.job == "load" && one.started_at && one.slot >= from)
      EXPECT_LE(*one.started_at - *row("extract", one.slot)->ended_at, 1s);
  expect_all_is_well();
}

TEST_F(Chained, ASlotWhoseParentHasFailedIsSkipped) {
  a.exits["extract"] = b.exits["extract"] = 1;
  begin({extract, load});
  world.run_for(5min);
  EXPECT_EQ(fates("load"), "skipped: upstream x 4");
  EXPECT_EQ(world.starts_of("load"), 0u);
  expect_all_is_well();
}

TEST_F(Chained, AfterFailureAJobRunsWhereItsParentHasFailedAndNotWhereItHasNot) {
  load.details.edit().after_status = AfterStatus::failed;
  begin({extract, load});
  world.run_for(3min);
  EXPECT_EQ(fates("load"), "skipped: upstream x 2");
  a.exits["extract"] = b.exits["extract"] = 1;
  from = world.wall();
  world.run_for(3min);
  EXPECT_EQ(fates("load"), "succeeded x 2");
  expect_all_is_well();
}

TEST_F(Chained, ARetryOfTheParentIsWaitedFor) {
  extract.retries = 1;
  extract.details.edit().retry_delay = 10s;
  extract.schedule = load.schedule = {"*/5 * * * *"};
  begin({extract, load});
  world.run_for(std::chrono::ceil<std::chrono::minutes>(world.wall()) - world.wall() + 1min);
  a.exits["extract"] = b.exits["extract"] = 1;
  world.run_while_not(
      [&] {
        return row("extract", std::chrono::floor<std::chrono::minutes>(world.wall())) &&
               world.starts_of("extract") > 0 && world.starts.back().ended;
      },
      10min);
  const WallTime slot = std::chrono::floor<std::chrono::minutes>(world.wall());
  a.exits.clear(), b.exits.clear();
  world.run_for(5s);
  EXPECT_EQ(fate("load", slot), "none");
  world.run_for(1min);
  EXPECT_EQ(fate("extract", slot), "succeeded");
  EXPECT_EQ(fate("load", slot), "succeeded");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Chained, AJoinWaitsForTheLastOfItsParents) {
  Job clean = minutely("clean");
  Job join = after(extract, "join", {"clean"});
  a.takes["clean"] = b.takes["clean"] = 30s;
  begin({extract, clean, join});
  world.run_for(6min);
  EXPECT_EQ(fates("join"), "succeeded x 5");
  expect_in_order("extract", "join");
  expect_in_order("clean", "join");
  expect_all_is_well();
}

TEST_F(Chained, AChainOfThreeRunsThroughInTheOrderOfItsSlots) {
  Job report = after(load, "report");
  begin({extract, load, report});
  world.run_for(6min);
  EXPECT_EQ(fates("report"), "succeeded x 5");
  expect_in_order("load", "report");
  expect_all_is_well();
}

/// "the latest slot of the parent at or before it"
TEST_F(Chained, AJobWithAScheduleOfItsOwnGoesByTheLatestSlotOfItsParent) {
  extract.schedule = {"*/3 * * * *"};
  Job own = minutely("own");
  own.details.edit().after = {"extract"};
  begin({extract, own});
  world.run_for(4min);
  from = world.wall();
  world.run_for(10min);
  EXPECT_EQ(fates("own"), "succeeded x 9");
  a.exits["extract"] = b.exits["extract"] = 1;
  world.run_for(6min);
  from = world.wall();
  world.run_for(6min);
  EXPECT_EQ(fates("own"), "skipped: upstream x 5");
  expect_all_is_well();
}

TEST_F(Chained, AJobWithAScheduleOfItsOwnIsMissedWhereItsParentTakesLongerThanItsStartDeadline) {
  extract.schedule = {"*/10 * * * *"};
  a.takes["extract"] = b.takes["extract"] = 4min;
  Job own = minutely("own");
  own.schedule = {"*/10 * * * *"};
  own.start_deadline = 1min;
  own.details.edit().after = {"extract"};
  begin({extract, own});
  world.run_for(std::chrono::ceil<std::chrono::hours>(world.wall()) - world.wall() + 5min);
  EXPECT_EQ(fate("own", std::chrono::floor<std::chrono::hours>(world.wall())), "missed: start_deadline");
  EXPECT_EQ(world.broken_promises(), "");
}

/// "ra12" and "rr12": waiting for a parent is no misfire, whatever the policy for misfires.
TEST_F(Chained, ASlotOfItsOwnThatHasWaitedForItsParentIsNoMisfire) {
  extract.schedule = {"*/30 * * * * *"};
  a.takes["extract"] = b.takes["extract"] = 12s;
  std::vector<Job> jobs{extract};
  for (const Misfire misfire : {Misfire::skip, Misfire::latest, Misfire::all}) {
    Job own = minutely("own" + std::to_string(static_cast<int>(misfire)));
    own.schedule = extract.schedule;
    own.misfire = misfire;
    own.details.edit().after = {"extract"};
    jobs.push_back(own);
  }
  begin(jobs);
  world.run_for(5min);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    EXPECT_EQ(fates(jobs[i].name), "succeeded x 4");
    for (const Row& one : world.merged())
      if (one.job == jobs[i].name && one.slot > from) EXPECT_EQ(one.trigger, Trigger::schedule) << one.job;
    expect_in_order("extract", jobs[i].name);
  }
  expect_all_is_well();
}

/// The first one runs, and the others overlap it, as they would had each been due then; `queue` and `allow` run all.
TEST_F(Chained, OfSeveralSlotsThatWaitForOneOfTheirParentNoneIsAMisfire) {
  extract.schedule = {"*/10 * * * *"};
  a.takes["extract"] = b.takes["extract"] = 210s;
  std::vector<Job> jobs{extract};
  for (const Concurrency concurrency :
       {Concurrency::skip, Concurrency::queue, Concurrency::allow, Concurrency::replace}) {
    Job own = minutely("own" + std::to_string(jobs.size()));
    own.concurrency = concurrency;
    own.details.edit().after = {"extract"};
    own.details.edit().queue_limit = 10;
    jobs.push_back(own);
    a.takes[own.name] = b.takes[own.name] = 5s;
    if (concurrency == Concurrency::allow) world.oracle.at_once[own.name] = 16;
  }
  begin(jobs);
  world.run_for(std::chrono::ceil<std::chrono::hours>(world.wall()) - world.wall() + 5min);
  const WallTime hour = std::chrono::floor<std::chrono::hours>(world.wall());
  const auto all = [&](const std::string& job) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += (i == 0 ? "" : ", ") + fate(job, hour + std::chrono::minutes(i));
    return text;
  };
  EXPECT_EQ(all("own1"), "succeeded, skipped: overlap, skipped: overlap, skipped: overlap");
  EXPECT_EQ(all("own2"), "succeeded, succeeded, succeeded, succeeded");
  EXPECT_EQ(all("own3"), "succeeded, succeeded, succeeded, succeeded");
  EXPECT_EQ(all("own4"), "skipped: overlap, skipped: overlap, skipped: overlap, succeeded");
  for (const Row& one : world.merged())
    if (one.slot >= hour && one.run) EXPECT_EQ(one.trigger, Trigger::schedule) << one.job;
  expect_all_is_well();
}

/// While the first slot of its parent runs, the next one is skipped: overlap, and so has ended before it.
TEST_F(Chained, ASlotBeforeTheFirstOfItsParentWaitsForThatOneAlsoWhereALaterOneHasEnded) {
  a.takes["extract"] = b.takes["extract"] = 80s;
  Job own = minutely("own");
  own.schedule = {"*/20 * * * * *"};
  own.start_deadline = 1h;
  own.details.edit().after = {"extract"};
  const WallTime first = std::chrono::floor<std::chrono::minutes>(world.wall()) + 20s;
  begin({extract, own});
  world.run_for(3min);
  EXPECT_EQ(fate("own", first), "succeeded");
  EXPECT_EQ(fate("own", first + 20s), "skipped: overlap");
  EXPECT_EQ(world.broken_promises(), "");
}

/// Its parent's run may take longer than the child's start deadline, which counts from the parent's end.
TEST_F(Chained, TheStartDeadlineCountsFromTheEndOfTheParent) {
  extract.schedule = load.schedule = {"*/10 * * * *"};
  a.takes["extract"] = b.takes["extract"] = 4min;
  load.start_deadline = 10s;
  begin({extract, load});
  world.run_for(30min);
  expect_in_order("extract", "load");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Chained, TheNextLeaderRunsASlotWhoseParentHadEndedUnderTheLastOneOnce) {
  begin({extract, load});
  for (int i = 0; i < 6; ++i) {
    world.run_for(next_minute() - world.wall() + 10s + Millis(100 * i));  // about when the parent ends
    SimNode& dead = leader();
    dead.crash();
    world.run_for(2min);
    dead.start();
    world.run_for(30s);
  }
  world.run_for(2min);
  expect_in_order("extract", "load");
  expect_all_is_well();
}

TEST_F(Chained, TheSlotsOfAnEveryAreThoseOfTheParent) {
  extract.schedule = load.schedule = {"@every 90s"};
  begin({extract});
  world.run_for(40s);
  for (SimNode* node : {&a, &b}) {
    node->jobs.push_back(define(load));
    node->load();
  }
  world.run_for(10min);
  std::size_t both = 0;
  for (const Row& one : world.merged())
    if (one.job == "load" && one.status == Status::succeeded) {
      const auto parent = row("extract", one.slot);
      ASSERT_TRUE(parent && parent->slot == one.slot) << format_slot(one.slot);
      ++both;
    }
  EXPECT_GE(both, 5u);
  EXPECT_EQ(world.unaccounted(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Chained, ASlotOfAPausedParentIsNotWaitedFor) {
  begin({extract, load});
  core::Request pause;
  pause.kind = core::Request::Kind::pause;
  pause.job = "extract";
  leader().ask(pause);
  world.run_for(2min);
  from = world.wall();
  world.run_for(3min);
  EXPECT_EQ(fates("load"), "skipped: upstream x 2");
  EXPECT_EQ(world.broken_promises(), "");
}

/// Nobody led when the pause was over by its own end: the next leader has not written so yet.
TEST_F(Chained, ASlotAfterTheEndOfItsParentsPauseIsWaitedFor) {
  begin({extract, load});
  world.run_for(next_minute() - world.wall() + 30s);
  core::Request pause;
  pause.kind = core::Request::Kind::pause;
  pause.job = "extract";
  pause.terms.ends = world.wall() + 20s;
  leader().ask(pause);
  world.run_for(5s);
  a.crash(), b.crash();
  world.run_for(next_minute() - world.wall() + 10s);
  const WallTime slot = std::chrono::floor<std::chrono::minutes>(world.wall());
  a.start();
  world.run_for(1min);
  EXPECT_EQ(fate("extract", slot), "succeeded");
  EXPECT_EQ(fate("load", slot), "succeeded");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Chained, APausedChildPassesItsSlots) {
  begin({extract, load});
  core::Request pause;
  pause.kind = core::Request::Kind::pause;
  pause.job = "load";
  leader().ask(pause);
  world.run_for(2min);
  from = world.wall();
  world.run_for(30min);
  EXPECT_EQ(fates("extract"), "succeeded x 29");
  pause.kind = core::Request::Kind::resume;
  leader().ask(pause);
  world.run_for(2min);
  EXPECT_EQ(fates("load"), "skipped: paused x 30, succeeded x 1");
  expect_all_is_well();
}

TEST_F(Chained, ASlotOfWhichNoFileDefinesTheParentIsMissed) {
  Job own = minutely("own");
  own.details.edit().after = {"extract"};
  begin({own});
  world.run_for(3min);
  EXPECT_EQ(fates("own"), "missed: no_definition x 2");
  EXPECT_EQ(world.starts_of("own"), 0u);
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(Chained, AJobThatNoOtherOneComesAfterKeepsNoEnds) {
  begin({extract});
  world.run_for(3min);
  EXPECT_TRUE(world.oracle.job_register("extract")->kept->ends.empty());
  for (SimNode* node : {&a, &b}) {
    node->jobs.push_back(define(load));
    node->load();
  }
  world.run_for(3min);
  EXPECT_LE(world.oracle.job_register("extract")->kept->ends.size(), 2u);
  EXPECT_FALSE(world.oracle.job_register("extract")->kept->ends.empty());
  EXPECT_TRUE(world.oracle.job_register("load")->kept->ends.empty());
}

}  // namespace
}  // namespace ballot
