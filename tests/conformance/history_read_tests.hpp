// Of the conformance suite of histories: rows in their order, in pages, by filters and by keys. What is expected is
// computed here, from all rows that were put.
#pragma once

#include <random>
#include <set>

#include "conformance/history_fixture.hpp"

namespace ballot::conformance {

/// Rows of three ledgers, with ties in slot, attempt and id; among them one whose name is between the others' in the
/// order of bytes, and not in that of numbers.
class HistoryRows {
 public:
  explicit HistoryRows(std::uint32_t seed) : random_(seed) {
    for (int number = 1; number <= 150; ++number) add(number);
    std::sort(all.begin(), all.end(), comes_before);
  }

  static bool comes_before(const KeptRow& a, const KeptRow& b) {
    return std::tie(b.row.slot, b.row.attempt, a.ledger, b.id) < std::tie(a.row.slot, a.row.attempt, b.ledger, a.id);
  }
  static bool is_at_once(const KeptRow& one) {
    return one.row.run && one.row.attempt == 1 && one.row.status == Status::succeeded && one.row.node == one.ledger;
  }
  static bool wants(const HistoryFilter& filter, const Row& row) {
    return has(filter.jobs, row.job) && has(filter.groups, row.group) && has(filter.nodes, row.node) &&
           has(filter.statuses, Status(row.status)) && has(filter.reasons, Reason(row.reason)) &&
           (!filter.since || row.slot >= *filter.since) && (!filter.until || row.slot < *filter.until);
  }
  std::vector<KeptRow> matching(const HistoryFilter& filter) const {
    std::vector<KeptRow> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const KeptRow& one) {
      return wants(filter, one.row) && (!filter.run || one.row.run == filter.run);
    });
    return found;
  }
  HistoryFilter any_filter() {
    HistoryFilter filter{.limit = 10'000};
    if (pick(3) == 0) filter.jobs = {job(pick(4)), job(pick(6))};
    if (pick(3) == 0) filter.groups = {pick(2) == 0 ? "nightly" : "hourly"};
    if (pick(3) == 0) filter.nodes = {node(pick(3))};
    if (pick(3) == 0) filter.statuses = {status(pick(4)), status(pick(4))};
    if (pick(5) == 0) filter.reasons = {pick(2) == 0 ? Reason::none : Reason::exit_code};
    if (pick(3) == 0) filter.since = slot(pick(12));
    if (pick(3) == 0) filter.until = slot(pick(12));
    if (pick(9) == 0) filter.run = all[static_cast<std::size_t>(pick(150))].row.run;
    return filter;
  }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  /// Runs of which each attempt, from the first on, has one row, which no other one can be before.
  std::set<RunId> certain_runs(const std::vector<KeptRow>& rows) const {
    std::map<RunId, std::vector<int>> attempts;
    std::set<RunId> runs, others;
    for (const KeptRow& one : rows) {
      if (!one.row.run || is_at_once(one)) continue;
      attempts[*one.row.run].push_back(one.row.attempt);
      if (one.row.node != one.ledger || !is_final(one.row.status) || one.row.status == Status::lost)
        others.insert(*one.row.run);
    }
    for (auto& [run, each] : attempts) {
      std::sort(each.begin(), each.end());
      for (std::size_t i = 0; i < each.size(); ++i)
        if (each[i] != static_cast<int>(i) + 1) others.insert(run);
      if (!others.contains(run)) runs.insert(run);
    }
    return runs;
  }
  /// What is to be counted, and what is left of it. A history may leave more runs than it must.
  std::pair<std::vector<RunCount>, std::vector<KeptRow>> counted(const HistoryFilter& filter, CountPer per,
                                                                 const std::vector<RunId>& but,
                                                                 const std::optional<std::vector<RunId>>& left) const {
    const std::vector<KeptRow> rows = matching(filter);
    std::set<RunId> runs;
    if (left && filter.nodes.empty() && filter.statuses.empty() && filter.reasons.empty()) runs = certain_runs(rows);
    for (const RunId& one : but) runs.erase(one);
    if (left)
      for (const RunId& one : *left) runs.erase(one);
    std::pair<std::vector<RunCount>, std::vector<KeptRow>> result;
    for (const KeptRow& one : rows) {
      const Row& row = one.row;
      const bool is_last = std::none_of(rows.begin(), rows.end(), [&](const KeptRow& other) {
        return other.row.run == row.run && other.row.attempt > row.attempt && !is_at_once(other);
      });
      if (is_at_once(one))
        result.first.push_back({begin_of(per, row.slot), row.job, row.status, row.reason, 1, 1});
      else if (row.run && runs.contains(*row.run))
        result.first.push_back({begin_of(per, row.slot), row.job, row.status, row.reason, is_last ? 1 : 0, 1});
      else
        result.second.push_back(one);
    }
    return result;
  }

  std::vector<KeptRow> all;                          // in their order
  std::map<int, std::vector<LedgerRow>> of_ledgers;  // by the number of the node

  static std::string node(int number) {
    return std::string("host-") + std::vector<const char*>{"1", "10", "2"}.at(static_cast<std::size_t>(number));
  }

 private:
  template <class T>
  static bool has(const std::vector<T>& wanted, const T& value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
  }
  static std::string job(int number) { return "job-" + std::to_string(number); }
  static WallTime slot(int number) { return history_noon() - 3h + number * 20min; }
  static Status status(int number) {
    return std::vector<Status>{Status::succeeded, Status::failed, Status::missed, Status::lost}.at(
        static_cast<std::size_t>(number));
  }

  void add(int number) {
    Row row = pick(4) == 0 ? history_slot(number) : history_run(number);
    row.job = job(pick(4));
    row.group = row.job == "job-3" ? "hourly" : "nightly";
    row.slot = row.run ? slot(pick(10)) : slot(number % 10) + Millis(number);
    row.node = node(pick(3));
    if (row.run) {
      row.attempt = 1 + pick(2);
      row.status = status(pick(2));
      row.reason = row.status == Status::failed ? Reason::exit_code : Reason::none;
    }
    const int ledger = pick(3);
    auto& rows = of_ledgers[ledger];
    rows.push_back({row, std::ssize(rows) + 1});
    all.push_back({row, node(ledger), rows.back().id, rows.back().id});
  }

  std::mt19937 random_;
};

