// Somebody who may write to the store writes what no node would: nothing of it ends a node, what cannot be understood
// halts its job or its group alone and says so, and a repair brings it back.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "core/record/register.hpp"
#include "core/request/request.hpp"
#include "support/sim/core_views.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

struct HostileStore : ::testing::Test {
  SimWorld world;
  SimNode& a = world.add("a");
  SimNode& b = world.add("b");

  void start(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      Job job = minutely(name);
      if (name == "frequent") job.schedule = {"*/10 * * * * *"};
      a.jobs.push_back(define(job));
    }
    b.jobs = a.jobs;
    a.start();
    world.run_for(1s);
    b.start();
    world.run_for(3min + 10s);
  }

  std::string text_of(const std::string& job) const { return world.store.contents().registers.at("j/" + job).value; }

  ShownJob view(SimNode& node, const std::string& job) const {
    for (const ShownJob& one : jobs_of(node))
      if (one.name == job) return one;
    return {};
  }

  /// The line of `key` with other words.
  static std::string with(const std::string& text, const std::string& key, const std::string& words) {
    const std::size_t at = text.find("\n" + key + " ") + 1;
    return text.substr(0, at) + key + " " + words + text.substr(text.find('\n', at));
  }

  bool both_live() const { return a.running() && b.running(); }

  void repair(const std::string& job) {
    const std::size_t replies = a.replies.size();
    a.ask(core::Request::Kind::repair, job);
    world.run_for(10s);
    ASSERT_GT(a.replies.size(), replies);
    EXPECT_TRUE(a.replies.back().ok) << a.replies.back().text;
  }
};

std::vector<std::string> hostile_words() {
  return {"",
          "18446744073709551615",
          "9223372036854775808",
          "4611686018427387905",
          "-1",
          "nan",
          "1e308",
          "0000-01-01T00:00:00Z",
          "yesterday",
          std::string("a\033[2Jb"),
          std::string(7000, 'x')};
}

/// Each line of a job's register in turn, with each value, under the leader, which has a run going on and one waiting.
TEST_F(HostileStore, ARegisterThatNoNodeWroteHaltsItsJobAloneAndIsRepaired) {
  start({"victim", "other"});
  a.takes["victim"] = b.takes["victim"] = 5s;
  int tried = 0;
  for (const std::string key : {"group", "epoch", "since", "cursor", "fence", "run", "settled"})
    for (const std::string& words : hostile_words()) {
      SCOPED_TRACE(key + " " + words.substr(0, 40));
      const std::string good = text_of("victim");
      std::string bad = good + key + " " + words + "\n";
      if (good.find("\n" + key + " ") != std::string::npos) bad = with(good, key, words);
      if (core::parse_job_register(bad)) continue;  // a group of that name may be
      ++tried;
      world.store.forge("j/victim", bad);
      const std::size_t others = world.starts_of("other");
      world.run_for(2min);
      ASSERT_TRUE(both_live());
      SimNode& leader = a.leads("default") ? a : b;
      EXPECT_EQ(view(leader, "victim").state, "halted");
      EXPECT_NE(view(leader, "victim").trouble.find("unreadable"), std::string::npos);
      EXPECT_EQ(view(leader, "other").state, "active");
      EXPECT_EQ(world.starts_of("other"), others + 2);
      const std::size_t before = world.starts_of("victim");
      repair("victim");
      world.run_for(2min);
      EXPECT_EQ(view(leader, "victim").state, "active") << view(leader, "victim").trouble;
      EXPECT_GE(world.starts_of("victim"), before + 1);
    }
  EXPECT_GE(tried, 65);
}

/// Nothing of it is unreadable: it is believed, and reckoned with.
struct ExtremeRegister : HostileStore, ::testing::WithParamInterface<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(, ExtremeRegister,
                         ::testing::Values(std::pair("fence", "4611686018427387904"),
                                           std::pair("epoch", "4611686018427387904"),
                                           std::pair("since", "9999-12-31T23:59:59Z"),
                                           std::pair("cursor", "2027-01-01T00:00:00Z"), std::pair("group", "nowhere")),
                         [](const auto& instance) { return std::string(instance.param.first); });

