// One question has one answer: by the API and by a command, on each node.
#include "integration/fleet/ask_the_fleet.hpp"

namespace ballot::testing {
namespace {

using Texts = std::vector<std::string>;

/// Of JSON: the texts of that name.
Texts texts_in(const std::string& json, const std::string& name) {
  const std::regex text("\"" + name + R"re(":"((?:[^"\\]|\\.)*)")re");
  Texts all;
  for (auto at = std::sregex_iterator(json.begin(), json.end(), text); at != std::sregex_iterator(); ++at)
    all.push_back((*at)[1]);
  return all;
}
std::string first_in(const std::string& json, const std::string& name) {
  const Texts all = texts_in(json, name);
  return all.empty() ? "" : all.front();
}
WallTime now() { return WallTime(std::chrono::floor<Millis>(std::chrono::system_clock::now())); }

struct OneAnswer : AskTheFleet {
  void SetUp() override {
    if (!BallotDaemon::backend) GTEST_SKIP() << "the embedded backend is one host's: there is no fleet to ask";
    configure("n1", one), configure("n2", two), configure("n3", three);
  }
  const ReservedPort& port(const std::string& node) const { return node == "n1" ? one : node == "n2" ? two : three; }

  /// What the command and the API say on each node: the same everywhere, or "" until they do.
  std::string why_of(const std::string& job, const std::string& slot) {
    std::set<std::string> answers;
    for (const std::string node : {"n1", "n2", "n3"}) {
      const Ran command = fleet[node].ballot({"why", job, "--at", slot, "--format", "json"});
      for (const std::string& json : {command.out, by_api(port(node), "jobs/" + job + "/why?slot=" + slot)}) {
        answers.insert(first_in(json, "slot") + " " + first_in(json, "status") + ": " + first_in(json, "why"));
        last_answers += node + ": " + json + command.err + "\n";
      }
    }
    return answers.size() == 1 ? *answers.begin() : "";
  }
  /// The jobs of the slots to come, and which are named as unknown.
  std::set<std::string> next_of(const std::string& json) const {
    const Texts jobs = texts_in(json, "job");
    return {jobs.begin(), jobs.end()};
  }
  /// The slots of `ev` that each says, as seconds of 7.
  std::set<std::int64_t> phases() {
    std::set<std::int64_t> all;
    for (const std::string node : {"n1", "n2", "n3"})
      for (const std::string& json :
           {fleet[node].ballot({"next", "--job", "ev", "--for", "1m", "--format", "json"}).out,
            by_api(port(node), "next?job=ev&for_ms=60000")}) {
        const Texts slots = texts_in(json, "slot");
        EXPECT_GE(slots.size(), 8U) << node << ": " << json;
        for (const std::string& slot : slots)
          all.insert(std::chrono::duration_cast<std::chrono::seconds>(parse_wall(slot)->time_since_epoch()).count() %
                     7);
      }
    return all;
  }

  /// The last status and the state of the job, as each node says them by the command and by the API.
  std::set<std::string> said_of(const std::string& job) {
    std::set<std::string> answers;
    for (const std::string node : {"n1", "n2", "n3"})
      for (const std::string& json : {fleet[node].ballot({"jobs", job, "--format", "json"}).out,
                                      by_api(port(node), "jobs/" + job + "?scope=fleet")}) {
        answers.insert(first_in(json, "last_status") + " " + first_in(json, "state"));
        last_answers += node + ": " + json + "\n";
      }
    return answers;
  }

  std::string last_answers;
};

TEST_F(OneAnswer, WhatRunsAndWhatWaitsForIt) {
  fleet.job("skips", "schedule = \"* * * * * *\"\n" + fleet.oracle.command({"--for", "5m"}));
  fleet.job("waits", "schedule = \"* * * * * *\"\nconcurrency = \"queue\"\nqueue_limit = 1000\ngroup = \"other\"\n" +
                         fleet.oracle.command({"--for", "5m"}));
  fleet.start();
  const auto has = [&](const std::string& job, Status status) {
    for (const std::string node : {"n1", "n2", "n3"})
      for (const Row& row : fleet[node].rows(job))
        if (row.status == status) return true;
    return false;
  };
  ASSERT_TRUE(wait_until([&] { return has("skips", Status::skipped) && has("waits", Status::running); }));
  EXPECT_EQ(said_of("skips"), std::set<std::string>{"running active"}) << last_answers;
  const WallTime due = std::chrono::ceil<std::chrono::seconds>(now()) + std::chrono::seconds(1);
  ASSERT_TRUE(wait_until([&] { return now() > due + std::chrono::seconds(2); }));
  last_answers.clear();
  const std::string why = why_of("waits", format_slot(due));
  EXPECT_TRUE(contains(why, format_slot(due) + " queued: The slot is due and waits")) << last_answers;
  EXPECT_TRUE(contains(why, "It waits for run")) << last_answers;
}