/// The same, with what is of the same job, time and words together.
inline Texts sum_of(const std::vector<RunCount>& counts) {
  std::map<Texts, std::pair<std::int64_t, std::int64_t>> sums;
  for (const RunCount& one : counts) {
    auto& [runs, attempts] =
        sums[{said(one.from), one.job, std::string(to_string(one.status)), std::string(to_string(one.reason))}];
    runs += one.runs;
    attempts += one.attempts;
  }
  Texts texts;
  for (const auto& [of, sum] : sums)
    texts.push_back(joined(of) + " " + std::to_string(sum.first) + " of " + std::to_string(sum.second));
  return texts;
}

TEST_P(HistoryReading, RowsAreInTheirOrderWhateverThePage) {
  const HistoryRows some(1);
  put_all(some);
  const Texts whole = all_said(some.all);
  EXPECT_EQ(all_said(all_rows()), whole);
  const auto read = [&](const HistoryFilter& filter) { return reader_->rows(filter); };
  for (const std::int64_t limit : {1, 2, 7, 49}) EXPECT_EQ(paged({}, limit, read), whole) << limit;
}

TEST_P(HistoryReading, FiltersAndTheirCombinations) {
  HistoryRows some(2);
  put_all(some);
  const auto read = [&](const HistoryFilter& filter) { return reader_->rows(filter); };
  for (int i = 0; i < 60; ++i) {
    const HistoryFilter filter = some.any_filter();
    const Texts expected = all_said(some.matching(filter));
    EXPECT_EQ(all_said(rows(filter)), expected) << i;
    if (i < 15) {
      EXPECT_EQ(paged(filter, 3, read), expected) << i;
    }
  }
  EXPECT_TRUE(rows({.jobs = {"none"}}).empty());
  EXPECT_TRUE(rows({.groups = {"none"}}).empty());
  EXPECT_TRUE(rows({.nodes = {"none"}}).empty());
}

