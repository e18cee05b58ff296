// What a trigger says beside its job: in the request, in the register's run, and of a chain; as texts that releases
// before read too.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "core/node/peers.hpp"
#include "core/record/outcome.hpp"
#include "core/record/register.hpp"
#include "core/request/request.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

const WallTime noon_of_triggers = *parse_wall("2026-01-01T12:00:00.250Z");

Request trigger_with(std::string env) {
  Request request;
  request.id = Random(1).run_id(noon_of_triggers);
  request.job = "load";
  request.until = noon_of_triggers;
  request.env = std::move(env);
  return request;
}

TEST(Trigger, ReadsBackWithItsVariables) {
  for (const bool alone : {false, true}) {
    Request request = trigger_with("DAY=2026-01-01 NOTE=%0Ax%25");
    request.alone = alone;
    const auto read = parse_request(to_text(request));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, request);
  }
}

TEST(Trigger, WithVariablesThatNobodyMayGiveCannotBeRead) {
  for (const char* env : {"LD_PRELOAD=/tmp/x.so", "BALLOT_FENCE=1", "1A=2", "A", "A=%0", "A=1 A=2", "B=1 A=2", "A=%00",
                          "GLIBC_TUNABLES=x"})
    EXPECT_FALSE(parse_request(to_text(trigger_with(env)))) << env;
  EXPECT_FALSE(parse_request(to_text(trigger_with("A=" + std::string(1100, 'x')))));
  Request pause = trigger_with("A=1");
  pause.kind = Request::Kind::pause;
  EXPECT_EQ(fault_of(pause), "only a trigger has variables, or is alone");
}

TEST(Trigger, OfAChainIsOneByHandForAReleaseBefore) {
  JobRegister r;
  r.group = "etl";
  OpenRun run;
  run.id = Random(2).run_id(noon_of_triggers);
  run.slot = noon_of_triggers;
  run.trigger = Trigger::chain;
  run.node = "a";
  r.runs = {run};
  const std::string text = to_text(r);
  EXPECT_NE(text.find(" trigger=manual kind=chain "), std::string::npos) << text;
  const auto read = parse_job_register(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->runs[0].trigger, Trigger::chain);
  Row row;
  row.run = run.id;
  row.attempt = 1;
  row.job = "load";
  row.group = "etl";
  row.slot = noon_of_triggers;
  row.trigger = Trigger::chain;
  row.node = "a";
  row.status = Status::succeeded;
  EXPECT_NE(outcome_text(row).find("trigger manual\nkind chain\n"), std::string::npos) << outcome_text(row);
  EXPECT_EQ(parse_outcome(outcome_text(row))->trigger, Trigger::chain);
}

TEST(ChainedSlot, HasARunOfItsOwnForEachJobAndAlwaysTheSame) {
  const RunId trigger = Random(3).run_id(noon_of_triggers);
  const ChainedSlot first{trigger, noon_of_triggers, true, std::nullopt};
  const ChainedSlot next{trigger, noon_of_triggers, false, std::nullopt};
  EXPECT_EQ(first.run("extract"), trigger);
  EXPECT_EQ(next.run("load"), next.run("load"));
  EXPECT_NE(next.run("load"), next.run("report"));
  EXPECT_NE(next.run("load"), trigger);
  EXPECT_EQ(next.run("load").text().substr(0, 13), trigger.text().substr(0, 13)) << "of the same time";
  EXPECT_EQ(next.run("load").bytes[6] >> 4, 7);
  EXPECT_EQ(next.run("load").bytes[8] >> 6, 2);
  const ChainedSlot other{Random(4).run_id(noon_of_triggers), noon_of_triggers, false, std::nullopt};
  EXPECT_NE(next.run("load"), other.run("load"));
}

/// A release that does not know them keeps a kilobyte of lines.
TEST(ChainedSlots, AsManyAsMayBeKeptAreLessThanAKilobyte) {
  const ChainedSlot slot{Random(3).run_id(noon_of_triggers), noon_of_triggers, true, Status::timed_out};
  EXPECT_LE(chained_limit * (to_text(slot).size() + sizeof "chained "), unknown_limit);
}

TEST(Trigger, IsNotKnownToANodeThatDoesNotSaySo) {
  Peers peers;
  NodeRecord old{"old", "s1", "", noon_of_triggers, {{"etl", 1}}};
  Group group;
  group.name = "etl";
  peers.learn({}, "n1", {{"n/old.1", to_texts(old)[0], 1}});
  EXPECT_EQ(peers.lacks_triggers(group), "old");
  old.knows_triggers = true;
  old.at += 1s;
  peers.learn({}, "n1", {{"n/old.1", to_texts(old)[0], 2}});
  EXPECT_EQ(peers.lacks_triggers(group), "");
  EXPECT_EQ(peers.lacks_pause_terms(group), "old");
}

}  // namespace
}  // namespace ballot::core