/// By the leader's ledger while that answers, and by its successor's too once there is one.
TEST_F(OneAnswer, WhichDefinitionsOfAJobBeganAndOnWhichNodes) {
  const auto define = [&](const std::string& keys, const std::string& hushed = "hushed") {
    fleet.job("late", keys + "\nshell = \"true\"\nenv = { SECRET = \"" + hushed + "\" }");
  };
  const auto said = [&] {
    std::set<std::string> answers;
    for (const std::string node : {"n1", "n2", "n3"})
      for (const std::string& json :
           {fleet[node].ballot({"history", "--definitions", "--job", "late", "--format", "json"}).out,
            by_api(port(node), "history/definitions?job=late")}) {
        std::string all;
        for (const char* name : {"at", "change", "digest", "text"})
          for (const std::string& text : texts_in(json, name)) all += text + " ";
        answers.insert(all);
        last_answers += node + ": " + json + "\n";
      }
    return answers.size() == 1 ? *answers.begin() : "";
  };
  define("schedule = \"0 0 1 1 *\"");
  fleet.start();
  ASSERT_TRUE(wait_until([&] { return contains(said(), "added"); })) << last_answers;
  define("schedule = \"0 5 1 1 *\"\nretries = 2", "hushed too");
  ASSERT_TRUE(wait_until([&] { return contains(said(), "schedule: 0 0 1 1 * -> 0 5 1 1 *, retries: 0 -> 2, env "); }))
      << last_answers;
  const std::string leader = first_in(by_api(one, "jobs/late?scope=fleet"), "leader");
  fleet[leader].stop();
  const std::string other = leader == "n1" ? "n2" : "n1";
  std::string next;
  ASSERT_TRUE(wait_until([&] {
    next = first_in(by_api(port(other), "jobs/late?scope=fleet"), "leader");
    return !next.empty() && next != leader;
  }));
  const Ran without = fleet[other].ballot({"history", "--definitions", "--format", "json"});
  EXPECT_TRUE(contains(without.err, leader)) << "its ledger is not in the answer, and it is named: " << without.err;
  fleet[leader].start();
  ASSERT_TRUE(wait_until([&] {
    const std::string json = fleet[other].ballot({"history", "--definitions", "--format", "json"}).out;
    last_answers += json;
    return first_in(json, "nodes") == leader + ", " + next;
  })) << last_answers;
  EXPECT_FALSE(contains(last_answers, "hushed"));
}

/// The session of a process that is stopped lives on for a while, and so does the belief that it leads. A machine that
/// is slow for longer than that has shown nothing: then the next leader is stopped.
TEST_F(OneAnswer, OfASilentLeaderTheStateOfItsJobIsNotKnown) {
  fleet.job("late", "schedule = \"0 0 1 1 *\"\nshell = \"true\"");
  fleet.start();
  for (int stopped = 0; stopped < 5; ++stopped) {
    std::string leader;
    ASSERT_TRUE(wait_until([&] {
      leader = first_in(by_api(one, "jobs/late?scope=fleet"), "leader");
      return said_of("late") == std::set<std::string>{" active"};
    })) << last_answers;
    fleet[leader].kill();
    int asked = 0;
    for (const std::string node : {"n1", "n2", "n3"}) {
      if (node == leader) continue;
      const std::string command = fleet[node].ballot({"jobs", "late", "--format", "json"}).out;
      const std::string api = by_api(port(node), "jobs/late?scope=fleet");
      // Another node leads it soon.
      if (first_in(command, "leader") != leader || first_in(api, "leader") != leader) continue;
      EXPECT_EQ(first_in(command, "state"), "") << command;
      EXPECT_EQ(first_in(api, "state"), "") << api;
      ++asked;
    }
    if (asked > 0) return;
    fleet[leader].start();
    ASSERT_TRUE(fleet[leader].wait_for("session open")) << fleet[leader].log;
  }
  ADD_FAILURE() << "the session of each dead leader was over at once";
}

