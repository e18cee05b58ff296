// Registers with lines that cannot be read, which a leader finds that never knew them: each slot has a row after the
// repair, and nothing that stands is forgotten without a word.
#include "sim/repair.hpp"

namespace ballot {
namespace {

/// Its leader has died, and the next one reads it.
struct LostLines : Repair {
  /// As the next leader finds it, which leads for three minutes before somebody repairs it.
  core::Reply repaired(const std::string& field, const std::string& line) {
    find(field, line);
    world.run_for(3min);
    return repair(b, "", "job");
  }
  void find(const std::string& field, const std::string& line) {
    start();
    a.crash(), b.crash();
    edit(field, line);
    b.start();
    ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  }
  void expect_all_again() {
    EXPECT_TRUE(starts_within(2min));
    EXPECT_EQ(state(b), "active");
    a.start();
    world.run_for(10s);
    expect_accounted();
  }
};

TEST_F(LostLines, OfWhichSinceIsOneLeaveNoSlotOfTheHaltWithoutARow) {
  const core::Reply reply = repaired("since", "since ?");
  EXPECT_NE(reply.text.find("missed: halted; lines of its register that could not be read: since"), std::string::npos)
      << reply.text;
  expect_all_again();
}

TEST_F(LostLines, OfWhichTheCursorIsOneLeaveNoSlotOfTheHaltWithoutARow) {
  const core::Reply reply = repaired("cursor", "cursor ?");
  EXPECT_NE(reply.text.find("missed: halted; lines of its register that could not be read: cursor"), std::string::npos)
      << reply.text;
  expect_all_again();
}

TEST_F(LostLines, OfAWholeRegisterLeaveNoSlotWithoutARowThatIsDueOnceItIsFound) {
  start();
  a.crash(), b.crash();
  auto contents = world.store.contents();
  contents.registers.at("j/job").value = "spoiled";
  contents.registers.at("j/job").version = ++contents.revision;
  world.store.edit(std::move(contents));
  world.oracle.edited("job");
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  from = world.wall() + 10s;
  world.run_for(3min);
  const core::Reply reply = repair(b, "", "job");
  EXPECT_NE(reply.text.find("missed: halted; lines of its register"), std::string::npos) << reply.text;
  EXPECT_NE(reply.text.find("a run that was open may go on"), std::string::npos) << reply.text;
  expect_all_again();
}

TEST_F(LostLines, OfAPauseLeaveItsEnd) {
  start();
  core::Request request;
  request.kind = Kind::pause;
  request.job = "job";
  request.terms = {world.wall() + 10min, "disks"};
  a.ask(request);
  world.run_for(10s);
  a.crash(), b.crash();
  edit("paused", "paused \x01yes");
  edit("paused_by", "paused_by ?");
  b.start();
  world.run_for(1min);
  EXPECT_NE(repair(b, "", "job").text.find("paused_by"), std::string::npos);
  EXPECT_EQ(state(b), "paused");
  EXPECT_FALSE(starts_within(4min));
  EXPECT_TRUE(starts_within(8min));
  EXPECT_EQ(world.broken_promises(), "");
}

/// No node writes so, and nothing would ever be due again.
TEST_F(LostLines, AreOneWhichSaysThatASlotWasClaimedInAYear) {
  find("claimed", "claimed 2060-01-01T00:00:00Z");
  EXPECT_FALSE(starts_within(3min));
  EXPECT_EQ(state(b), "clock_skew");
  const core::Reply reply = repair(b, "", "job");
  EXPECT_NE(reply.text.find("ahead of the clock, at 2060-01-01T00:00:00Z; it is dropped: "), std::string::npos)
      << reply.text;
  EXPECT_NE(reply.text.find("missed: halted"), std::string::npos) << reply.text;
  expect_all_again();
}

/// A repair leaves claims ahead where the clock was; these are behind by now.
TEST_F(LostLines, AreOneWhichSaysThatASlotWasClaimedInAYearAlsoOfAJobThatWasRepairedBefore) {
  start();
  edit("fence", "fence ?");
  world.run_for(2min);
  ASSERT_TRUE(repair(b, "", "job").ok);
  world.run_for(2min);
  a.crash(), b.crash();
  edit("claimed", "claimed 2060-01-01T00:00:00Z");
  b.start();
  ASSERT_TRUE(world.run_while_not([&] { return b.leads("default"); }, 1min));
  EXPECT_FALSE(starts_within(3min));
  EXPECT_EQ(state(b), "clock_skew");
  EXPECT_TRUE(repair(b, "", "job").ok);
  expect_all_again();
}

/// Its slots are the same by all that can be read.
TEST_F(LostLines, OfWhichTheDefinitionIsOneAreNoEditOfAJobWhoseFileIsAsBefore) {
  const core::Reply reply = repaired("definition", "definition \x01");
  EXPECT_TRUE(reply.ok) << reply.text;
  world.run_for(10s);
  for (const audit::InForce& one : b.ledger.definitions("job")) EXPECT_EQ(one.row.digest, b.jobs[0]->digest.text());
  expect_all_again();
}

/// Of a job whose file has other slots than its register, where `text` is read in place of the definition.
struct LostDefinition : LostLines {
  void expect_edit(const std::string& text) {
    find("definition", text);
    Job edited = minutely();
    edited.schedule = {"*/2 * * * *"};
    b.jobs = {define(edited)};
    b.load();
    const std::string edited_digest = b.jobs[0]->digest;
    const core::Reply reply = repair(b, "", "job");
    EXPECT_TRUE(reply.ok) << reply.text;
    world.run_for(10s);
    const auto& definitions = b.ledger.definitions("job");
    EXPECT_EQ(definitions.back().row.digest, edited_digest);
    const auto is_unknown = [](const auto& one) { return one.row.digest.empty(); };
    EXPECT_TRUE(std::any_of(definitions.begin(), definitions.end(), is_unknown))
        << "its slots before the repair were not those of the file";
    EXPECT_TRUE(starts_within(3min));
    EXPECT_EQ(world.broken_promises(), "");
  }
};

TEST_F(LostDefinition, IsAnEditOfAJobWhoseFileHasOtherSlots) { expect_edit("definition \x01"); }

TEST_F(LostDefinition, IsAnEditAlsoBesideALineThatThisBuildDoesNotKnow) { expect_edit("definition \x01\nflavour 3"); }

/// A release takes the definition out of the register: no node writes both. Nothing has read it before the next slot.
TEST_F(Repair, OfARegisterThatIsReleasedByHandLeavesNoSlotWithoutARow) {
  start();
  edit("fence", "released yes\nfence " + std::to_string(world.oracle.job_register("job")->fence));
  EXPECT_FALSE(starts_within(3min));
  EXPECT_NE(state(a), "active");
  const core::Reply reply = repair(b, "", "job");
  EXPECT_TRUE(reply.ok) << reply.text;
  EXPECT_NE(reply.text.find("missed: halted"), std::string::npos) << reply.text;
  EXPECT_TRUE(starts_within(2min));
  expect_accounted();
}

}  // namespace
}  // namespace ballot