TEST_P(ExtremeRegister, EndsNobodyAndHoldsUpNoOtherJob) {
  start({"victim", "other"});
  const auto& [key, words] = GetParam();
  world.store.forge("j/victim", with(text_of("victim"), key, words));
  const std::size_t others = world.starts_of("other");
  world.run_for(5min);
  world.store.depose("default", Cause::superseded);
  world.run_for(5min);
  ASSERT_TRUE(both_live());
  EXPECT_GE(world.starts_of("other"), others + 9);
}

TEST_F(HostileStore, AFenceThatIsUsedUpIsBroughtBackByARepair) {
  start({"victim"});
  world.store.forge("j/victim", with(text_of("victim"), "fence", "4611686018427387904"));
  world.run_for(3min);  // the last claim that can be counted
  SimNode& leader = a.leads("default") ? a : b;
  world.store.depose("default", Cause::superseded);
  world.run_for(3min);
  SimNode& next = a.leads("default") ? a : b;
  EXPECT_NE(&leader, &next);
  EXPECT_EQ(view(next, "victim").state, "halted");
  repair("victim");
  const std::size_t before = world.starts_of("victim");
  world.run_for(3min);
  EXPECT_EQ(view(next, "victim").state, "active") << view(next, "victim").trouble;
  EXPECT_GE(world.starts_of("victim"), before + 2);
  EXPECT_TRUE(core::parse_job_register(text_of("victim")));
}

/// Registers of runs that were never there, of this node and of others.
TEST_F(HostileStore, RunsThatWereNeverThereAreLostOrWaitedForAndEndNobody) {
  start({"victim", "other"});
  core::JobRegister r = *core::parse_job_register(text_of("victim"));
  r.runs.clear();
  Random random(7);
  for (int i = 0; i < 16; ++i) {
    core::OpenRun run;
    run.id = random.run_id(world.wall());
    run.slot = world.wall() - std::chrono::hours(i);
    run.attempt = i % 2 == 0 ? 1 : 9'999'999;
    run.fence = r.fence;
    run.epoch = r.epoch;
    run.node = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "nobody";
    run.on_leadership_lost = i % 2 == 0 ? OnLeadershipLost::terminate : OnLeadershipLost::finish;
    run.kill_grace = run.lost_after = std::chrono::hours(24 * 365 * 100);
    run.at_least_once = i % 4 == 0;
    run.retries = 3;
    run.retry_delay = run.retry_max_delay = std::chrono::hours(24 * 365 * 100);
    run.retry_backoff = 1000;
    r.runs.push_back(run);
  }
  world.store.forge("j/victim", to_text(r));
  world.run_for(30min);
  ASSERT_TRUE(both_live());
  world.store.depose("default", Cause::superseded);
  world.run_for(30min);
  ASSERT_TRUE(both_live());
  EXPECT_GE(world.starts_of("other"), 55u);
}

/// Every kind of thing in the store at once, and again and again, for an hour.
TEST_F(HostileStore, TheWorldGoesOnForAnHourWhileEverythingIsForged) {
  start({"one", "two", "three", "frequent"});
  Random random(3);
  const auto hostile = hostile_words();
  const auto mangle = [&](std::string text) {
    const std::size_t at = random.below(text.size());
    const std::size_t end = std::min(text.find_first_of(" \n=", at), text.size());
    return text.replace(at, end - at, hostile[random.below(hostile.size())]);
  };
  for (int i = 0; i < 600; ++i) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, stored] : world.store.contents().registers) all.emplace_back(name, stored.value);
    for (const auto& [name, stored] : world.store.contents().records) all.emplace_back(name, stored.value);
    const auto& [name, value] = all[random.below(all.size())];
    if (name != "j/three" && name != "g/default") world.store.forge(name, mangle(value));
    const RunId id = random.run_id(world.wall());
    core::Request request;
    request.kind = static_cast<core::Request::Kind>(random.below(9));
    request.id = id;
    request.job = request.kind == core::Request::Kind::evict ? "" : "two";
    request.group = request.kind == core::Request::Kind::release ? "default" : "";
    request.run = random.run_id(world.wall());
    request.until = world.wall() + 30s;
    if (i % 5 == 0) world.store.forge(core::request_record(id), mangle(to_text(request)));
    if (i % 7 == 0) world.store.forge("j/" + std::string(i % 2 == 0 ? "../x" : ""), "ballot 1\n");
    world.run_for(6s);
    ASSERT_TRUE(both_live()) << "after " << name;
  }
  EXPECT_GE(world.starts_of("three"), 58u) << "what nobody forged goes on";
  world.store.depose("default", Cause::superseded);  // whoever leads next has read what is there now
  world.run_for(10s);
  for (const char* job : {"one", "two", "frequent"}) repair(job);
  const std::size_t before = world.starts_of("frequent");
  world.run_for(5min);
  SimNode& leader = a.leads("default") ? a : b;
  for (const ShownJob& job : jobs_of(leader)) EXPECT_NE(job.state, "halted") << job.name << ": " << job.trouble;
  EXPECT_GE(world.starts_of("frequent"), before + 20);
}

