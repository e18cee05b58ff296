// Why nothing is due of jobs that are paused or halted.
#include "app/held_jobs.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "core/record/register.hpp"

namespace ballot::app {
namespace {

const WallTime midday = *parse_wall("2026-11-28T12:00:00Z");

io::Message job(const std::string& name, const std::string& leader, const std::string& state) {
  return io::Message().set("job", name).set("group", "batch").set("leader", leader).set("state", state);
}
io::Message pause_of(const char* of) {
  return io::Message().set("of", of).set("since", format_millis(midday)).set("by", "host-1 uid 0");
}
std::vector<std::string> texts(const std::vector<io::Message>& jobs, const StoredStates* stored) {
  std::vector<std::string> all;
  for (const HeldJob& one : held_jobs(jobs, "host-1", stored)) all.push_back(text_of(one));
  return all;
}

TEST(HeldJobs, OfWhatThisNodeLeadsTheDaemonSays) {
  const io::Message paused = job("minutely", "host-1", "paused").set("pauses", std::vector{pause_of("job")});
  EXPECT_EQ(texts({paused, job("b", "host-1", "active")}, nullptr),
            std::vector<std::string>{"job minutely is paused since 2026-11-28T12:00:00.000Z, by host-1 uid 0: its "
                                     "slots are not due until `ballot resume minutely`"});
}

TEST(HeldJobs, APauseOfAGroupIsNamedOnce) {
  const std::vector pauses{pause_of("group")};
  EXPECT_EQ(
      texts({job("a", "host-1", "paused").set("pauses", pauses), job("b", "host-1", "paused").set("pauses", pauses)},
            nullptr),
      std::vector<std::string>{"group batch is paused since 2026-11-28T12:00:00.000Z, by host-1 uid 0: its "
                               "slots are not due until `ballot resume --group batch`"});
}

TEST(HeldJobs, OfWhatOthersLeadTheStoreSays) {
  core::JobRegister known;
  known.paused = true;
  known.interventions.edit().paused_at = midday;
  known.interventions.edit().paused_by = "host-2 uid 0";
  Register stored;
  stored.name = core::job_register("a"), stored.value = core::to_text(known);
  const StoredStates states = StoredStates::of({stored});
  const std::vector<io::Message> jobs{job("a", "host-2", "active"), job("b", "", "active")};
  EXPECT_EQ(texts(jobs, &states).size(), 1u);
  EXPECT_EQ(texts(jobs, nullptr).size(), 0u) << "the store has not answered";
}

TEST(StoredStates, NameTheRunsThatWaitForTheirNextAttemptByWhenThatStarts) {
  const auto waiting = [](const char* run, int attempt, WallTime at, bool queued = false) {
    core::OpenRun open;
    open.id = *RunId::parse(run);
    open.attempt = attempt;
    open.waits_until = at;
    open.queued = queued;
    return open;
  };
  const auto stored = [](const char* job, std::vector<core::OpenRun> runs) {
    core::JobRegister known;
    known.group = std::string("g");
    for (core::OpenRun& run : runs) known.runs.push_back(std::move(run));
    return Register{.name = core::job_register(job), .value = core::to_text(known)};
  };
  core::OpenRun running = waiting("0195798e-1f00-7abc-8def-000000000001", 2, midday);
  running.waits_until.reset();
  running.node = "host-1";
  const StoredStates states =
      StoredStates::of({stored("a", {waiting("0195798e-1f00-7abc-8def-000000000002", 3, midday + Millis(2)), running}),
                        stored("b", {waiting("0195798e-1f00-7abc-8def-000000000003", 2, midday + Millis(1)),
                                     waiting("0195798e-1f00-7abc-8def-000000000004", 1, midday, true)})});
  ASSERT_EQ(states.waiting().size(), 2u);
  EXPECT_EQ(states.waiting()[0].job, "b");
  EXPECT_EQ(states.waiting()[0].group, "g");
  EXPECT_EQ(states.waiting()[1].job, "a");
  EXPECT_EQ(states.waiting()[1].attempt, 3);
  EXPECT_EQ(states.waiting()[1].starts_at, midday + Millis(2));
}

}  // namespace
}  // namespace ballot::app
