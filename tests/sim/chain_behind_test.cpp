// A job that comes after others, and lags behind the first of them: that one goes on all the same, each slot has a row
// with its reason, and the lag is shown.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct ChainBehind : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");
  Job extract = minutely("extract");
  Job other = minutely("other");
  Job join = minutely("join");
  WallTime from = world.wall();

  ChainBehind() {
    JobDetails& details = join.details.edit();
    details.after = {"extract", "other"};
    details.has_slots_of_first = true;
    details.queue_limit = 100;
    join.concurrency = Concurrency::queue;
    for (SimNode* node : {&a, &b}) node->takes["extract"] = node->takes["join"] = 1s;
  }

  void begin() {
    for (SimNode* node : {&a, &b}) {
      for (const Job& job : {extract, other, join}) node->jobs.push_back(define(job));
      node->start();
    }
    world.run_for(1min);
    from = std::chrono::ceil<std::chrono::minutes>(world.wall());
  }
  SimNode& leader() { return a.running() && a.leads("default") ? a : b; }

  std::string fate(const std::string& job, WallTime slot) const {
    std::string fate = "none";
    for (const Row& one : world.merged())
      if (one.job == job && one.slot <= slot && slot <= one.slot_until.value_or(one.slot))
        fate = std::string(to_string(one.status)) +
               (one.reason == Reason::none ? "" : ": " + std::string(to_string(one.reason)));
    return fate;
  }
  /// "succeeded x 9, skipped: upstream x 1", of the minutes since the begin and before `until`.
  std::string fates(const std::string& job, WallTime until) const {
    std::map<std::string, int> counts;
    for (WallTime slot = from; slot < until; slot += 1min) ++counts[fate(job, slot)];
    std::string text;
    for (const auto& [what, count] : counts) text += (text.empty() ? "" : ", ") + what + " x " + std::to_string(count);
    return text;
  }
  std::string behind() {
    const auto view = leader().core().views().find_job(world.wall(), "join");
    return view ? std::string(view->behind) : "join is not there";
  }
  std::size_t kept() const { return world.oracle.job_register("extract")->kept->ends.size(); }
};

/// Its slots of half an hour wait for a job that has none before.
TEST_F(ChainBehind, OneOfTwoThatHasHadNoSlotYetHoldsUpNeitherTheOtherNorItsSlots) {
  const auto first = std::chrono::floor<std::chrono::minutes>(world.wall()) + 32min;
  other.schedule = {std::to_string(first.time_since_epoch() / 1min % 60) + " * * * *"};
  begin();
  EXPECT_EQ(behind(), "");
  world.run_for(from + 20min + 30s - world.wall());
  EXPECT_EQ(fates("extract", from + 20min), "succeeded x 20");
  EXPECT_EQ(fates("join", from + 12min), "skipped: upstream x 12");
  EXPECT_EQ(fate("join", from + 14min), "none");
  EXPECT_EQ(kept(), core::slot_end_limit);
  EXPECT_EQ(behind(), "extract");
  world.run_for(first + 3min - world.wall());
  EXPECT_EQ(fate("join", first - 1min), "succeeded");
  EXPECT_EQ(fate("join", first), "succeeded");
  EXPECT_EQ(behind(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(ChainBehind, OneOfTwoThatHasNoScheduleHoldsUpNoOther) {
  other.schedule.clear();
  begin();
  world.run_for(40min);
  EXPECT_EQ(fates("extract", from + 38min), "succeeded x 38");
  EXPECT_EQ(fates("join", from + 25min), "skipped: upstream x 25");
  EXPECT_EQ(behind(), "extract");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(ChainBehind, OneOfTwoThatIsDisabledHoldsUpNoOther) {
  other.enabled = false;
  begin();
  world.run_for(40min);
  EXPECT_EQ(fates("extract", from + 38min), "succeeded x 38");
  EXPECT_EQ(fates("join", from + 25min), "skipped: upstream x 25");
  EXPECT_EQ(behind(), "extract");
}

/// Those of the last minutes run once the slow one has ended.
TEST_F(ChainBehind, OneOfTwoThatIsSlowHoldsUpNoOther) {
  other.schedule = {"0 * * * *"};
  a.takes["other"] = b.takes["other"] = 1s;
  begin();
  world.run_for(std::chrono::ceil<std::chrono::hours>(world.wall()) - world.wall() + 30min);
  a.takes["other"] = b.takes["other"] = 40min;
  world.run_for(30min);
  from = std::chrono::floor<std::chrono::hours>(world.wall());
  world.run_for(50min);
  EXPECT_EQ(fates("extract", from + 48min), "succeeded x 48");
  EXPECT_EQ(fates("join", from + 32min), "skipped: upstream x 32");
  EXPECT_EQ(fate("join", from + 34min), "succeeded");
  EXPECT_EQ(fate("join", from + 45min), "succeeded");
  EXPECT_EQ(behind(), "");
  EXPECT_EQ(world.broken_promises(), "");
}

TEST_F(ChainBehind, AJobThatIsHaltedHoldsUpNoneThatItComesAfter) {
  begin();
  world.store.forge("j/join", "nobody wrote this\n");
  world.run_for(30min);
  ASSERT_EQ(leader().core().views().find_job(world.wall(), "join")->state, core::JobState::halted);
  EXPECT_EQ(fates("extract", from + 28min), "succeeded x 28");
  EXPECT_LE(kept(), core::slot_end_limit);
}

/// What counts for its slots of before is the first end since, and that may be given up as well.
TEST_F(ChainBehind, AnEditOfTheOtherLeavesNoneOfItsSlotsWaiting) {
  other.schedule.clear();
  begin();
  world.run_for(5min);
  extract.retries = 1;
  for (SimNode* node : {&a, &b}) {
    node->jobs.front() = define(extract);
    node->load();
  }
  world.run_for(15min);
  EXPECT_EQ(fates("join", from + 10min), "skipped: upstream x 10");
  EXPECT_EQ(world.broken_promises(), "");
}

/// The next leader knows of no end that the one before has given up, and decides the same.
TEST_F(ChainBehind, TheNextLeaderSkipsWhatTheOneBeforeWouldHave) {
  other.schedule.clear();
  begin();
  world.run_for(15min);
  leader().crash();
  world.run_for(15min);
  EXPECT_EQ(fates("join", from + 20min), "skipped: upstream x 20");
  EXPECT_EQ(behind(), "extract");
}

}  // namespace
}  // namespace ballot
