// Pauses with an end: they end by themselves, over whatever happens to whoever leads, and the slots after that are due.
#include "base/wall_text.hpp"
#include "sim/requests.hpp"
#include "support/sim/core_views.hpp"

namespace ballot {
namespace {

struct PauseWithAnEnd : Requests {
  WallTime ends{};

  static core::Request pause_until(WallTime at, const std::string& job, const std::string& group = {}) {
    core::Request request;
    request.kind = Kind::pause;
    request.job = job;
    request.group = group;
    request.terms = {at, "disks are changed"};
    request.by = "b uid 7";
    return request;
  }
  core::Reply ask(SimNode& node, const core::Request& request) {
    node.replies.clear();
    node.ask(request);
    return wait_for_reply(node) ? node.replies[0] : core::Reply{};
  }
  /// Half a minute past a full one.
  void pause(const std::string& job, const std::string& group = {}, Millis lasts = 3min) {
    ends = world.wall() + lasts;
    const auto reply = ask(b, pause_until(ends, job, group));
    ASSERT_TRUE(reply.ok) << reply.text;
    EXPECT_EQ(reply.text, (group.empty() ? "job " + job : "group " + group) + " is paused until " +
                              format_millis(ends) + ": disks are changed");
  }
  void resume(const std::string& job) {
    core::Request request;
    request.kind = Kind::resume;
    request.job = job;
    EXPECT_TRUE(ask(b, request).ok);
  }
  static bool is_known(const SimNode& node, const std::string& job, WallTime slot, Reason reason) {
    const auto rows = node.rows();
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.job == job && row.slot <= slot && slot <= row.slot_until.value_or(row.slot) && row.reason == reason;
    });
  }
  /// The slots up to the end are skipped, by the one or the other; those after it are not.
  void expect_paused_until_its_end(const std::string& job, WallTime since) {
    for (WallTime slot = since; slot < world.wall() - 1min; slot += 1min) {
      const bool skipped = is_known(a, job, slot, Reason::paused) || is_known(b, job, slot, Reason::paused);
      EXPECT_EQ(skipped, slot <= ends) << job << " at " << format_slot(slot);
    }
  }
  WallTime next_minute() const { return ceil<std::chrono::minutes>(world.wall()); }
  std::size_t starts_after(const std::string& job, WallTime at) const {
    return static_cast<std::size_t>(std::count_if(world.starts.begin(), world.starts.end(), [&](const Start& start) {
      return start.job == job && start.slot > at;
    }));
  }
};

TEST_F(PauseWithAnEnd, ShowsTheFirstSlotAfterItsEndAsTheNextOne) {
  pause("one");
  pause("", "default", 2min);
  const auto one = jobs_of(a)[0];
  EXPECT_EQ(one.state, "paused");
  EXPECT_EQ(one.next, floor<std::chrono::minutes>(ends + 1min) + 1min) << "the later end is the job's own";
  EXPECT_EQ(jobs_of(a)[1].next, floor<std::chrono::minutes>(ends) + 1min);
}

TEST_F(PauseWithAnEnd, EndsByItselfAndTheSlotsAfterItAreDue) {
  const WallTime since = next_minute();
  pause("one");
  world.run_for(6min);
  expect_paused_until_its_end("one", since);
  EXPECT_EQ(starts_after("one", ends), 3u) << "in time";
  EXPECT_EQ(starts_after("two", since - 1ms), 6u);
  expect_accounted();
}

TEST_F(PauseWithAnEnd, OfAGroupEndsForAllOfItsJobs) {
  const WallTime since = next_minute();
  pause("", "default");
  world.run_for(6min);
  for (const char* job : {"one", "two"}) {
    expect_paused_until_its_end(job, since);
    EXPECT_EQ(starts_after(job, ends), 3u) << job;
  }
  expect_accounted();
}

TEST_F(PauseWithAnEnd, EndsWithWhoeverLeadsThen) {
  const WallTime since = next_minute();
  pause("one");
  world.run_for(1min);
  a.crash();
  world.run_for(5min);
  expect_paused_until_its_end("one", since);
  EXPECT_EQ(starts_after("one", ends), 3u);
  expect_accounted();
}