TEST_F(HostileStore, AGroupsRegisterThatNoNodeWroteHaltsTheGroupUntilItIsRepaired) {
  start({"victim"});
  world.store.forge("g/default", "ballot 1\nepoch 18446744073709551615\n");
  world.store.depose("default", Cause::superseded);
  world.run_for(2min);
  ASSERT_TRUE(both_live());
  SimNode& leader = a.leads("default") ? a : b;
  EXPECT_NE(groups_of(leader)[0].halted.find("unreadable"), std::string::npos);
  core::Request request;
  request.kind = core::Request::Kind::repair;
  request.group = "default";
  a.ask(request);
  world.run_for(10s);
  const std::size_t before = world.starts_of("victim");
  world.run_for(3min);
  EXPECT_EQ(groups_of(leader)[0].halted, "");
  EXPECT_GE(world.starts_of("victim"), before + 2);
}

TEST_F(HostileStore, AGroupsRegisterOfANewerNodeIsNotWritten) {
  start({"victim"});
  const std::string newer = "ballot 2\nepoch 7 of another kind\n";
  world.store.forge("g/default", newer);
  world.store.depose("default", Cause::superseded);
  world.run_for(2min);
  SimNode& leader = a.leads("default") ? a : b;
  EXPECT_NE(groups_of(leader)[0].halted.find("newer format"), std::string::npos);
  core::Request request;
  request.kind = core::Request::Kind::repair;
  request.group = "default";
  a.ask(request);
  world.run_for(10s);
  ASSERT_FALSE(a.replies.empty());
  EXPECT_FALSE(a.replies.back().ok);
  EXPECT_EQ(world.store.contents().registers.at("g/default").value, newer);
}

/// The end of a run is believed of whoever publishes it; what the run was, and what it was due for, is not.
TEST_F(HostileStore, AnOutcomeThatTellsOfAnotherSlotEndsTheRunThatIsOpen) {
  start({"victim"});
  SimNode& leader = a.leads("default") ? a : b;
  SimNode& other = a.leads("default") ? b : a;
  leader.takes["victim"] = 10min;
  world.run_for(1min);
  const core::JobRegister r = *core::parse_job_register(text_of("victim"));
  ASSERT_EQ(r.runs.size(), 1u);
  const core::OpenRun& open = r.runs[0];
  leader.crash();
  world.store.forge("o/" + open.id.text() + "." + std::to_string(open.attempt),
                    "ballot 1\nrun " + open.id.text() + "\nattempt 1\njob victim\ngroup other\n" +
                        "slot 1999-01-01T00:00:00Z\ntrigger rerun\nnode mallory\nepoch 1\nfence 999999\n" +
                        "status succeeded\nexit_code 0\n");
  world.run_for(1min);
  const Row* row = other.row("victim", open.slot);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->status, Status::succeeded);
  EXPECT_EQ(row->group, "default");
  EXPECT_EQ(row->fence, open.fence);
  EXPECT_EQ(row->trigger, open.trigger);
}

/// A run of a dead term is waited for no longer than a term can last.
TEST(HostileDeadline, OfADeadTermIsNotBelievedBeyondTheSessionTimeout) {
  SimWorld world(1, {.death_frees = true, .forged_deadlines = std::chrono::hours(24 * 365 * 200)});
  SimNode& a = world.add("a");
  SimNode& b = world.add("b", a.machine);
  a.jobs = b.jobs = {define(minutely("long"))};
  a.takes["long"] = 90s;
  a.start();
  world.run_for(100ms);
  b.start();
  world.run_for(1min + 58s);
  ASSERT_EQ(a.open_children(), 1);
  a.crash();
  world.run_for(3min);
  EXPECT_TRUE(b.leads("default"));
  EXPECT_GE(world.starts_of("long"), 2u);
  EXPECT_EQ(world.broken_promises(), "");
}

}  // namespace
}  // namespace ballot
