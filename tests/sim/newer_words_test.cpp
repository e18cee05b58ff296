// A fleet with a newer version in it, whose statuses and reasons this one does not know: it keeps them, and goes on.
#include <gtest/gtest.h>

#include "core/record/outcome.hpp"
#include "core/record/register.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

/// `a` has led, and a newer node after it, which has passed a slot for a reason of its own.
struct NewerWords : ::testing::TestWithParam<const char*> {
  SimWorld world;
  SimNode &a = world.add("a"), &b = world.add("b");
  WallTime from = world.wall(), passed{};

  void SetUp() override {
    Job job = minutely();
    job.schedule = {"*/6 * * * * *"};
    a.jobs = b.jobs = {define(job)};
    a.takes["job"] = b.takes["job"] = 7s;
    b.ledger.slowest = 1h;
    a.start();
    world.run_for(1min);
    a.crash();
    const WallTime next = std::chrono::floor<std::chrono::minutes>(world.wall()) + 1min;
    core::JobRegister left = *core::parse_job_register(text());
    left.dispositions = {{next, next, 1, Status::missed, Reason::misfire}};
    left.cursor = passed = next;
    std::string forged = core::to_text(left);
    forged.replace(forged.find("missed misfire"), std::string("missed misfire").size(), GetParam());
    world.run_for(next - world.wall());
    world.store.forge("j/job", forged);
    b.start();
  }
  std::string text() const { return world.store.contents().registers.at("j/job").value; }
  bool is_carried() const { return text().find(" 1 " + std::string(GetParam()) + "\n") != std::string::npos; }
};

TEST_P(NewerWords, OfASlotSurviveATakeoverAndGoToTheLedgerAsTheyAre) {
  const std::uint64_t forged = world.store.contents().registers.at("j/job").version;
  ASSERT_TRUE(world.run_while_not([&] { return world.store.contents().registers.at("j/job").version > forged; }, 1min));
  EXPECT_TRUE(is_carried()) << text();
  b.crash();  // before its ledger has it
  a.start();
  ASSERT_TRUE(world.run_while_not([&] { return a.leads("default"); }, 1min));
  EXPECT_TRUE(is_carried()) << text();
  world.run_for(1min);
  EXPECT_FALSE(is_carried()) << "the ledger has it";
  const auto row = a.row("job", passed);
  ASSERT_TRUE(row);
  EXPECT_EQ(std::string(row->status.text()) + " " + std::string(row->reason.text()), GetParam());
  EXPECT_GE(world.starts_of("job"), 5u) << "the job goes on";
  EXPECT_EQ(world.unaccounted(*a.jobs[0], passed, world.wall() - 10s), "");
  EXPECT_EQ(world.broken_promises(), "");
}

INSTANTIATE_TEST_SUITE_P(Words, NewerWords,
                         ::testing::Values("missed solar_flare", "missed 57", "deferred overlap", "12 57"));

}  // namespace
}  // namespace ballot
