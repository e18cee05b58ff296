// What the history in PostgreSQL takes and answers, on a server of its own: rows a second that senders put, in batches
// of 1,000, and how long questions take on what is there then. By hand, in a release build:
//
//   cmake --preset release -B build/bench -DBALLOT_TESTS=ON, then its target history_bench
//   build/bench/tests/history_bench [BATCHES [SENDERS [MONTHS [synced]]]]
//   build/bench/tests/history_bench at URL        # questions only, on what is there: history_rows.sh
//
// MONTHS: over how many the slots are spread. synced: the server's disk is waited for.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/figures.hpp"
#include "bench/history_server.hpp"
#include "bench/machine.hpp"

namespace ballot::bench {
namespace {

using namespace std::chrono_literals;

constexpr int batch_rows = 1'000, jobs = 2'000, groups = 20, one_failed_of = 20;

/// Of one node: jobs in turn, their slots evenly over a time that ends now.
class Slots {
 public:
  Slots(int node, std::int64_t rows, int months)
      : node_("host-" + std::to_string(node)), random_(static_cast<std::uint32_t>(node)), span_(months * 30 * 24h) {
    end_ = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
    step_ = Millis(std::max<std::int64_t>(1, Millis(span_).count() / rows));
  }

  Row next() {
    const std::int64_t n = count_++;
    Row row;
    row.slot = end_ - span_ + step_ * n;
    row.run = id_at(row.slot);
    row.job = "job-" + std::to_string(n % jobs);
    row.group = "group-" + std::to_string(n % jobs % groups);
    row.node = node_;
    row.attempt = 1;
    const bool failed = n % one_failed_of == 3;
    row.status = failed ? Status::failed : Status::succeeded;
    row.reason = failed ? Reason::exit_code : Reason::none;
    row.exit_code = failed ? 1 : 0;
    row.started_at = row.slot + 3ms;
    row.ended_at = row.slot + 203ms;
    row.duration = 200ms;
    row.epoch = 42;
    row.fence = static_cast<std::uint64_t>(n + 1);
    row.output_bytes = 120;
    return row;
  }
  RunId id_at(WallTime at) {
    RunId id;
    for (std::size_t i = 6; i < 16; ++i) id.bytes[i] = static_cast<std::uint8_t>(random_());
    for (std::size_t i = 0; i < 6; ++i)
      id.bytes[i] = static_cast<std::uint8_t>(at.time_since_epoch().count() >> (8 * (5 - i)));
    id.bytes[6] = static_cast<std::uint8_t>(0x70 | (id.bytes[6] & 15));
    return id;
  }
  const std::string& node() const { return node_; }

