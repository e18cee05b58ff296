#include "core/job/job_commands.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;
using AskedKind = Request::Kind;

const WallTime asked_at{Millis(1'767'268'800'000)};

RunId asked_id(std::uint8_t n) { return *RunId::parse("00000000-0000-7000-8000-0000000000" + std::to_string(10 + n)); }

Request asks(AskedKind kind, std::uint8_t n, WallTime until = asked_at) {
  Request request;
  request.kind = kind;
  request.id = asked_id(n);
  request.until = until;
  return request;
}

TEST(JobCommands, PausesThatAskForWhatIsSoAreDoneUpToTheFirstThatDoesNot) {
  JobCommands commands;
  commands.add_pause(asks(AskedKind::pause, 1));
  commands.add_pause(asks(AskedKind::pause, 2));
  commands.add_pause(asks(AskedKind::resume, 3));
  commands.add_pause(asks(AskedKind::pause, 4));
  EXPECT_EQ(commands.take_done([](const Request& one) { return one.kind == AskedKind::pause; }),
            (std::vector{asks(AskedKind::pause, 1), asks(AskedKind::pause, 2)}));
  EXPECT_FALSE(commands.is_pause_next());
  EXPECT_EQ(commands.take_pause(), asked_id(3));
  EXPECT_TRUE(commands.is_pause_next());
}

TEST(JobCommands, OnlyWhatIsNoTriggerComesBeforeSlots) {
  JobCommands commands;
  commands.add_trigger(asks(AskedKind::trigger, 1));
  EXPECT_FALSE(commands.comes_first());
  commands.end_group_pause(asked_at);
  EXPECT_TRUE(commands.comes_first());
  commands.group_pause_ended();
  EXPECT_FALSE(commands.comes_first());
  commands.begin_repair({std::nullopt, "somebody"});
  EXPECT_TRUE(commands.comes_first());
}

TEST(JobCommands, TheOldestTriggerEndsWhenNobodyWaitsForItAnyLonger) {
  JobCommands commands;
  EXPECT_FALSE(commands.trigger_ends(asked_at));
  commands.add_trigger(asks(AskedKind::trigger, 1, asked_at + 5s));
  commands.add_trigger(asks(AskedKind::trigger, 2, asked_at + 1s));
  EXPECT_EQ(commands.trigger_ends(asked_at), asked_at + 5s + 1ms);
  EXPECT_FALSE(commands.trigger_ends(asked_at + 6s));
}

TEST(JobCommands, WhoAskedForARepairIsToldOnceThatItIsNotDone) {
  JobCommands commands;
  commands.begin_repair({asked_id(1), "somebody"});
  commands.read_first(asks(AskedKind::repair, 2), 7);
  EXPECT_EQ(commands.take_repair_requests(), (std::vector{asked_id(1), asked_id(2)}));
  EXPECT_TRUE(commands.take_repair_requests().empty());
  EXPECT_TRUE(commands.repair());  // it goes on, for nobody
  EXPECT_FALSE(commands.has_read_request());
}

TEST(JobCommands, ATermThatBeginsLeavesTriggersAndPausesAndDropsTheRest) {
  JobCommands commands;
  commands.add_trigger(asks(AskedKind::trigger, 1));
  commands.add_pause(asks(AskedKind::pause, 2));
  commands.end_group_pause(asked_at);
  commands.begin_repair({std::nullopt, "somebody"});
  commands.begin_term();
  EXPECT_FALSE(commands.repair());
  EXPECT_FALSE(commands.unpause_until());
  EXPECT_EQ(commands.take_requests(), (std::vector{asked_id(1), asked_id(2)}));
}

}  // namespace
}  // namespace ballot::core
