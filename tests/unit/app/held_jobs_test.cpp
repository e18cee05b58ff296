// Why nothing is due of jobs that are paused or halted.
#include "library/held/held_jobs.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "core/record/register.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::library {
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

TEST(HeldJobs, OfAPauseThatEndsByItselfSayWhenItDoes) {
  const auto pause = pause_of("job").set("until", "2026-11-29T08:00:00.000Z");
  EXPECT_EQ(
      texts({job("trim", "host-1", "paused").set("pauses", std::vector{pause})}, nullptr),
      std::vector<std::string>{"job trim is paused since 2026-11-28T12:00:00.000Z, by host-1 uid 0: its slots are not "
                               "due until 2026-11-29T08:00:00Z, or `ballot resume trim`"});
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

/// A group's register that `ballot store` has halted, with a job of it that is paused.
StoredStates states_of_halt(const std::string& halted) {
  core::GroupRegister group;
  group.epoch = 1;
  group.node = "host-2";
  group.halted = halted;
  group.halted_at = midday;
  core::JobRegister known;
  known.paused = true;
  return StoredStates::of(
      {{core::group_register("batch"), core::to_text(group), 1}, {core::job_register("a"), core::to_text(known), 1}});
}

TEST(HeldJobs, OfANamespaceThatWasMovedAreNotSaidToWaitForARepair) {
  const StoredStates moved = states_of_halt("by ballot store: this namespace was moved to etcd");
  EXPECT_EQ(moved.of("a", "batch").word, "moved");
  EXPECT_EQ(moved.of("a", "batch").why, "this namespace was moved to etcd");
  EXPECT_EQ(moved.of("a", "batch").over("waiting for group batch"), "moved");
  const std::vector<io::Message> jobs{job("a", "", "active"), job("b", "", "active")};
  EXPECT_EQ(texts(jobs, &moved), std::vector<std::string>{"group batch is moved since 2026-11-28T12:00:00.000Z to "
                                                          "another store: no slot of it is due here"});
  const StoredStates moving = states_of_halt("by ballot store: an import into this namespace has not ended");
  EXPECT_EQ(moving.of("a", "batch").word, "moving");
  EXPECT_EQ(
      texts(jobs, &moving),
      std::vector<std::string>{"group batch is moving since 2026-11-28T12:00:00.000Z from one store to another: its "
                               "slots are not due until `ballot store export`, or `import`, has ended"});
  EXPECT_EQ(states_of_halt("the store has gone back").of("a", "batch").word, "halted");
}

TEST(StoredStates, SayOfEachJobThatItMovesWhileTheNamespaceIsHeld) {
  const core::MoveMark mark{
      *RunId::parse("0195798e-1f00-7abc-8def-000000000002"), midday, "root on db1", "etcd", "", 0, {}};
  const auto states = [&](std::string_view name) {
    return StoredStates::of({{std::string(name), core::to_text(mark), 1}});
  };
  const StoredState held = states(core::export_mark).of("a", "batch");
  EXPECT_EQ(held.word, "moving");
  EXPECT_EQ(held.why, "this namespace is being moved to another store");
  EXPECT_EQ(held.since, midday);
  EXPECT_EQ(held.over("active"), "moving");
  EXPECT_EQ(states(core::import_mark).of("a", "batch").why, "an import into this namespace has not ended");
  const StoredState moved = states(core::moved_mark).of("a", "batch");
  EXPECT_EQ(moved.word, "moved");
  EXPECT_EQ(moved.why, "this namespace was moved to etcd");
  EXPECT_EQ(states("s/identity").of("a", "batch").word, "active");
}

/// The node of the instance is away, and could not write that it goes on.
TEST(StoredStates, ShowNoPauseOfAllInstancesThatHasEnded) {
  core::JobRegister known;
  known.group = std::string("default@n2");
  known.paused = true;
  known.interventions.edit().standing_pause = RunId::parse("0195798e-1f00-7abc-8def-000000000002");
  const auto word = [&](const std::vector<Register>& others) {
    std::vector<Register> registers{{core::job_register("trim@n2"), core::to_text(known), 1}};
    registers.insert(registers.end(), others.begin(), others.end());
    return StoredStates::of(registers).of("trim@n2", "default@n2").word;
  };
  EXPECT_EQ(word({{core::pause_record("trim"), "", 1}}), "paused");
  EXPECT_EQ(word({}), "active");
  EXPECT_EQ(word({{core::pause_end_record("trim"), "", 1}}), "active");
  known.interventions.edit().own_pause = true;
  EXPECT_EQ(word({}), "paused");
}

/// Its node is away: its register has not followed the pause, or there is none.
TEST(StoredStates, ShowAPauseOfAllInstancesThatOneHasNotFollowedYet) {
  core::StandingPause pause{*RunId::parse("0195798e-1f00-7abc-8def-000000000002"), midday, "host-1 uid 0"};
  const Register of_all{core::pause_record("trim"), core::to_text(pause), 1};
  core::JobRegister known;
  known.group = std::string("default@n2");
  const auto state = [&](const std::vector<Register>& registers) {
    return StoredStates::of(registers).of("trim@n2", "default@n2");
  };
  for (const auto& registers :
       {std::vector{of_all}, std::vector{of_all, Register{core::job_register("trim@n2"), core::to_text(known), 1}}}) {
    EXPECT_EQ(state(registers).word, "paused");
    ASSERT_EQ(state(registers).pauses.size(), 1u);
    EXPECT_EQ(state(registers).pauses[0].by, "host-1 uid 0");
    EXPECT_EQ(state(registers).pauses[0].since, midday);
  }
  pause.terms = {midday + std::chrono::hours(1), "disks"};
  const Register with_end{core::pause_record("trim"), core::to_text(pause), 1};
  const auto at = [&](WallTime now) { return StoredStates::of({with_end}, now).of("trim@n2", "default@n2"); };
  EXPECT_EQ(at(midday).pauses.at(0).until, pause.terms.ends);
  EXPECT_EQ(at(midday).pauses.at(0).reason, "disks");
  EXPECT_EQ(at(*pause.terms.ends).word, "active") << "it is over, and none for one that has not followed it";
  known.interventions.edit().standing_pause = pause.id;
  EXPECT_EQ(state({of_all, {core::job_register("trim@n2"), core::to_text(known), 1}}).word, "active")
      << "it was resumed by itself";
  EXPECT_EQ(StoredStates::of({of_all}).of("trim", "default").word, "active") << "a job of no nodes";
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
}  // namespace ballot::library
