#include "app/history/row_groups.hpp"

#include <gtest/gtest.h>

#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::run_row;
using testing::slot;
using testing::slot_row;

Row paused(int minute, const std::string& job = "nightly") {
  Row row = slot_row(slot + std::chrono::minutes(minute), Status::skipped, Reason::paused);
  row.job = job;
  return row;
}
Row ran(int minute, const std::string& job = "nightly") {
  Row row = run_row(Status::succeeded);
  row.slot = slot + std::chrono::minutes(minute);
  row.job = job;
  return row;
}

TEST(RowGroups, ShowTheSlotsOfAPauseAsOneRowWhateverOtherJobsDidMeanwhile) {
  RowGroups groups(50);
  for (const Row& row : {paused(9), ran(8, "other"), paused(7), paused(6, "other"), paused(5)})
    EXPECT_TRUE(groups.add(row));
  ASSERT_EQ(groups.rows().size(), 3U);
  EXPECT_EQ(groups.rows()[0].slot, slot + std::chrono::minutes(5));
  EXPECT_EQ(groups.rows()[0].slot_until, slot + std::chrono::minutes(9));
  EXPECT_EQ(groups.rows()[0].slots, 3);
  EXPECT_EQ(groups.rows()[1].status, Status::succeeded);
  EXPECT_EQ(groups.rows()[2].job, "other");
  EXPECT_FALSE(groups.rows()[2].slot_until);
}

TEST(RowGroups, KeepApartWhatARunDivides) {
  RowGroups groups(50);
  for (const Row& row : {paused(9), paused(8), ran(7), paused(6)}) groups.add(row);
  ASSERT_EQ(groups.rows().size(), 3U);
  EXPECT_EQ(groups.rows()[0].slots, 2);
  EXPECT_EQ(groups.rows()[2].slot, slot + std::chrono::minutes(6));
  EXPECT_EQ(groups.rows()[2].slots, 1);
}

TEST(RowGroups, AreOfOnePauseEach) {
  RowGroups groups(50);
  const auto by = [](const char* who, Row row) { return row.paused_by = who, row; };
  for (const Row& row : {by("n3", paused(9)), by("n3", paused(8)), by("n2", paused(7))}) groups.add(row);
  ASSERT_EQ(groups.rows().size(), 2U);
  EXPECT_EQ(groups.rows()[0].slots, 2);
  EXPECT_EQ(groups.rows()[1].slots, 1);
  EXPECT_EQ(groups.rows()[1].paused_by, "n2");
}

TEST(RowGroups, CountRowsOfManySlots) {
  RowGroups groups(50);
  Row many = paused(1);
  many.slot_until = slot + std::chrono::minutes(200);
  many.slots = 200;
  groups.add(paused(201)), groups.add(many);
  ASSERT_EQ(groups.rows().size(), 1U);
  EXPECT_EQ(groups.rows()[0].slots, 201);
  EXPECT_EQ(groups.rows()[0].slot_until, slot + std::chrono::minutes(201));
}

TEST(RowGroups, AreFullOnceARowHasNoPlaceButThoseOfAPauseThatIsShown) {
  RowGroups groups(2);
  EXPECT_TRUE(groups.add(paused(9)));
  EXPECT_TRUE(groups.add(ran(8, "other")));
  EXPECT_TRUE(groups.add(paused(7)));
  EXPECT_FALSE(groups.add(ran(6, "other")));
  EXPECT_EQ(groups.rows().size(), 2U);
  EXPECT_EQ(groups.begun(), std::vector<std::string>{"nightly"});
  EXPECT_TRUE(groups.add(paused(5)));
  EXPECT_FALSE(groups.add(ran(4)));
  EXPECT_FALSE(groups.add(paused(3))) << "it is of another pause";
  EXPECT_EQ(groups.begun(), std::vector<std::string>());
  EXPECT_EQ(groups.rows()[0].slots, 3);
}

}  // namespace
}  // namespace ballot::app