TEST_P(HistoryReading, WhatIsCountedAndWhatIsLeftAreAllRows) {
  HistoryRows some(3);
  put_all(some);
  for (int i = 0; i < 45; ++i) {
    const CountPer per = std::array{CountPer::hour, CountPer::day, CountPer::all}[static_cast<std::size_t>(i % 3)];
    HistoryFilter filter = some.any_filter();
    filter.run.reset();
    std::vector<RunId> but;
    for (const KeptRow& one : some.all)
      if (one.row.run && some.pick(10) == 0) but.push_back(*one.row.run);
    const RunCounts found = value(reader_->counts(filter, per, but));
    const auto [counts, left] = some.counted(filter, per, but, found.left);
    EXPECT_EQ(sum_of(found.counts), sum_of(counts)) << i;
    EXPECT_EQ(all_said(value(reader_->rows_left(filter, found.left))), all_said(left)) << i;
    const auto read = [&](const HistoryFilter& page) { return reader_->rows_left(page, found.left); };
    if (i < 5) {
      EXPECT_EQ(paged(filter, 4, read), all_said(left)) << i;
    }
    filter.limit = 2;
    EXPECT_EQ(value(reader_->counts(filter, per, but)).counts.size(), std::min<std::size_t>(2, found.counts.size()))
        << i;
  }
}

/// Each with an attempt that failed before it; of one some other row may count.
TEST_P(HistoryReading, RunsAreCountedByTheirLastAttemptWhereNoOtherRowCanCount) {
  const auto failed = [](int number, const std::string& node) {
    Row row = history_run(number, "backup", node);
    row.status = Status::failed;
    row.reason = Reason::exit_code;
    return row;
  };
  const auto again = [](int number, const std::string& node) {
    Row row = history_run(number, "backup", node);
    row.attempt = 2;
    return row;
  };
  Row lost = failed(3, "host-1"), open = again(4, "host-1");
  lost.status = Status::lost;
  open.status = Status::running;
  put(1, "host-1",
      {LedgerRow{failed(1, "host-1"), 1}, LedgerRow{again(1, "host-1"), 2}, LedgerRow{failed(2, "host-1"), 3},
       LedgerRow{failed(3, "host-1"), 4}, LedgerRow{failed(4, "host-1"), 5}, LedgerRow{open, 6},
       LedgerRow{history_run(5), 7}});
  put(2, "host-2", {LedgerRow{again(2, "host-2"), 1}, LedgerRow{lost, 2}, LedgerRow{again(6, "host-2"), 3}});
  const HistoryFilter filter{.since = history_noon() - 1h, .limit = 100};
  RunCounts found = value(reader_->counts(filter, CountPer::all, {}));
  if (!found.left) GTEST_SKIP() << GetParam().name << " counts only what succeeded at once";
  EXPECT_EQ(sum_of(found.counts), (Texts{"0|backup|failed|exit_code 0 of 2", "0|backup|succeeded| 3 of 3"}));
  EXPECT_EQ(sorted(all_said(*found.left)), all_said(std::vector<RunId>{history_id(3), history_id(4), history_id(6)}));
  EXPECT_EQ(value(reader_->rows_left(filter, found.left)).size(), 5u);
  found = value(reader_->counts(filter, CountPer::all, {history_id(1), history_id(9)}));
  EXPECT_EQ(sum_of(found.counts), (Texts{"0|backup|failed|exit_code 0 of 1", "0|backup|succeeded| 2 of 2"}));
  EXPECT_EQ(value(reader_->rows_left(filter, found.left)).size(), 7u);
  put(3, "host-2", {});
  found = value(reader_->counts(filter, CountPer::all, {}));
  EXPECT_EQ(sum_of(found.counts), (Texts{"0|backup|failed|exit_code 0 of 1", "0|backup|succeeded| 2 of 2"}))
      << "a node with two ledgers may have another row of it";
}

