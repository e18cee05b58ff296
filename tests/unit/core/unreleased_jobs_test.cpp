#include "core/jobs/unreleased_jobs.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

struct UnreleasedJobsOfATable : ::testing::Test {
  UnreleasedJobs unreleased;
  JobTable table;
  JobEntry& last = table.entry("a");  // the table's order is that of becoming known
  JobEntry& first = table.entry("z");

  static SteadyTime at(Millis t) { return SteadyTime(t); }
};

TEST_F(UnreleasedJobsOfATable, AreNotPolledWhileThereAreNone) {
  EXPECT_FALSE(unreleased.poll_at());
  EXPECT_FALSE(unreleased.is_due(SteadyTime::max()));
  EXPECT_TRUE(unreleased.take().empty());
}

TEST_F(UnreleasedJobsOfATable, AreReadAgainWhenTheirTimeHasCome) {
  unreleased.wait(last, at(5s));
  EXPECT_EQ(unreleased.poll_at(), at(5s));
  EXPECT_FALSE(unreleased.is_due(at(4999ms)));
  EXPECT_TRUE(unreleased.is_due(at(5s)));
  EXPECT_TRUE(unreleased.is_due(at(6s)));
}

TEST_F(UnreleasedJobsOfATable, AreReadTogetherInTheOrderOfBecomingKnown) {
  unreleased.wait(first, at(5s));
  unreleased.wait(last, at(8s));
  EXPECT_EQ(unreleased.poll_at(), at(5s)) << "sooner, as another is";
  const auto taken = unreleased.take();
  EXPECT_EQ(std::vector<JobEntry*>(taken.begin(), taken.end()), (std::vector<JobEntry*>{&last, &first}));
}

TEST_F(UnreleasedJobsOfATable, AreReadAgainSoonerWhereOneCouldNotBeRead) {
  unreleased.wait(first, at(5s));
  unreleased.wait(last, at(200ms));
  EXPECT_EQ(unreleased.poll_at(), at(200ms));
}

TEST_F(UnreleasedJobsOfATable, ThatWaitTwiceAreReadOnce) {
  unreleased.wait(last, at(5s));
  unreleased.wait(last, at(6s));
  EXPECT_EQ(unreleased.take().size(), 1u);
}

TEST_F(UnreleasedJobsOfATable, ThatWereTakenAreWaitedForNoMoreUnlessTheyWaitAgain) {
  unreleased.wait(first, at(5s));
  unreleased.wait(last, at(5s));
  unreleased.take();
  EXPECT_FALSE(unreleased.poll_at());
  EXPECT_FALSE(unreleased.is_due(at(1h)));
  unreleased.wait(first, at(10s));
  EXPECT_EQ(unreleased.poll_at(), at(10s)) << "a time of its own, not that of before";
  EXPECT_EQ(unreleased.take(), (std::set<JobEntry*, BySerial>{&first}));
}

}  // namespace
}  // namespace ballot::core