 private:
  const std::string node_;
  std::mt19937 random_;
  const Millis span_;
  WallTime end_{};
  Millis step_{};
  std::int64_t count_ = 0;
};

void send(const Options& options, int node, int batches, int months) {
  Slots slots(node, std::int64_t{batches} * batch_rows, months);
  const auto history = open_history(options, HistoryUse::send);
  LedgerBatch batch;
  batch.ledger = slots.id_at(WallTime(1ms));
  batch.node = slots.node();
  value(history->line_of(batch.ledger, batch.node));
  for (int i = 0; i < batches; ++i) {
    batch.after = batch.last;
    batch.changes.clear();
    while (std::ssize(batch.changes) < batch_rows) {
      ++batch.last;
      batch.changes.push_back({batch.last, LedgerRow{slots.next(), batch.last}});
    }
    value(history->put(batch));
  }
}

template <class Ask>
void measure(const char* what, const Ask& ask) {
  std::vector<double> times;
  std::size_t found = 0;
  for (int i = 0; i < 15; ++i) times.push_back(1e3 * seconds_of([&] { found = ask(); }));
  std::cout << what << ": first " << times.front() << " ms, p50 " << median(times) << " ms, " << found << " rows"
            << std::endl;
}

/// Each once, and then again, when the server has what they need in its memory.
template <class Ask>
void measure_each(const char* what, int count, const Ask& ask) {
  for (const char* time : {"first", "again"}) {
    std::vector<double> times;
    std::size_t found = 0;
    for (int i = 0; i < count; ++i)
      times.push_back(1e3 * seconds_of([&] { found += ask(static_cast<std::size_t>(i)); }));
    std::cout << what << ", " << time << ": of " << count << " the first " << times.front() << ", p50 "
              << quantile(times, 0.5) << ", p99 " << quantile(times, 0.99) << ", most " << quantile(times, 1) << " ms, "
              << found << " rows" << std::endl;
  }
}

std::vector<std::string> all_jobs(History& history) {
  std::vector<std::string> names;
  for (int i = 0; i < groups; ++i) names.push_back("group-" + std::to_string(i));
  std::vector<std::string> all = value(history.jobs_of(names));
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  return all;
}

/// What a summary is made of. The API takes no more than 50,000 counts.
void read_week(History& history, WallTime week) {
  const auto counts = [&](HistoryFilter filter, CountPer per = CountPer::hour) {
    filter.since = week;
    return value(history.counts(filter, per, {})).counts.size();
  };
  measure("a week's counts by job", [&] { return counts({.limit = 50'001}, CountPer::all); });
  measure("a week's counts by job and day", [&] { return counts({.limit = std::nullopt}, CountPer::day); });
  measure("a week's counts by job and hour", [&] { return counts({.limit = std::nullopt}); });
  measure("a week's counts by job and hour, as far as the API takes them", [&] { return counts({.limit = 50'001}); });
  measure("a week's counts of a job", [&] { return counts({.jobs = {"job-7"}, .limit = 50'001}); });
  measure("a week's counts of a group", [&] { return counts({.groups = {"group-7"}, .limit = 50'001}); });
  measure("a week's other rows, 1,000 of them",
          [&] { return value(history.rows_left({.since = week, .limit = 1'000}, std::nullopt)).size(); });
  const auto left = value(history.counts({.since = week, .limit = 50'001}, CountPer::all, {})).left;
  measure("a week's rows that are not counted",
          [&] { return value(history.rows_left({.since = week, .limit = 10'000}, left)).size(); });
}

/// Of as many jobs, and of all ages.
std::vector<RunId> some_runs(History& history, const std::vector<std::string>& jobs, std::size_t count) {
  std::vector<RunId> runs;
  for (const std::string& name : jobs) {
    const auto all = value(history.rows({.jobs = {name}, .limit = 10'000}));
    const KeptRow& one = all[all.size() * runs.size() / count];
    if (one.row.run) runs.push_back(*one.row.run);
    if (runs.size() == count) break;
  }
  return runs;
}

/// Whoever sends counts days that are over when it connects, for a second.
void count_days(const Options& options) {
  for (int i = 0; i < 10; ++i) {
    const auto sender = open_history(options, HistoryUse::send);
    for (const LedgerLine& line : value(sender->ledgers())) value(sender->line_of(line.ledger, line.node));
  }
}

void read(const Options& options) {
  count_days(options);
  const auto history = open_history(options, HistoryUse::read);
  const auto rows = [&](const HistoryFilter& filter) { return value(history->rows(filter)).size(); };
  const std::vector<std::string> names = all_jobs(*history);
  measure_each("the last 50 of a job", 200, [&](std::size_t i) { return rows({.jobs = {names[i]}}); });
  measure("the last 50", [&] { return rows({}); });
  measure("the last 50 of a group", [&] { return rows({.groups = {"group-7"}}); });
  measure("the last 50 that failed", [&] { return rows({.statuses = {Status::failed}}); });
  measure("the last 10,000", [&] { return rows({.limit = 10'000}); });
  const auto page = value(history->rows({.limit = 1'000}));
  std::vector<RowKey> keys;
  for (const KeptRow& one : page)
    if (one.row.run) keys.push_back({.run = one.row.run, .attempt = 1});
  measure("1,000 runs by their ids", [&] { return value(history->rows_of(keys)).size(); });
  const std::vector<RunId> runs = some_runs(*history, names, 200);
  measure_each("a run by its id", 200, [&](std::size_t i) { return rows({.run = runs[i]}); });
  measure_each("a run by 8 digits", 200,
               [&](std::size_t i) { return value(history->find_run(runs[i].text().substr(28))).size(); });
  const std::vector<std::string> thousand(names.begin(), names.begin() + 1'000);
  measure("the last rows of 1,000 jobs", [&] { return value(history->last_rows(thousand)).size(); });
  read_week(*history, page.front().row.slot - 24h * 7);
}

void run(int batches, int senders, int months, bool synced) {
  const HistoryServer there(synced);
  const testing::PostgresServer& server = there.server;
  const Options options = there.options();
  server.ask(
      "SET search_path = ballot; SELECT make_partition('rows', 'slot', date_trunc('month', now() AT TIME ZONE"
      " 'UTC') - i * interval '1 month') FROM generate_series(1, " +
      std::to_string(months) + ") AS i");
  const auto began = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < senders; ++i) threads.emplace_back([=] { send(options, i, batches, months); });
  for (std::thread& thread : threads) thread.join();
  const double time = seconds_since(began), rows = 1.0 * batches * batch_rows * senders;
  std::cout << rows / time << " rows/s: " << rows << " rows in " << time << " s" << std::endl;
  server.ask("VACUUM ANALYZE ballot.rows");
  std::cout << server.ask(
                   "SELECT pg_size_pretty(sum(pg_table_size(oid))) || ' of rows, ' ||"
                   " pg_size_pretty(sum(pg_indexes_size(oid))) || ' of indexes' FROM pg_class"
                   " WHERE relname ~ '^rows_' AND relkind = 'r'")
            << std::endl;
  read(options);
}

}  // namespace
}  // namespace ballot::bench

int main(int count, char** values) try {
  using namespace ballot::bench;
  const auto number = [&](int i, int otherwise) { return count > i ? std::atoi(values[i]) : otherwise; };
  if (count == 3 && std::string(values[1]) == "at")
    read({{"url", std::string(values[2])}});
  else
    run(number(1, 200), number(2, 1), number(3, 1), count > 4);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "history_bench: " << error.what() << std::endl;
  return 1;
}
