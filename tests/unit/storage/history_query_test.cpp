#include "storage/history_query.hpp"

#include "storage/database.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/statement.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

class HistoryQuery : public ::testing::Test {
 protected:
  std::vector<std::string> plan(const std::string& sql) {
    Statement explain(db_, "EXPLAIN QUERY PLAN " + sql);
    Cursor step = explain.start();
    std::vector<std::string> steps;
    while (step.step()) steps.emplace_back(step.text(3));
    return steps;
  }
  /// Every table is reached through an index whose first columns are given, and nothing is sorted.
  void expect_indexed(const std::string& sql) {
    bool searched = false;
    for (const std::string& step : plan(sql)) {
      EXPECT_EQ(step.find("SCAN"), std::string::npos) << step << " in " << sql;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << step << " in " << sql;
      searched = searched || step.find("SEARCH ledger USING INDEX") == 0;
    }
    EXPECT_TRUE(searched) << sql;
  }

  TempFolder folder_;
  Database db_ = open_ledger(folder_ / "history.db", Millis(100));
};

TEST_F(HistoryQuery, ServesEveryCombinationOfFiltersByAnIndexWithoutSorting) {
  // Each bit of the number is one filter, set to two values.
  for (int filters = 0; filters < 64; ++filters) {
    Selection selection;
    if (filters & 1) selection.jobs = {3, 4};
    if (filters & 2) selection.groups = {5, 6};
    if (filters & 4) selection.nodes = {7, 8};
    if (filters & 8) selection.statuses = {Status::failed, Status::missed};
    if (filters & 16) selection.reasons = {Reason::oom, Reason::stale};
    if (filters & 32) selection.run = run_id(1);
    expect_indexed(history_sql(selection));
    expect_indexed(changes_sql(selection));
  }
}

TEST_F(HistoryQuery, OfOneJobThatIsBoundLaterIsServedByTheIndexOfItsJobs) {
  for (int filters = 0; filters < 8; ++filters) {
    Selection selection{.is_of_one_job = true};
    if (filters & 1) selection.groups = {5, 6};
    if (filters & 2) selection.statuses = {Status::failed, Status::missed};
    if (filters & 4) selection.newer_statuses = {40};
    const std::string sql = history_sql(selection);
    expect_indexed(sql);
    for (const std::string& step : plan(sql))
      if (step.starts_with("SEARCH"))
        EXPECT_NE(step.find("ledger_job (job_id=? AND status=?"), std::string::npos) << step;
  }
  expect_indexed(ranges_sql());
}

TEST_F(HistoryQuery, SeeksTheJobTheStatusAndTheSlotInOneIndex) {
  const std::vector<std::string> steps = plan(
      history_sql({.run = {}, .jobs = {3}, .groups = {}, .nodes = {}, .statuses = {Status::failed}, .reasons = {}}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0],
            "SEARCH ledger USING INDEX ledger_job (job_id=? AND status=? AND slot>? AND (slot,attempt)<(?,?))");
}

TEST_F(HistoryQuery, WalksTheSlotsForMoreValuesThanItCanMerge) {
  Selection selection;
  for (int job = 1; job <= 1000; ++job) selection.jobs.push_back(job);
  expect_indexed(history_sql(selection));
  EXPECT_EQ(plan(history_sql(selection)).size(), 1u);
}

TEST_F(HistoryQuery, FindsTheReasonNoneToo) {
  Selection selection;
  selection.reasons = {Reason::none, Reason::oom};
  expect_indexed(history_sql(selection));
}

}  // namespace
}  // namespace ballot::storage
