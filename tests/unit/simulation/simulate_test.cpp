// What a fleet would be asked, by figures that are computed by hand: slots as the plan has them, clashes, queues,
// chains, nights with a clock change.
#include "simulation/simulate.hpp"

#include <algorithm>

#include "schedule/slot_diff.hpp"
#include "unit/simulation/fleets.hpp"

namespace ballot::simulation {
namespace {

TEST(Simulate, CountsTheSlotsOfThePlanAndStartsEach) {
  Job night = job("night", "30 2 * * *"), often = job("often", "*/15 * * * *"),
      alone = job("alone", "@hourly", "other");
  night.timezone = often.timezone = "America/New_York";
  alone.not_after = at("2025-11-02T12:00:00Z");
  const Fleet of = fleet({"a", "b", "c"}, {night, often, alone}, at("2025-11-01T00:00:00Z"), 72h);
  const Report report = report_of(of);
  std::int64_t sum = 0;
  for (const auto& one : of.nodes[0].jobs) {
    const JobReport& found = of_job(report, one->job.name);
    const auto slots = schedule::compare_slots(nullptr, &one->plan, of.from - 1ms, of.until - 1ms).appear;
    EXPECT_GT(slots, 0);
    EXPECT_EQ(found.slots, slots) << one->job.name;
    EXPECT_EQ(found.starts, slots) << one->job.name;
    EXPECT_EQ(slots_that(found.outcomes, Status::succeeded), slots) << one->job.name;
    sum += slots;
  }
  EXPECT_EQ(report.slots, sum);
  EXPECT_EQ(report.starts, sum);
  std::int64_t by_hour = 0, by_node = 0;
  for (const HourReport& hour : report.hours) by_hour += hour.starts;
  for (const NodeReport& node : report.nodes) by_node += node.starts;
  EXPECT_EQ(by_hour, sum);
  EXPECT_EQ(by_node, sum);
  EXPECT_EQ(report.waiting.most, 0);
  EXPECT_EQ(report.hours.size(), 72u);
}

TEST(Simulate, ANodesLimitLetsSlotsThatClashStartOneAfterTheOther) {
  Job first = job("first", "0 0 * * *"), second = job("second", "0 0 * * *"), third = job("third", "0 0 * * *");
  first.details.edit().priority = 9;
  second.details.edit().priority = 5;
  Fleet of = fleet({"a"}, {third, second, first}, midnight, 2h);
  of.run_times.assumed = 10min;
  of.max_running = 1;
  const Report report = report_of(of);
  EXPECT_EQ(report.starts, 3);
  EXPECT_EQ(report.running.most, 1);
  EXPECT_EQ(report.waiting.most, 2);
  EXPECT_EQ(report.waiting.at, midnight);
  const Waits& places = waits_for(report.waits, WaitFor::place);
  EXPECT_EQ(places.slots, 2);
  EXPECT_EQ(places.longest, 20min);
  EXPECT_EQ(places.total, 30min);
  EXPECT_EQ(waits_for(of_job(report, "third").waits, WaitFor::place).longest, 20min);
  EXPECT_EQ(waits_for(of_job(report, "second").waits, WaitFor::place).longest, 10min);
  ASSERT_EQ(report.limits.size(), 1u);
  EXPECT_EQ(report.limits[0].kind, "node");
  EXPECT_EQ(report.limits[0].waiting.most, 2);
  EXPECT_EQ(report.busiest.at(0).due, 3);
  EXPECT_EQ(report.busiest.at(0).starts, 1);
  EXPECT_EQ(report.busiest.at(0).longest_wait, 20min);
  EXPECT_EQ(report.hours.at(0).most_waiting, 2);
  EXPECT_EQ(report.hours.at(1).most_waiting, 0);
}

TEST(Simulate, AGroupsLimitIsNamedWhereItIsTheOneThatIsFull) {
  Group narrow = group("narrow");
  narrow.max_running = 1;
  Fleet of =
      fleet({"a"}, {job("one", "0 0 * * *", "narrow"), job("two", "0 0 * * *", "narrow")}, midnight, 1h, {narrow});
  of.run_times.assumed = 10min;
  of.max_running = 5;
  const Report report = report_of(of);
  ASSERT_EQ(report.limits.size(), 1u);
  EXPECT_EQ(report.limits[0].kind, "group");
  EXPECT_EQ(report.limits[0].name, "narrow");
  EXPECT_EQ(report.limits[0].waits.longest, 10min);
}

TEST(Simulate, ASlotThatWaitsForAPlacePastItsStartDeadlineIsMissed) {
  Job first = job("first", "0 0 * * *"), second = job("second", "0 0 * * *");
  second.start_deadline = 5min;
  first.details.edit().priority = 9;
  Fleet of = fleet({"a"}, {first, second}, midnight, 1h);
  of.run_times.assumed = 10min;
  of.max_running = 1;
  const Report report = report_of(of);
  EXPECT_EQ(of_job(report, "second").starts, 0);
  EXPECT_EQ(slots_that(of_job(report, "second").outcomes, Status::missed, Reason::start_deadline), 1);
  EXPECT_EQ(report.hours.at(0).not_run, 1);
  EXPECT_EQ(report.hours.at(0).most_waiting, 1);
  ASSERT_EQ(report.limits.size(), 1u);
  EXPECT_EQ(report.limits[0].missed, 1);
  EXPECT_EQ(report.limits[0].waits.slots, 0);
}

// From midnight on it runs for 90 s of each 120: at each odd minute it still runs.
TEST(Simulate, EachSecondSlotOfAJobThatTakesLongerThanItsMinuteIsSkippedForOverlap) {
  Job minutely = job("minutely", "* * * * *");
  minutely.not_before = midnight;
  Fleet of = fleet({"a"}, {minutely}, midnight, 1h);
  of.run_times.known["minutely"] = 90s;
  const Report report = report_of(of);
  const JobReport& found = of_job(report, "minutely");
  EXPECT_EQ(found.takes, 90s);
  EXPECT_EQ(found.slots, 60);
  EXPECT_EQ(found.starts, 30);
  EXPECT_EQ(slots_that(found.outcomes, Status::skipped, Reason::overlap), 30);
  EXPECT_EQ(slots_that(found.outcomes, Status::succeeded), 30);
  EXPECT_EQ(found.running_at_end, 0);
  EXPECT_EQ(report.hours.at(0).not_run, 30);
}

// Slots at 0, 1, ... 5; each run takes 90 s. Begun at 0:00, 1:30, 3:00 and 4:30; the one of 4 finds the one of 3 in the
// queue, and that of 5 waits when the span is over.
TEST(Simulate, AQueueLetsSlotsWaitForTheirOwnRunAndIsFullAtItsLimit) {
  Job queued = job("queued", "* * * * *");
  queued.not_before = midnight;
  queued.concurrency = Concurrency::queue;
  Fleet of = fleet({"a"}, {queued}, midnight, 6min);
  of.run_times.known["queued"] = 90s;
  const Report report = report_of(of);
  const JobReport& found = of_job(report, "queued");
  EXPECT_EQ(found.slots, 6);
  EXPECT_EQ(found.starts, 4);
  EXPECT_EQ(slots_that(found.outcomes, Status::skipped, Reason::queue_full), 1);
  EXPECT_EQ(found.waiting_at_end, 1);
  const Waits& own = waits_for(found.waits, WaitFor::own_run);
  EXPECT_EQ(own.longest, 90s);
  EXPECT_EQ(own.longest_of, midnight + 3min);
  EXPECT_EQ(report.waiting.most, 1);
}

TEST(Simulate, ARunThatEndsWhenTheNextSlotIsDueHasEndedBefore) {
  Job minutely = job("minutely", "* * * * *"), other = job("other", "* * * * *");
  Fleet of = fleet({"a"}, {minutely, other}, midnight, 10min);
  of.run_times.known["minutely"] = 60s;
  const Report report = report_of(of);
  EXPECT_EQ(of_job(report, "minutely").starts, 10);
  EXPECT_EQ(waits_for(of_job(report, "minutely").waits, WaitFor::own_run).slots, 0);
}

TEST(Simulate, AChildStartsWhenItsParentHasEndedAndIsNotLate) {
  const Job parent = job("extract", "0 * * * *");
  Fleet of = fleet({"a"}, {parent, child("load", parent)}, midnight, 24h);
  of.run_times.known["extract"] = 10min;
  const Report report = report_of(of);
  const JobReport& load = of_job(report, "load");
  EXPECT_EQ(load.starts, 24);
  EXPECT_EQ(waits_for(load.waits, WaitFor::upstream).slots, 24);
  EXPECT_EQ(waits_for(load.waits, WaitFor::upstream).longest, 10min);
  EXPECT_EQ(waits_for(load.waits, WaitFor::upstream).total, 240min);
  EXPECT_EQ(waits_for(load.waits, WaitFor::own_run).slots, 0);
  EXPECT_EQ(report.waiting.most, 0) << "who waits for its parents is in no queue";
}

TEST(Simulate, AChildWaitsForItsParentsAndThenForAPlace) {
  const Job parent = job("extract", "0 0 * * *");
  Job other = job("other", "5 0 * * *");
  Fleet of = fleet({"a"}, {parent, child("load", parent), other}, midnight, 2h);
  of.run_times.known = {{"extract", 10min}, {"other", 30min}};
  of.max_running = 1;
  const Report report = report_of(of);
  const JobReport& load = of_job(report, "load");
  EXPECT_EQ(waits_for(load.waits, WaitFor::upstream).longest, 10min);
  EXPECT_EQ(waits_for(of_job(report, "other").waits, WaitFor::place).longest, 5min);
  EXPECT_EQ(waits_for(load.waits, WaitFor::place).longest, 30min);
}

TEST(Simulate, KnownTimesAreCutAtTheJobsTimeoutAndAssumedOnesAreWithinIt) {
  Job known = job("known", "0 * * * *"), assumed = job("assumed", "0 * * * *");
  known.deadline = assumed.deadline = 30min;
  Fleet of = fleet({"a"}, {known, assumed}, midnight, 3h);
  of.run_times.known["known"] = 40min;
  of.run_times.assumed = 40min;
  const Report report = report_of(of);
  EXPECT_EQ(slots_that(of_job(report, "known").outcomes, Status::timed_out, Reason::deadline), 3);
  EXPECT_EQ(slots_that(of_job(report, "assumed").outcomes, Status::succeeded), 3);
  EXPECT_EQ(report.running.most, 2);
}

TEST(Simulate, ARunFromBeforeTheSpanIsInItsWay) {
  Job nightly = job("nightly", "0 22 * * *"), other = job("other", "30 0 * * *");
  Fleet of = fleet({"a"}, {nightly, other}, midnight, 4h);
  of.run_times.known["nightly"] = 3h;
  of.max_running = 1;
  const Report report = report_of(of);
  EXPECT_EQ(report.hours.at(0).most_running, 1);
  EXPECT_EQ(waits_for(of_job(report, "other").waits, WaitFor::place).longest, 30min) << "until 01:00";
  EXPECT_EQ(of_job(report, "nightly").slots, 0);
  EXPECT_EQ(report.starts, 1);
}

// New York: 02:30 is skipped on 2025-03-09, and 01:00 to 02:00 comes twice on 2025-11-02.
TEST(Simulate, OnNightsWithAClockChangeSlotsAreThoseOfTheSchedule) {
  Job night = job("night", "30 2 * * *"), quarters = job("quarters", "*/15 * * * *"), once = job("once", "30 1 * * *");
  night.timezone = quarters.timezone = once.timezone = "America/New_York";
  const Report spring = report_of(fleet({"a"}, {night}, at("2025-03-09T05:00:00Z"), 6h));
  EXPECT_EQ(spring.starts, 1);
  EXPECT_EQ(spring.hours.at(2).starts, 1) << "at 03:00 EDT, which is 07:00 UTC";
  const Report autumn = report_of(fleet({"a"}, {quarters, once}, at("2025-11-02T05:00:00Z"), 2h));
  EXPECT_EQ(of_job(autumn, "quarters").starts, 8);
  EXPECT_EQ(of_job(autumn, "once").starts, 1) << "the first time";
  EXPECT_EQ(autumn.hours.at(0).starts, 5);
}

TEST(Simulate, GroupsAreSpreadOverTheNodesOrLedByWhomTheyPrefer) {
  std::vector<Job> jobs;
  for (int i = 0; i < 12; ++i) jobs.push_back(job("j" + std::to_string(i), "0 * * * *", "g" + std::to_string(i)));
  Group chosen = group("g0");
  chosen.preferred = {"c"};
  Fleet of = fleet({"a", "b", "c"}, jobs, midnight, 1h, {chosen});
  Report report = report_of(of);
  for (const NodeReport& node : report.nodes) EXPECT_GT(node.groups, 0) << node.node;
  of.spread = false;
  report = report_of(of);
  EXPECT_EQ(report.nodes[2].groups, 1);
  EXPECT_EQ(report.nodes[0].groups + report.nodes[1].groups, 11);
}

TEST(Simulate, TheSameFleetGivesTheSameReport) {
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(job("j" + std::to_string(i), "*/7 * * * *", "g" + std::to_string(i % 5)));
  Fleet of = fleet({"a", "b", "c"}, jobs, midnight, 2h);
  of.losses = {{"b", midnight + 1h, 20min}};
  const Report one = report_of(of), two = report_of(of);
  EXPECT_EQ(one.steps, two.steps);
  for (std::size_t hour = 0; hour < one.hours.size(); ++hour)
    EXPECT_EQ(one.hours[hour].by_node, two.hours[hour].by_node);
}

TEST(Simulate, WhatIsTooMuchEndsWithAnErrorThatSaysHowFarItCame) {
  Fleet of = fleet({"a"}, {job("minutely", "* * * * *")}, midnight, 240h);
  of.most_steps = 3000;
  std::vector<WallTime> seen;
  const auto report = simulate(of, [&](WallTime now) { seen.push_back(now); });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::invalid);
  EXPECT_NE(report.error().what.find("more than 3000 steps: at 2026-12-0"), std::string::npos) << report.error().what;
  EXPECT_NE(report.error().what.find("shorter span"), std::string::npos);
  of.most_steps = 40'000'000;
  ASSERT_TRUE(simulate(of, [&](WallTime now) { seen.push_back(now); }));
  EXPECT_GT(seen.size(), 1u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

/// Each of them costs time and memory, though no core takes a step for it.
TEST(Simulate, SlotsWithoutEndThatNobodyStartsAreTooMuch) {
  Fleet gone = fleet({"a"}, {job("secondly", "* * * * * *")}, midnight, 24h);
  gone.losses = {{"a", midnight + 1s, std::nullopt}};
  gone.most_unrun = 1000;
  const auto undecided = simulate(gone);
  ASSERT_FALSE(undecided);
  EXPECT_EQ(undecided.error().code, Errc::invalid);
  EXPECT_NE(undecided.error().what.find("more than 1000 slots do not start"), std::string::npos)
      << undecided.error().what;
  gone.losses = {{"a", midnight + 1s, 23h}};
  EXPECT_FALSE(simulate(gone)) << "the node that is back says of all that they were missed";
  gone.most_unrun = 24 * 3600;
  gone.losses = {{"a", midnight + 1s, std::nullopt}};
  const Report all = report_of(gone);
  EXPECT_EQ(all.slots, 24 * 3600);
}

TEST(Simulate, ASpanThatCannotBeIsAnError) {
  Fleet of = fleet({"a"}, {job("minutely", "* * * * *")}, midnight, 0h);
  EXPECT_FALSE(simulate(of));
  of.until = of.from + 24h * 400;
  EXPECT_FALSE(simulate(of));
}

}  // namespace
}  // namespace ballot::simulation