/// No term settles the slots of a pause that a later one brings about: it ends then, whoever takes it over how late.
TEST_F(PauseWithAnEnd, EndsAtItsEndWhereNobodyLedThenAndNotLater) {
  Job catches_up = job("one"), too = job("two");
  catches_up.misfire = too.misfire = Misfire::all;
  catches_up.start_deadline = too.start_deadline = 1h;
  for (SimNode* node : {&a, &b}) node->jobs = {define(catches_up), define(too)}, node->load();
  world.run_for(2min);
  const WallTime since = next_minute();
  pause("one", "", 4min);
  ASSERT_TRUE(ask(b, pause_until(ends, "", "default")).ok);
  a.crash(), b.crash();
  world.run_for(8min);
  a.start(), b.start();
  world.run_for(3min);
  for (const char* job : {"one", "two"}) {
    expect_paused_until_its_end(job, since);
    EXPECT_EQ(starts_after(job, ends), 7u) << job << ": each of them is caught up";
  }
  expect_accounted();
}

TEST_F(PauseWithAnEnd, IsResumedBeforeItAsEver) {
  pause("one", "", 1h);
  world.run_for(2min);
  resume("one");
  const WallTime resumed = world.wall();
  world.run_for(2min);
  EXPECT_EQ(starts_after("one", resumed), 2u);
  pause("one", "", 30s);
  world.run_for(3min);
  EXPECT_EQ(starts_after("one", ends), 2u);
  expect_accounted();
}

TEST_F(PauseWithAnEnd, GetsAnotherOneByASecondPause) {
  for (const std::string group : {"", "default"}) {
    const std::string job = group.empty() ? "one" : "", what = group.empty() ? "job one" : "group default";
    pause(job, group);
    const WallTime first = ends;
    ends += 2min;
    const auto reply = ask(b, pause_until(ends, job, group));
    EXPECT_TRUE(reply.ok);
    EXPECT_TRUE(reply.text.starts_with(what + " was paused already since 2026-01-0")) << reply.text;
    EXPECT_NE(reply.text.find(", by b uid 7, until " + format_millis(first) + ": disks are changed; now until " +
                              format_millis(ends) + ": disks are changed"),
              std::string::npos)
        << reply.text;
    EXPECT_EQ(ask(b, pause_until(ends, job, group)).text.find("already"), std::string::npos) << "it has it";
    world.run_for(4min);
    EXPECT_EQ(starts_after("one", first), 0u);
    world.run_for(3min);
    EXPECT_EQ(starts_after("one", ends), 2u);
  }
  expect_accounted();
}

TEST_F(PauseWithAnEnd, HasNoneAfterAPauseWithoutOne) {
  pause("one", "", 1min);
  core::Request request;
  request.kind = Kind::pause;
  request.job = "one";
  const auto reply = ask(b, request);
  EXPECT_TRUE(reply.text.ends_with("; now without an end")) << reply.text;
  world.run_for(4min);
  EXPECT_EQ(starts_after("one", ends), 0u);
  EXPECT_EQ(jobs_of(a)[0].state, "paused");
  resume("one");
  expect_accounted();
}

TEST_F(PauseWithAnEnd, IsRefusedWhereThatIsPast) {
  const auto reply = ask(b, pause_until(world.wall() - 1s, "one"));
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.code, Errc::invalid);
  EXPECT_NE(reply.text.find("is past"), std::string::npos) << reply.text;
  EXPECT_EQ(jobs_of(a)[0].state, "active");
}

TEST_F(PauseWithAnEnd, EndsByTheWallClock) {
  pause("one", "", 2h);
  ASSERT_TRUE(ask(b, pause_until(ends, "", "default")).ok);
  world.run_for(3min);
  EXPECT_EQ(starts_after("one", ends), 0u);
  world.step_clock(a.machine, 3h);
  world.step_clock(b.machine, 3h);
  world.run_for(4min);
  EXPECT_GE(starts_after("one", ends), 2u);
  EXPECT_GE(starts_after("two", ends), 2u);
}

/// It is begun after the end of the one before, which comes by itself first.
TEST_F(PauseWithAnEnd, IsOverWhenTheNextBegins) {
  pause("", "default", 1min);
  a.link.cut = b.link.cut = true;
  world.run_for(2s);
  a.link.cut = b.link.cut = false;
  world.run_for(1min);
  pause("", "default", 2min);
  const WallTime until = ends;
  world.run_for(5min);
  EXPECT_EQ(starts_after("one", until), 3u);
  expect_accounted();
}

}  // namespace
}  // namespace ballot