TEST_F(OneAnswer, WhyASlotThatIsNotRecordedIsSo) {
  fleet.job("tick", "schedule = \"* * * * * *\"\nshell = \"true\"");
  fleet.start();
  ASSERT_TRUE(wait_until([&] {
    return fleet["n1"].rows("tick").size() + fleet["n2"].rows("tick").size() + fleet["n3"].rows("tick").size() > 2;
  }));
  ASSERT_EQ(fleet["n2"].ballot({"pause", "tick"}).code, 0);
  const WallTime paused = now();
  ASSERT_TRUE(wait_until([&] { return now() > paused + std::chrono::seconds(4); }));
  const std::string slot = format_slot(std::chrono::ceil<std::chrono::seconds>(paused) + std::chrono::seconds(2));
  const std::string why = why_of("tick", slot);
  EXPECT_TRUE(contains(why, slot + " not recorded: The job is paused since 2")) << last_answers;
  EXPECT_TRUE(contains(why, "by n2 uid ")) << last_answers;
  const std::string later = by_api(three, "jobs/tick/why?slot=2099-01-01T00:00:00Z");
  EXPECT_TRUE(contains(later, "\"status\":\"to come\"") && contains(later, "\"rows\":[]")) << later;
  EXPECT_TRUE(contains(by_api(three, "jobs/tikc/why"), "no job tikc is loaded here")) << by_api(three, "jobs/tikc/why");
}

TEST_F(OneAnswer, WhatIsNextOfJobsThatArePausedAndOfWhatCountsFromARegister) {
  fleet.job("held", "schedule = \"*/5 * * * * *\"\nshell = \"true\"");
  fleet.job("grouped", "schedule = \"*/5 * * * * *\"\nshell = \"true\"\ngroup = \"own\"");
  fleet.job("due", "schedule = \"*/5 * * * * *\"\nshell = \"true\"");
  fleet.job("ev", "schedule = \"@every 7s\"\nshell = \"true\"\ngroup = \"third\"");
  fleet.job("again", "shell = \"exit 3\"\nretries = 2\nretry_delay = \"10m\"");
  fleet.start();
  ASSERT_TRUE(wait_until([&] {
    return fleet["n1"].rows("ev").size() + fleet["n2"].rows("ev").size() + fleet["n3"].rows("ev").size() > 1;
  }));
  EXPECT_EQ(phases().size(), 1U);
  const auto phase = phases();
  const RunId run = new_id();
  ASSERT_EQ(trigger(two, "again", run).status, 201);
  ASSERT_TRUE(wait_until([&] { return contains(by_api(two, "runs/" + run.text()), R"("status":"queued")"); }));
  ASSERT_EQ(fleet["n1"].ballot({"pause", "held"}).code, 0);
  ASSERT_EQ(fleet["n1"].ballot({"pause", "--group", "own"}).code, 0);
  const std::set<std::string> expected{"due", "ev", "again"};
  for (const std::string node : {"n1", "n2", "n3"}) {
    EXPECT_EQ(next_of(fleet[node].ballot({"next", "--for", "20m", "--format", "json"}).out), expected) << node;
    EXPECT_EQ(next_of(by_api(port(node), "next?for_ms=1200000&limit=1000")), expected) << node;
    const std::string load = by_api(port(node), "load");
    EXPECT_FALSE(contains(load, "held") || contains(load, "grouped")) << node << load;
  }
  ASSERT_EQ(fleet["n3"].ballot({"pause", "again"}).code, 0);
  for (const std::string node : {"n1", "n2", "n3"}) {
    EXPECT_FALSE(contains(fleet[node].ballot({"next", "--for", "20m"}).err, "waits for attempt")) << node;
    EXPECT_TRUE(contains(by_api(port(node), "next?for_ms=1200000"), R"("attempts":[])")) << node;
  }
  fleet["n3"].kill();
  fleet["n3"].start();
  ASSERT_TRUE(wait_until([&] { return fleet["n3"].ballot({"status"}).code == 0; }));
  EXPECT_EQ(phases(), phase);
}

TEST_F(OneAnswer, NextNamesNodesThatAreGone) {
  fleet.job("due", "schedule = \"*/5 * * * * *\"\nshell = \"true\"");
  fleet.start();
  fleet["n1"].kill();
  ASSERT_TRUE(wait_until([&] { return contains(fleet["n3"].ballot({"nodes"}).out, "gone"); }));
  const Ran next = fleet["n3"].ballot({"next", "--for", "10s"});
  EXPECT_TRUE(contains(next.err, "node n1 has not answered")) << next.err;
  EXPECT_TRUE(contains(by_api(two, "next?for_ms=10000"), R"("node":"n1","state":"gone")")) << by_api(two, "next");
}

}  // namespace
}  // namespace ballot::testing
