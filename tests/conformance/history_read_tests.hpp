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

/// By hours, jobs and nothing else.
TEST_P(HistoryReading, WhatSucceededAtOnceAndWhatIsLeftAreAllRows) {
  HistoryRows some(3);
  put_all(some);
  const auto read = [&](const HistoryFilter& filter) { return reader_->rows_left(filter); };
  for (int i = 0; i < 30; ++i) {
    HistoryFilter filter = some.any_filter();
    filter.run.reset();
    std::map<std::pair<WallTime, std::string>, std::int64_t> expected, found;
    std::vector<KeptRow> left;
    for (const KeptRow& one : some.matching(filter))
      if (HistoryRows::is_at_once(one))
        ++expected[{std::chrono::floor<std::chrono::hours>(one.row.slot), one.row.job}];
      else
        left.push_back(one);
    for (const RunCount& count : value(reader_->succeeded_at_once(filter)))
      found[{count.hour, count.job}] += count.runs;
    EXPECT_EQ(found, expected) << i;
    EXPECT_EQ(all_said(value(reader_->rows_left(filter))), all_said(left)) << i;
    if (i < 5) {
      EXPECT_EQ(paged(filter, 4, read), all_said(left)) << i;
    }
    filter.limit = 2;
    EXPECT_EQ(value(reader_->succeeded_at_once(filter)).size(), std::min<std::size_t>(2, expected.size())) << i;
  }
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
