// The conformance suite on the plugin postgresql and a real server, and what its tables count beside the rows.
#include "conformance/history_fixture.hpp"
#include "conformance/postgres_cluster.hpp"

namespace ballot::conformance {
namespace {

const HistoryUnderTest postgresql{"postgresql", [] { return std::make_unique<PostgresStore>(); }};

INSTANTIATE_TEST_SUITE_P(PostgreSQL, HistoryConformance, ::testing::Values(postgresql), history_name_of);
INSTANTIATE_TEST_SUITE_P(PostgreSQL, HistoryReading, ::testing::Values(postgresql), history_name_of);

/// Two nodes whose runs of six days failed, were tried again by each other, lost, or go on.
struct DaysThatAreOver : ::testing::Test {
  static constexpr int slots_a_day = 8, days = 6;

  void SetUp() override {
    for (int day = 0; day < days; ++day)
      for (int slot = 0; slot < slots_a_day; ++slot) add(day, slot);
    for (const auto& [node, rows] : of_nodes) put(node, rows);
    count_days();
  }
  static Row row_of(int number, int attempt, Status status, const std::string& node) {
    Row row = history_run(number, number % 2 == 0 ? "backup" : "report", node);
    row.slot = history_noon() - 24h * (number / slots_a_day) - 1h * (number % slots_a_day);
    row.run = history_id(number, row.slot);
    row.group = number % 3 == 0 ? "nightly" : "daily";
    row.attempt = attempt;
    row.status = status;
    row.reason = status == Status::failed ? Reason::exit_code : Reason::none;
    return row;
  }
  void add(int day, int slot) {
    const int number = day * slots_a_day + slot;
    const std::string node = slot % 2 == 0 ? "host-1" : "host-2", other = slot % 2 == 0 ? "host-2" : "host-1";
    if (slot % 4 == 0) return of_nodes[node].push_back(row_of(number, 1, Status::succeeded, node));
    of_nodes[node].push_back(row_of(number, 1, Status::failed, node));
    if (slot % 4 == 2)
      of_nodes[other].push_back(row_of(number, 2, slot == 2 ? Status::succeeded : Status::failed, other));
    if (slot == 3) of_nodes[other].push_back(row_of(number, 1, Status::lost, node));
    if (slot == 7) of_nodes[node].push_back(row_of(number, 2, Status::running, node));
  }
  void put(const std::string& node, const std::vector<Row>& rows) {
    LedgerBatch batch;
    batch.ledger = history_id(node == "host-1" ? 1'000'001 : 1'000'002);
    batch.node = node;
    const auto sender = store.make(HistoryUse::send);
    batch.after = batch.last = sender->line_of(batch.ledger, node)->change;
    for (const Row& row : rows) ++batch.last, batch.changes.push_back({batch.last, LedgerRow{row, batch.last}});
    const auto kept = sender->put(batch);
    ASSERT_TRUE(kept) << kept.error().what;
  }
  /// As whoever sends does when it connects.
  void count_days() { ASSERT_TRUE(store.make(HistoryUse::send)->line_of(history_id(1'000'001), "host-1")); }
  int counted() { return std::stoi(store.ask("SELECT count(*) FROM @.counted_day WHERE is_counted")); }

  Texts answer(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) {
    const auto found = store.make(HistoryUse::read)->counts(filter, per, but);
    Texts texts = found ? sum_of_counts(found->counts) : Texts{found.error().what};
    std::vector<std::string> left;
    for (const RunId& run : found && found->left ? *found->left : std::vector<RunId>()) left.push_back(run.text());
    std::sort(left.begin(), left.end());
    texts.insert(texts.end(), left.begin(), left.end());
    return texts;
  }
  static Texts sum_of_counts(const std::vector<RunCount>& counts) {
    Texts texts;
    for (const RunCount& one : counts)
      texts.push_back(joined({said(one.from), one.job, std::string(to_string(one.status)), std::to_string(one.runs),
                              std::to_string(one.attempts)}));
    std::sort(texts.begin(), texts.end());
    return texts;
  }
  /// What is answered of many times, with what is counted and then by rows alone.
  void expect_same_answers() {
    const auto answers = [this] {
      Texts all;
      for (const Millis from : {-24h * 7, -24h * 3, -24h * 3 - 12h, -24h * 2 - 3h})
        for (const Millis to : {-24h * 2, -24h - 12h, -5h, 24h})
          for (const CountPer per : {CountPer::day, CountPer::all})
            for (const bool is_narrow : {false, true}) {
              HistoryFilter filter{.since = history_noon() + from, .until = history_noon() + to, .limit = 1'000};
              if (is_narrow) filter.jobs = {"report"}, filter.groups = {"daily"};
              const Texts one = answer(
                  filter, per, is_narrow ? std::vector<RunId>{*row_of(25, 1, {}, "").run} : std::vector<RunId>());
              all.insert(all.end(), one.begin(), one.end());
              all.push_back("--");
            }
      return all;
    };
    const Texts by_days = answers();
    store.ask("BEGIN; CREATE TABLE @.kept AS SELECT * FROM @.counted_day; DELETE FROM @.counted_day; COMMIT");
    EXPECT_EQ(by_days, answers());
    store.ask("INSERT INTO @.counted_day SELECT * FROM @.kept; DROP TABLE @.kept");
  }

  PostgresStore store;
  std::map<std::string, std::vector<Row>> of_nodes;
};

TEST_F(DaysThatAreOver, AreCountedWholeAndAnsweredAsByTheirRows) {
  EXPECT_GE(counted(), days - 2) << "of today nothing is counted, nor, for an hour, of yesterday";
  EXPECT_NE(store.ask("SELECT count(*) FROM @.day_ends"), "0");
  EXPECT_NE(store.ask("SELECT count(*) FROM @.day_left"), "0");
  expect_same_answers();
}

TEST_F(DaysThatAreOver, AreCountedAnewWhereARowComesLateOrIsCorrected) {
  const int before = counted();
  put("host-2", {row_of(3 * slots_a_day + 1, 2, Status::succeeded, "host-2")});
  EXPECT_EQ(counted(), before - 1);
  expect_same_answers();
  count_days();
  EXPECT_EQ(counted(), before);
  expect_same_answers();
  put("host-1", {row_of(3 * slots_a_day + 7, 2, Status::failed, "host-1")});
  store.ask("DELETE FROM @.rows WHERE slot = (SELECT min(slot) FROM @.rows)");
  EXPECT_EQ(counted(), before - 2);
  expect_same_answers();
}

TEST_F(DaysThatAreOver, AreNotCountedWhereSomethingIsPutMeanwhileOrANodeBeginsAnotherLedger) {
  const std::string day = store.ask("SELECT max(day) FROM @.counted_day WHERE is_counted");
  const std::string first = store.ask("SELECT @.begin_count(" + day + ")");
  const std::string second = store.ask("SELECT @.begin_count(" + day + ")");
  EXPECT_NE(first, second);
  EXPECT_THROW(store.ask("SELECT @.end_count(" + day + ", " + first + ")"), std::runtime_error);
  store.ask("UPDATE @.rows SET duration_ms = 1 WHERE slot / 86400000 = " + day);
  EXPECT_THROW(store.ask("SELECT @.end_count(" + day + ", " + second + ")"), std::runtime_error);
  count_days();
  EXPECT_GE(counted(), days - 2);
  store.ask("INSERT INTO @.ledger (identity, node) VALUES (gen_random_uuid(), 'host-1')");
  EXPECT_EQ(counted(), 0);
  count_days();
  expect_same_answers();
}

}  // namespace
}  // namespace ballot::conformance
