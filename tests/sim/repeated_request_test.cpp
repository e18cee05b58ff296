// A trigger that is asked for again, while the first is under way or after it, at any node.
#include "sim/requests.hpp"

namespace ballot {
namespace {

/// Every node is asked in turn, `apart` from each other: the run is made once, and each says so at once.
TEST_F(Requests, ATriggerThatIsRepeatedAtAnyNodeIsOneRunAndIsAnsweredAtOnce) {
  SimNode& c = world.add("c");
  c.jobs = a.jobs;
  c.start();
  world.run_for(5s);
  const std::vector<SimNode*> nodes{&a, &b, &c};
  for (const Millis apart : {0ms, 1ms, 3ms, 10ms, 30ms, 100ms})
    for (SimNode* const first : nodes)
      for (SimNode* const second : nodes) {
        while (world.wall().time_since_epoch() % 1min < 5s || world.wall().time_since_epoch() % 1min > 50s)
          world.run_for(1s);  // no scheduled run is in the way
        for (SimNode* const node : nodes) node->replies.clear();
        core::Request request;
        request.kind = Kind::trigger;
        request.job = "one";
        request.id = world.loop.random().run_id(world.wall());
        request.by = first->name;
        first->ask(request);
        world.run_for(apart);
        request.by = second->name;
        second->ask(request);
        world.run_for(3s);
        std::vector<core::Reply> replies = first->replies;
        if (second != first) replies.insert(replies.end(), second->replies.begin(), second->replies.end());
        const std::string which = first->name + " then " + second->name + " " + std::to_string(apart.count()) + " ms";
        ASSERT_EQ(replies.size(), 2u) << which << ": nobody waits until the request is over";
        for (const core::Reply& reply : replies) EXPECT_TRUE(reply.ok) << which << ": " << reply.text;
        const auto& starts = world.starts;
        EXPECT_EQ(std::count_if(starts.begin(), starts.end(), [&](const auto& one) { return one.run == request.id; }),
                  1)
            << which;
      }
  expect_no_records();
}

/// A register remembers eight runs by hand. Of an older one only ledgers know, and that of the node which executed it
/// may be away.
TEST_F(Requests, ATriggerThatIsRepeatedWhenItsNodeIsAwayIsNeverASecondRun) {
  const auto asks = [&](SimNode& node, const RunId& id) {
    core::Request request;
    request.kind = Kind::trigger;
    request.job = "one";
    request.id = id;
    request.by = node.name + " uid 0";
    node.replies.clear();
    node.ask(request);
    world.run_for(3s);
    return node.replies;
  };
  const auto starts_of = [&](const RunId& id) {
    return std::count_if(world.starts.begin(), world.starts.end(), [&](const auto& one) { return one.run == id; });
  };
  std::vector<RunId> ids;
  for (int i = 0; i < 12; ++i) {
    ids.push_back(world.loop.random().run_id(world.wall()));
    ASSERT_EQ(asks(b, ids.back()).size(), 1u);
    world.run_for(10s);
  }
  a.crash();
  world.run_for(1min);
  ASSERT_TRUE(b.leads("default"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto replies = asks(b, ids[i]);
    ASSERT_EQ(replies.size(), 1u) << i;
    EXPECT_EQ(starts_of(ids[i]), 1) << i;
    if (i < 4) {
      EXPECT_EQ(replies[0].code, Errc::unavailable) << i << ": " << replies[0].text;
    } else {
      EXPECT_TRUE(replies[0].ok && replies[0].repeats) << i << ": " << replies[0].text;
    }
  }
  const RunId fresh = world.loop.random().run_id(world.wall());
  const auto replies = asks(b, fresh);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].ok && !replies[0].repeats) << replies[0].text;
  EXPECT_EQ(starts_of(fresh), 1) << "an id that is newer than all that were dropped is no run's";
}

/// The register says no more which runs were made, and the ledger that has the run is away.
TEST_F(Requests, ATriggerThatIsRepeatedAfterARepairIsNeverASecondRun) {
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  const auto asked_of_b = [&](const core::Request& what) {
    b.replies.clear();
    b.ask(what);
    EXPECT_TRUE(world.run_while_not([&] { return !b.replies.empty(); }, 1min));
    return b.replies.empty() ? core::Reply() : b.replies.front();
  };
  const auto starts_of = [&](const RunId& id) {
    return std::count_if(world.starts.begin(), world.starts.end(), [&](const auto& one) { return one.run == id; });
  };
  EXPECT_TRUE(asked_of_b(request).ok);
  world.run_for(30s);
  ASSERT_EQ(starts_of(request.id), 1);
  world.judge.spoiled("one");
  auto contents = world.store.contents();
  std::string& text = contents.registers.at(core::job_register("one")).value;
  for (const std::string line : {"\ntriggered ", "\nfence "}) {
    ASSERT_NE(text.find(line), std::string::npos) << text;
    text.insert(text.find(line) + line.size(), "?");
  }
  world.store.edit(std::move(contents));
  a.crash();
  b.reboot();
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 2min));
  core::Request repair;
  repair.kind = Kind::repair;
  repair.job = "one";
  EXPECT_TRUE(asked_of_b(repair).ok);
  for (const bool no_ledger_has_it : {false, true}) {
    request.is_first = no_ledger_has_it;
    const core::Reply again = asked_of_b(request);
    EXPECT_FALSE(again.ok);
    EXPECT_NE(again.text.find("only a new id is a new request"), std::string::npos) << again.text;
  }
  world.run_for(1min);
  EXPECT_EQ(starts_of(request.id), 1);
  request.id = world.loop.random().run_id(world.wall());
  EXPECT_TRUE(asked_of_b(request).ok);
  world.run_for(5s);
  EXPECT_EQ(starts_of(request.id), 1);
}