/// A summary may count whole days otherwise than the rest.
TEST_P(HistoryReading, CountsOfDaysAreThoseOfTheirRowsWhereverTheTimeBeginsAndEnds) {
  const WallTime midnight = history_noon() - 12h;
  std::vector<What> things;
  std::vector<Row> rows;
  for (int i = 0; i < 60; ++i) {
    Row row = history_run(i, i % 2 == 0 ? "backup" : "report");
    row.slot = midnight - 60h + i * 2h;
    rows.push_back(row);
    if (i % 3 == 0) row.status = Status::running;  // and as it ends in another batch
    things.push_back(LedgerRow{row, i + 1});
  }
  put(1, "host-1", things);
  things.clear();
  for (int i = 0; i < 60; i += 3) things.push_back(LedgerRow{rows[static_cast<std::size_t>(i)], i + 1});
  put(1, "host-1", things);
  for (const Millis from : {-61h, -60h, -49h, -48h, -30h, -24h, 1h})
    for (const Millis to : {-48h, -47h, -24h, 0h, 5h, 70h})
      for (const CountPer per : {CountPer::day, CountPer::all}) {
        std::vector<RunCount> expected;
        for (const Row& row : rows)
          if (row.slot >= midnight + from && row.slot < midnight + to)
            expected.push_back({begin_of(per, row.slot), row.job, Status::succeeded, Reason::none, 1, 1});
        HistoryFilter filter{.since = midnight + from, .until = midnight + to, .limit = 1'000};
        EXPECT_EQ(sum_of(value(reader_->counts(filter, per, {})).counts), sum_of(expected))
            << from.count() << " " << to.count();
        filter.jobs = {"report"}, filter.groups = {"nightly"}, filter.nodes = {"host-1"};
        std::erase_if(expected, [](const RunCount& one) { return one.job != "report"; });
        EXPECT_EQ(sum_of(value(reader_->counts(filter, per, {})).counts), sum_of(expected))
            << from.count() << " " << to.count();
      }
  EXPECT_EQ(sum_of(value(reader_->counts({}, CountPer::all, {})).counts),
            (Texts{"0|backup|succeeded| 30 of 30", "0|report|succeeded| 30 of 30"}));
}

TEST_P(HistoryReading, RowsOfKeysAreThoseOfAllLedgers) {
  HistoryRows some(4);
  put_all(some);
  std::vector<RowKey> keys{{.job = "none", .slot = history_noon(), .until = history_noon()}};
  for (int i = 0; i < 40; ++i) {
    const Row& row = some.all[static_cast<std::size_t>(some.pick(150))].row;
    if (row.run)
      keys.push_back({.run = row.run, .attempt = row.attempt});
    else
      keys.push_back({.job = row.job, .slot = row.slot - 10min, .until = row.slot + 10min});
  }
  Texts expected;
  for (const KeptRow& one : some.all)
    if (std::any_of(keys.begin(), keys.end(), [&](const RowKey& key) {
          return key.run ? one.row.run == key.run && one.row.attempt == key.attempt
                         : one.row.job == key.job && one.row.slot >= key.slot && one.row.slot <= key.until;
        }))
      expected.push_back(said(one));
  EXPECT_EQ(sorted(all_said(value(reader_->rows_of(keys)))), sorted(expected));
  EXPECT_TRUE(value(reader_->rows_of({})).empty());
}

TEST_P(HistoryReading, RowsOfManySlotsAreFoundByEachOfThem) {
  Row many = history_slot(0);
  many.slot_until = many.slot + 10min;
  many.slots = 11;
  put(1, "host-1",
      {LedgerRow{many, 1}, LedgerRow{history_slot(1'800), 2}, LedgerRow{history_run(60), 3},
       LedgerRow{history_slot(60, "other"), 4}});
  const auto found = [&](Millis from, Millis until) {
    std::string ids;
    for (const KeptRow& one :
         value(reader_->rows_of({{.job = "backup", .slot = history_noon() + from, .until = history_noon() + until}})))
      ids += std::to_string(one.id);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(found(0min, 0min), "1");
  EXPECT_EQ(found(1min, 1min), "13");
  EXPECT_EQ(found(10min, 12min), "1");
  EXPECT_EQ(found(11min, 12min), "");
  EXPECT_EQ(found(-5min, -1min), "");
  EXPECT_EQ(found(-5min, 0min), "1");
  EXPECT_EQ(found(10min, 30min), "12");
}

TEST_P(HistoryReading, LastRowsAreThoseOfTheNewestSlotOfEachJob) {
  HistoryRows some(5);
  put_all(some);
  Texts expected;
  const std::vector<std::string> jobs{"job-0", "job-2", "job-3", "none"};
  for (const std::string& job : jobs) {
    const auto of_job = some.matching({.jobs = {job}});
    for (const KeptRow& one : of_job)
      if (one.row.slot == of_job.front().row.slot) expected.push_back(said(one));
  }
  EXPECT_EQ(sorted(all_said(value(reader_->last_rows(jobs)))), sorted(expected));
  EXPECT_TRUE(value(reader_->last_rows({})).empty());
}

TEST_P(HistoryReading, RunsAreFoundByTheEndOfTheirIds) {
  Row one = history_run(0x12345678), like_it = history_run(0x02345678), again = history_run(0x12345678);
  again.attempt = 2;
  Row other = history_run(0x12345679);
  put(1, "host-1",
      {LedgerRow{one, 1}, LedgerRow{like_it, 2}, LedgerRow{other, 3}, LedgerRow{again, 4},
       LedgerRow{history_slot(1), 5}});
  put(2, "host-2", {LedgerRow{one, 1}});
  const auto found = [&](const std::string& digits) {
    Texts ids;
    for (const RunId& id : value(reader_->find_run(digits))) ids.push_back(id.text());
    return sorted(ids);
  };
  EXPECT_EQ(found("345678"), sorted({one.run->text(), like_it.run->text()}));
  EXPECT_EQ(found("2345678"), sorted({one.run->text(), like_it.run->text()}));
  EXPECT_EQ(found("12345678"), Texts{one.run->text()});
  EXPECT_EQ(found("0012345678"), Texts{one.run->text()});
  EXPECT_EQ(found("345679"), Texts{other.run->text()});
  EXPECT_EQ(found("0000ff"), Texts{});
  std::string whole = one.run->text();
  std::erase(whole, '-');
  EXPECT_EQ(found(whole), Texts{one.run->text()});
}

TEST_P(HistoryReading, AtMostTenRunsAreFound) {
  std::vector<What> things;
  for (int i = 0; i < 14; ++i) things.push_back(LedgerRow{history_run((i << 24) | 0xabcdef), i + 1});
  put(1, "host-1", things);
  EXPECT_EQ(value(reader_->find_run("abcdef")).size(), 10u);
}

TEST_P(HistoryReading, LedgersAreGivenByNode) {
  put(1, "host-2", {});
  put(2, "host-1", {});
  put(3, "host-10", {LedgerRow{history_run(1), 1}});
  Texts nodes;
  for (const LedgerLine& one : value(reader_->ledgers())) nodes.push_back(one.node);
  EXPECT_EQ(nodes, (Texts{"host-1", "host-10", "host-2"}));
}

}  // namespace ballot::conformance
