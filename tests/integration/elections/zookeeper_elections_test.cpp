// `ballot run` on a real ZooKeeper server: who leads next and how long a hand-over takes, policies, signals, and a
// backend that is not there.
#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

#include "integration/elections/cron_candidates.hpp"
#include "integration/elections/zookeeper_elections.hpp"

namespace ballot::testing {
namespace {

struct RunOnZookeeper : ElectionsOnZookeeper {
  /// Two candidates of a group of their own: the second one waits while the first one's child runs.
  struct Pair {
    Pair(const ZookeeperPlace& place, const std::string& number, const std::string& run)
        : folder(place.config(2s)),
          first(folder, in_group(number, "a", folder.saying("sleep " + run))),
          group(number),
          length(run) {}

    static Arguments in_group(const std::string& number, const std::string& name, const std::string& script) {
      return once(name + number, {"--group", "g" + number, "--on-child-success", "exit", "--log-level", "debug"},
                  shell(script));
    }
    void second_waits() {
      second = std::make_unique<CandidateProcess>(folder, in_group(group, "b", folder.saying("true")));
      ASSERT_TRUE(second->wait_for("campaigns"));
    }
    void expect_quick_hand_over() {
      ASSERT_TRUE(folder.wait_until_said("END", 2));
      const Millis taken = since(Millis(time_of(folder.said("END")[0])), folder.said("START")[1]);
      report("hand-over after a run of " + length + " s", taken);
      EXPECT_LE(taken, 1s) << length;
      EXPECT_EQ(first.wait(), 0);
      EXPECT_EQ(second->wait(), 0);
      EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
    }

    ElectionFolder folder;
    CandidateProcess first;
    std::unique_ptr<CandidateProcess> second;
    const std::string group, length;
  };
};

/// T is 2 s: a run that ends before the first renewal, one beyond it, and one of ten T.
TEST_F(RunOnZookeeper, HandsOverWithinASecondHoweverLongItsRunWas) {
  std::deque<Pair> pairs;
  for (const char* length : {"1", "3", "8"}) pairs.emplace_back(place, std::to_string(pairs.size()), length);
  for (Pair& pair : pairs) ASSERT_TRUE(pair.folder.wait_until_said("START"));
  for (Pair& pair : pairs) pair.second_waits();
  for (Pair& pair : pairs) pair.expect_quick_hand_over();
}

TEST_F(RunOnZookeeper, FiveCandidatesTakeTurnsAndNeverRunTogether) {
  std::deque<CandidateProcess> all;
  for (const char* name : {"a", "b", "c", "d", "e"})
    all.emplace_back(folder, once(name, {"--on-child-success", "reelect", "--on-election-failure", "run-anyway"},
                                  shell(folder.saying("sleep 0.1"))));
  ASSERT_TRUE(folder.wait_until_said("END", 25));
  for (CandidateProcess& one : all) one.send(SIGTERM);
  for (CandidateProcess& one : all) one.wait();
  expect_no_overlap();
  std::set<std::string> leaders;
  for (std::size_t n = 15; n < 25; ++n) leaders.insert(field(start_of(n), 3));
  EXPECT_EQ(leaders.size(), 5u) << "the queue goes round";
  for (std::size_t n = 1; n < 25; ++n)
    EXPECT_GT(std::stoull(field(start_of(n), 4)), std::stoull(field(start_of(n - 1), 4))) << "a term each";
  for (const CandidateProcess& one : all)
    EXPECT_EQ(one.count("election failed") + one.count("unelected"), 0u) << "a lost race is no failure";
  EXPECT_TRUE(nothing_is_left_of({"a", "b", "c", "d", "e"}));
}

TEST_F(RunOnZookeeper, AResignationThatIsNotConfirmedIsNoSuccess) {
  TcpRelay relay(place.server().port());
  CandidateProcess a(folder,
                     once("a", place.through(relay, {"--on-child-success", "exit"}), shell(until_ended("a-may-end"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(until_ended())));
  ASSERT_TRUE(campaigns(b));
  relay.cut();
  folder.folder.write("a-may-end", "");
  EXPECT_EQ(a.wait(), 69);
  ASSERT_TRUE(folder.wait_until_said("START", 2)) << "when the lease is over";
  expect_no_overlap();
}

TEST_F(RunOnZookeeper, AResignationToAServerThatIsDownIsNoSuccess) {
  CandidateProcess a(folder, once("a", {"--on-child-success", "exit"}, shell(until_ended("a-may-end"))));
  ASSERT_TRUE(folder.wait_until_said("START"));
  place.server().kill();
  folder.folder.write("a-may-end", "");
  EXPECT_EQ(a.wait(), 69);
}

TEST_F(RunOnZookeeper, PassesASignalOnAndResignsSoThatTheNextOneStartsAtOnce) {
  CandidateProcess a(folder, once("a", {}, shell("trap 'exit 3' TERM; " + until_ended())));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, once("b", {"--log-level", "debug"}, shell(until_ended())));
  ASSERT_TRUE(campaigns(b));
  const Millis asked = wall_now();
  EXPECT_EQ(a.stop(SIGTERM), 3);
  ASSERT_TRUE(folder.wait_until_said("START", 2));
  report("from TERM to the next child", since(asked, start_of(1)));
  EXPECT_LE(since(asked, start_of(1)), 1s);
  CandidateProcess c(folder, once("c", {"--log-level", "debug"}, shell(until_ended())));
  ASSERT_TRUE(campaigns(c));
  EXPECT_EQ(c.stop(SIGTERM), 143) << "it follows";
  EXPECT_EQ(place.queue("default").size(), 1u);
  EXPECT_FALSE(place.has_session("c"));
  EXPECT_EQ(folder.said("START").size(), 2u);
  expect_no_overlap();
}

TEST_F(RunOnZookeeper, LeavesNoChildAndNoNodeBehindWhicheverSignalEndsIt) {
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT}) {
    folder.folder.write("said", "");
    CandidateProcess a(folder, once("a", {}, shell(until_ended())));
    ASSERT_TRUE(folder.wait_until_said("START"));
    EXPECT_EQ(a.stop(signal), 128 + signal);
    EXPECT_TRUE(is_gone(pid_of(start_of(0)))) << signal;
    EXPECT_TRUE(place.queue("default").empty()) << signal;
    EXPECT_FALSE(place.has_session("a")) << signal;
  }
}

TEST_F(RunOnZookeeper, OneHostMayTakePartInSeveralElectionsUnderItsOwnName) {
  const auto in = [&](const std::string& group) {
    Arguments arguments = once("", {"--group", group}, shell(until_ended()));
    const auto id = std::find(arguments.begin(), arguments.end(), "--candidate-id");
    if (id != arguments.end()) arguments.erase(id, id + 2);
    return arguments;
  };
  CandidateProcess a(folder, in("a"));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess b(folder, in("b"));
  EXPECT_TRUE(folder.wait_until_said("START", 2));
  EXPECT_EQ(place.members().size(), 2u);
  for (CandidateProcess* one : {&a, &b}) EXPECT_EQ(one->stop(SIGINT), 130);
  EXPECT_TRUE(place.members().empty()) << place.members().front();
}

TEST_F(RunOnZookeeper, LeavesNothingBehindOfCandidatesThatNeverComeBack) {
  for (int i = 0; i < 5; ++i) {
    CandidateProcess a(folder, once("pid-" + std::to_string(i), {"--on-child-success", "exit"}, shell("true")));
    EXPECT_EQ(a.wait(), 0);
  }
  EXPECT_TRUE(place.members().empty()) << place.members().size() << " are left";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.folder.path()))
    files += entry.path().extension() == ".session";
  EXPECT_EQ(files, 0u);
}

