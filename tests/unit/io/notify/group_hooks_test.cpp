#include "io/notify/group_hooks.hpp"

#include <gtest/gtest.h>

#include "unit/io/notify/told.hpp"

namespace ballot::io {
namespace {

using testing::PaperRunner;
using testing::value_of;

struct GroupHooksTest : ::testing::Test {
  GroupHooksTest() {
    Group group;
    group.name = "db";
    group.on_promote = {"promote"};
    group.on_demote = {"demote"};
    hooks.define({group});
    children.on_runner(RunnerLink::begun);
  }
  /// What was begun so far: "promote 1, demote 1".
  std::string begun() const {
    std::string text;
    for (const runner::Start& start : runner.starts)
      text += (text.empty() ? "" : ", ") + start.argv[0] + " " + value_of(start.environment, "BALLOT_EPOCH");
    return text;
  }
  void end_last() { children.takes(PaperRunner::ended(runner.starts.back())); }

  PaperRunner runner;
  Children children{{.at_once_a_key = 1}, runner.send(), [](Level, std::string_view, const LogFields&) {}};
  GroupHooks hooks{"n1", {"root", "/root", 0, 0, {}}, children};
};

TEST_F(GroupHooksTest, RunAsTheTermBeginsAndAsItEnds) {
  hooks.set("db", {true, 1});
  const auto environment = runner.starts.back().environment;
  EXPECT_EQ(value_of(environment, "BALLOT_GROUP"), "db");
  EXPECT_EQ(value_of(environment, "BALLOT_NODE"), "n1");
  EXPECT_EQ(value_of(environment, "BALLOT_ROLE"), "leader");
  EXPECT_EQ(value_of(environment, "BALLOT_LEADER"), "n1");
  end_last();
  hooks.set("db", {false, 1});
  EXPECT_EQ(begun(), "promote 1, demote 1");
  EXPECT_EQ(value_of(runner.starts.back().environment, "BALLOT_ROLE"), "follower");
  EXPECT_EQ(value_of(runner.starts.back().environment, "BALLOT_LEADER"), "");
}

TEST_F(GroupHooksTest, DemoteOnlyOncePromoteHasEndedWhichIsEnded) {
  hooks.set("db", {true, 1});
  hooks.set("db", {false, 1});
  EXPECT_EQ(begun(), "promote 1");
  ASSERT_EQ(runner.kills.size(), 1u);
  EXPECT_EQ(runner.kills[0].id, runner.starts[0].id);
  end_last();
  EXPECT_EQ(begun(), "promote 1, demote 1");
}

TEST_F(GroupHooksTest, PromoteOnlyOnceDemoteHasEndedWhichIsLetEnd) {
  hooks.set("db", {true, 1});
  end_last();
  hooks.set("db", {false, 1});
  hooks.set("db", {true, 2});
  EXPECT_TRUE(runner.kills.empty());
  EXPECT_EQ(begun(), "promote 1, demote 1");
  end_last();
  EXPECT_EQ(begun(), "promote 1, demote 1, promote 2");
}

TEST_F(GroupHooksTest, LeaveOutWhatWasOvertaken) {
  hooks.set("db", {true, 1});
  end_last();
  hooks.set("db", {false, 1});
  hooks.set("db", {true, 2});
  hooks.set("db", {false, 2});
  end_last();
  EXPECT_EQ(begun(), "promote 1, demote 1") << "of term 2 nothing has begun that would have to be undone";
}

TEST_F(GroupHooksTest, WaitForWhatAnEarlierDaemonBegan) {
  runner::Running running;
  running.id = {*RunId::parse("00000000-0000-7000-8000-000000000001"), 0};
  children.adopt(running, "db");
  hooks.set("db", {true, 3});
  EXPECT_EQ(begun(), "");
  runner::Ended end;
  end.id = running.id;
  end.exit_code = 0;
  EXPECT_TRUE(children.takes(end));
  EXPECT_EQ(begun(), "promote 3");
}

TEST_F(GroupHooksTest, OfAGroupThatHasNoneDoNothing) {
  hooks.set("other", {true, 1});
  hooks.set("other", {false, 1});
  EXPECT_EQ(begun(), "");
}

}  // namespace
}  // namespace ballot::io
