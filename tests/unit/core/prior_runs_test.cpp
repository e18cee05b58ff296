#include "core/store/prior_runs.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {

struct PriorOutcomes : ::testing::Test {
  PriorRuns prior;
  Random random{1};

  Row end() {
    Row row;
    row.run = random.run_id(WallTime(Millis(1)));
    row.attempt = 1;
    row.job = "a";
    row.group = "g";
    row.node = "n";
    row.status = Status::succeeded;
    row.exit_code = 0;
    return row;
  }
  static runner::AttemptId id_of(const Row& row) { return {*row.run, row.attempt}; }
  void keep(const Row& row) { prior.keep_outcome({outcome_record(id_of(row)), outcome_text(row)}, false); }
  void learn(const Row& row) { prior.learn_outcomes({{outcome_record(id_of(row)), outcome_text(row), 1}}); }
  bool knows(const Row& row) const { return prior.outcomes().contains(id_of(row)); }
};

/// A takeover that reads while it is on its way may not find it.
TEST_F(PriorOutcomes, ThisNodesOwnAreKeptBeyondATakeover) {
  const Row own = end(), others = end(), both = end();
  keep(own);
  learn(others);
  learn(both);
  keep(both);
  EXPECT_TRUE(knows(own) && knows(others) && knows(both));
  prior.forget_outcomes();
  EXPECT_TRUE(knows(own) && knows(both));
  EXPECT_FALSE(knows(others));
  learn(own);
  prior.forget_outcomes();
  EXPECT_TRUE(knows(own));
}

TEST_F(PriorOutcomes, OfThisNodesOwnTheOldestGo) {
  const Row first = end(), second = end();
  keep(first);
  keep(second);
  for (int i = 0; i < 999; ++i) keep(end());
  EXPECT_FALSE(knows(first));
  EXPECT_TRUE(knows(second));
  EXPECT_EQ(prior.outcomes().size(), 1000u);
}

}  // namespace
}  // namespace ballot::core