TEST_F(RunOnZookeeper, GivesUpWhereItDoesNotLeadInTime) {
  CandidateProcess a(folder, once("a", {}, shell(until_ended())));
  ASSERT_TRUE(folder.wait_until_said("START"));
  CandidateProcess follows(folder, once("b", {"--max-wait", "1s"}, shell(folder.saying("true"))));
  const ReservedPort nobodys;
  TcpRelay nowhere(nobodys.number());
  CandidateProcess finds_nobody(folder, once("c", place.through(nowhere, {"--max-wait", "1s"}), shell("true")));
  EXPECT_EQ(follows.wait(), 75);
  EXPECT_EQ(finds_nobody.wait(), 75);
  EXPECT_EQ(folder.said("START").size(), 1u);
  EXPECT_EQ(place.queue("default").size(), 1u);
}

struct RunWithoutZookeeper : RunOnZookeeper {
  Arguments once_with(const Arguments& flags) const {
    return once("a", place.through(relay, flags), shell(folder.saying("true")));
  }
  const ReservedPort nobodys;
  TcpRelay relay{nobodys.number()};  // leads nowhere
};

TEST_F(RunWithoutZookeeper, ExitsWhereItIsAskedTo) {
  CandidateProcess a(folder, once_with({"--on-election-failure", "exit"}));
  EXPECT_EQ(a.wait(), 75);
  EXPECT_EQ(folder.said("START").size(), 0u);
  EXPECT_EQ(a.count("no server"), 1u) << a.log();
}

TEST_F(RunWithoutZookeeper, LeadsOnceTheServerIsThere) {
  CandidateProcess a(folder, once_with({"--on-child-success", "exit"}));
  ASSERT_TRUE(a.wait_for("election failed"));
  EXPECT_EQ(folder.said("START").size(), 0u);
  relay.lead_to(place.server().port());
  EXPECT_EQ(a.wait(), 0);
  EXPECT_EQ(a.count("the backend is back"), 1u);
  EXPECT_EQ(a.count("unelected"), 0u);
}

TEST_F(RunWithoutZookeeper, RunsAnywayAndIsElectedOnceTheServerIsThere) {
  CandidateProcess a(folder, once_with({"--on-election-failure", "run-anyway", "--on-child-success", "reelect"}));
  ASSERT_TRUE(folder.wait_until_said("END", 2));
  EXPECT_EQ(field(start_of(0), 4), "-") << "no epoch";
  EXPECT_GE(a.count("unelected"), 2u);
  relay.lead_to(place.server().port());
  ASSERT_TRUE(wait_until([&] { return field(folder.said("START").back(), 4) != "-"; }));
  EXPECT_TRUE(a.stops_between_runs(SIGTERM));
  EXPECT_TRUE(nothing_is_left_of({"a"}));
}

TEST_F(CronOnZookeeper, HasFiveCandidatesTakeTurnsWithoutLosingOrDoublingATick) { expect_turns(10, 60s); }

}  // namespace
}  // namespace ballot::testing
