// What the loss of a node would do, by figures that are computed by hand: T is 10 s, and an election takes 100 ms.
#include <algorithm>

#include "simulation/fleet_store.hpp"
#include "unit/simulation/fleets.hpp"

namespace ballot::simulation {
namespace {

constexpr Millis takeover = 10s + election_takes;

Group led_by(const std::string& name, const std::string& node) {
  Group settings = group(name);
  settings.preferred = {node};
  return settings;
}

/// Two nodes, of which a leads the group `g`, and b another one.
Fleet pair(const std::vector<Job>& jobs, Millis span) {
  std::vector<Job> all = jobs;
  all.push_back(job("elsewhere", "* * * * *", "h"));
  return fleet({"a", "b"}, all, midnight, span, {led_by("g", "a"), led_by("h", "b")});
}

TEST(Losses, TheGroupsOfALostNodeAreLedAgainAfterTAndSlotsMeanwhileAreLate) {
  Fleet of = pair({job("minutely", "* * * * *", "g")}, 1h);
  of.losses = {{"a", midnight + 10min, {}}};
  const Report report = report_of(of);
  ASSERT_EQ(report.losses.size(), 1u);
  const LossReport& loss = report.losses[0];
  ASSERT_EQ(loss.groups.size(), 1u);
  EXPECT_EQ(loss.groups[0].group, "g");
  EXPECT_EQ(loss.groups[0].at, midnight + 10min + takeover);
  EXPECT_EQ(loss.groups[0].node, "b");
  EXPECT_EQ(loss.lost_run_count, 0);
  ASSERT_EQ(loss.late_slot_count, 1) << "the one that is due when the node is lost";
  EXPECT_EQ(loss.late_slots[0].slot, midnight + 10min);
  EXPECT_EQ(loss.late_slots[0].late, takeover);
  EXPECT_EQ(loss.late_slots[0].waited_for, WaitFor::leader);
  EXPECT_EQ(loss.latest, takeover);
  EXPECT_TRUE(loss.not_run.empty());
  EXPECT_FALSE(loss.back_at);
  EXPECT_EQ(of_job(report, "minutely").starts, 60);
  EXPECT_EQ(report.nodes[0].starts, 10) << "of 00:00 to 00:09";
  EXPECT_EQ(waits_for(report.waits, WaitFor::leader).slots, 1);
}

TEST(Losses, ANodeThatIsBackLeadsWhatPrefersItAgain) {
  Fleet of = pair({job("minutely", "* * * * *", "g")}, 1h);
  of.losses = {{"a", midnight + 10min, 20min}};
  const Report report = report_of(of);
  const LossReport& loss = report.losses.at(0);
  EXPECT_EQ(loss.back_at, midnight + 30min);
  EXPECT_EQ(loss.groups.at(0).node, "b") << "meanwhile";
  EXPECT_GT(report.nodes[0].starts, 30) << "ten before, and most of those of the last half hour";
  EXPECT_EQ(of_job(report, "minutely").starts, 60);
}

// Of slots each second that the gap leaves behind, `misfire = "latest"` runs the last one.
TEST(Losses, SlotsThatTheNextLeaderDoesNotMakeUpForAreMissedByTheLoss) {
  Fleet of = pair({job("secondly", "* * * * * *", "g")}, 20min);
  of.run_times.known["secondly"] = 100ms;
  of.losses = {{"a", midnight + 10min, {}}};
  const LossReport loss = report_of(of).losses.at(0);
  EXPECT_EQ(loss.late_slot_count, 1);
  std::int64_t missed = 0;
  for (const Outcome& one : loss.not_run) missed += one.status == Status::missed ? one.slots : 0;
  EXPECT_EQ(missed, 10) << "of those due from the loss to 10.1 s after it all but the last one";
}

// At each odd minute it still runs, and some seconds later the register shows that: the next leader finds it.
TEST(Losses, ASlotThatTheNextLeaderFindsDecidedCountsOnce) {
  Job minutely = job("minutely", "* * * * *", "g");
  minutely.not_before = midnight;
  Fleet of = pair({minutely}, 1h);
  of.run_times.known["minutely"] = 90s;
  of.losses = {{"a", midnight + 9min + 10s, {}}};
  const Report report = report_of(of);
  EXPECT_EQ(of_job(report, "minutely").slots, 60);
}

TEST(Losses, ARunThatMayBeginTwiceIsStartedAgainElsewhere) {
  Job nightly = job("nightly", "0 0 * * *", "g");
  nightly.guarantee = Guarantee::at_least_once;
  Fleet of = pair({nightly}, 3h);
  of.run_times.known["nightly"] = 1h;
  of.losses = {{"a", midnight + 30min, {}}};
  const Report report = report_of(of);
  const LossReport& loss = report.losses.at(0);
  EXPECT_EQ(loss.lost_run_count, 1);
  ASSERT_EQ(loss.lost_runs.size(), 1u);
  EXPECT_EQ(loss.lost_runs[0].job, "nightly");
  EXPECT_EQ(loss.lost_runs[0].started_at, midnight);
  ASSERT_TRUE(loss.lost_runs[0].again_at);
  EXPECT_GE(*loss.lost_runs[0].again_at, midnight + 30min + takeover);
  EXPECT_LE(*loss.lost_runs[0].again_at, midnight + 30min + takeover + 2s);
  const JobReport& found = of_job(report, "nightly");
  EXPECT_EQ(found.slots, 1);
  EXPECT_EQ(found.starts, 2);
  EXPECT_EQ(slots_that(found.outcomes, Status::succeeded), 1);
  EXPECT_EQ(slots_that(found.outcomes, Status::lost, Reason::node_died), 0)
      << "its second attempt is what became of it";
  EXPECT_EQ(report.running.most, 2) << "with the other group's";
}

TEST(Losses, ARunThatMayBeginOnceIsLostAndItsChildSkipped) {
  Job parent = job("extract", "0 0 * * *", "g");
  Fleet of = pair({parent, child("load", parent)}, 3h);
  of.run_times.known["extract"] = 1h;
  of.losses = {{"a", midnight + 30min, {}}};
  const Report report = report_of(of);
  EXPECT_EQ(slots_that(of_job(report, "extract").outcomes, Status::lost, Reason::node_died), 1);
  EXPECT_EQ(slots_that(of_job(report, "load").outcomes, Status::skipped, Reason::upstream), 1);
  const LossReport& loss = report.losses.at(0);
  EXPECT_FALSE(loss.lost_runs.at(0).again_at);
  EXPECT_EQ(slots_that(loss.not_run, Status::skipped, Reason::upstream), 1);
  EXPECT_EQ(of_job(report, "extract").running_at_end, 0);
}

TEST(Losses, WithNobodyLeftSlotsAreDecidedByNobodyUntilTheNodeIsBack) {
  Fleet of = fleet({"a"}, {job("hourly", "0 * * * *")}, midnight, 10h);
  of.losses = {{"a", midnight + 3h + 30min, {}}};
  const Report gone = report_of(of);
  EXPECT_FALSE(gone.losses.at(0).groups.at(0).at);
  EXPECT_EQ(of_job(gone, "hourly").starts, 4);
  EXPECT_EQ(of_job(gone, "hourly").waiting_at_end, 6);
  EXPECT_EQ(of_job(gone, "hourly").slots, 10);
  EXPECT_EQ(slots_that(gone.losses.at(0).not_run, Status::queued, Reason::none), 6);
  of.losses[0].lasts = 2h + 15min;
  const Report back = report_of(of);
  EXPECT_EQ(back.losses.at(0).groups.at(0).at, midnight + 5h + 45min + election_takes);
  const JobReport& hourly = of_job(back, "hourly");
  EXPECT_EQ(hourly.slots, 10);
  EXPECT_EQ(slots_that(hourly.outcomes, Status::missed, Reason::no_leader), 1)
      << "of 04:00; that of 05:00 is made up for";
  EXPECT_EQ(back.losses.at(0).late_slots.at(0).late, 45min + election_takes);
}

TEST(Losses, OfANodeThatIsNotThereOrIsLostAlreadyAreErrors) {
  Fleet of = pair({}, 1h);
  of.losses = {{"c", midnight + 1min, {}}};
  auto report = simulate(of);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().what, "no node 'c' is simulated: there are a, b");
  of.losses = {{"a", midnight + 2h, {}}};
  EXPECT_FALSE(simulate(of)) << "outside of the span";
  of.losses = {{"a", midnight + 1min, 10min}, {"a", midnight + 5min, {}}};
  EXPECT_FALSE(simulate(of)) << "while it is lost";
  of.losses = {{"a", midnight + 1min, 2min}, {"a", midnight + 5min, 1min}};
  ASSERT_TRUE(simulate(of));
  EXPECT_EQ(report_of(of).losses.size(), 2u);
}

}  // namespace
}  // namespace ballot::simulation