/// A network that repeats what it carries creates its record again, once whoever refused it is gone.
TEST_F(Requests, ATriggerThatWasRefusedIsNotRunWhenItsRecordComesBack) {
  a.takes["one"] = 10min;
  world.run_for(45s);
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  request.by = "b uid 0";
  b.ask(request);
  const std::string name = core::request_record(request.id);
  ASSERT_TRUE(world.run_while_not([&] { return !world.store.list(name).empty(); }, 1s));
  const std::string text = world.store.list(name).front().value;
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_FALSE(b.replies[0].ok);
  a.crash();
  world.run_for(1s);
  world.store.forge(name, text);
  world.run_for(30s);
  EXPECT_TRUE(b.leads("default"));
  for (const auto& start : world.starts) EXPECT_NE(start.run, request.id) << "it was refused";
  EXPECT_TRUE(world.store.list(name).empty());
}

/// Its node hears of the refusal, and not that the store has had the request.
TEST_F(Requests, ATriggerThatWasRefusedIsNotSentAgainInTheNextSession) {
  a.takes["one"] = 15s;
  world.run_for(60s - world.wall().time_since_epoch() % 1min + 2s);
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  request.by = "b uid 0";
  b.link.answers_cut = true;
  b.ask(request);
  world.run_for(100ms);
  b.link.answers_cut = false;
  ASSERT_TRUE(wait_for_reply(b));
  EXPECT_FALSE(b.replies[0].ok);
  world.run_for(20ms);  // what has been answered is out of the store
  b.link.cut = true;
  world.run_for(20s);
  b.link.cut = false;
  world.run_for(20s);
  for (const auto& start : world.starts) EXPECT_NE(start.run, request.id) << "it was refused";
  expect_no_records();
}

TEST_F(Requests, ATriggerThatIsRepeatedWithAnotherJobIsAConflictAtAnyNode) {
  a.link.cut = true;  // nobody takes the request
  world.run_for(100ms);
  core::Request request;
  request.kind = Kind::trigger;
  request.job = "one";
  request.id = world.loop.random().run_id(world.wall());
  b.ask(request);
  world.run_for(100ms);
  request.job = "two";
  b.ask(request);
  world.run_for(100ms);
  ASSERT_EQ(b.replies.size(), 1u);
  EXPECT_EQ(b.replies[0].code, Errc::conflict) << b.replies[0].text;
}

}  // namespace
}  // namespace ballot
