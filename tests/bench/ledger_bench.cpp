#include <sqlite3.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>

#include "base/random.hpp"
#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/machine.hpp"
#include "storage/ledger.hpp"
#include "storage/reader.hpp"
#include "support/process/run_program.hpp"

namespace ballot::bench {
namespace {

/// Rows as a busy node writes them: jobs in turn, one slot a second each, one in fifty failed, one in a hundred
/// skipped.
class Rows {
 public:
  explicit Rows(int jobs) : jobs_(jobs) {}

  Row next() {
    const std::int64_t n = count_++;
    Row row;
    row.slot = WallTime(std::chrono::seconds(1'750'000'000 + n / jobs_));
    row.job = "job-" + std::to_string(n % jobs_);
    row.group = "group-" + std::to_string(n % jobs_ % 16);
    row.node = n % 20 == 0 ? "node-2.example.org" : "node-1.example.org";
    row.epoch = 42;
    if (n % 100 == 7) {
      row.status = Status::skipped;
      row.reason = Reason::overlap;
      return row;
    }
    row.run = random_.run_id(row.slot);
    row.attempt = 1;
    row.status = n % 50 == 3 ? Status::failed : Status::succeeded;
    row.reason = n % 50 == 3 ? Reason::exit_code : Reason::none;
    row.exit_code = n % 50 == 3 ? 1 : 0;
    row.started_at = row.slot + Millis(3);
    row.ended_at = row.slot + Millis(203 + n % 100);
    row.duration = Millis(200 + n % 100);
    row.fence = static_cast<std::uint64_t>(n / jobs_ + 1);
    row.output_bytes = 120;
    return row;
  }

 private:
  int jobs_;
  std::int64_t count_ = 0;
  Random random_{7};
};

void run(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db));
}

/// The floor: one table and three indexes, durable groups of 64, as anybody would write it.
double bare_rows_per_second(const std::string& path, int rows, int jobs) {
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  run(db, "PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536; PRAGMA synchronous = FULL");
  run(db,
      "CREATE TABLE row (id INTEGER PRIMARY KEY, run BLOB, job INTEGER, slot INTEGER, attempt INTEGER, status INTEGER,"
      " reason INTEGER, exit_code INTEGER, started INTEGER, ended INTEGER, duration INTEGER, node INTEGER, epoch "
      "INTEGER,"
      " fence INTEGER, output_bytes INTEGER);"
      "CREATE UNIQUE INDEX row_run ON row (run, attempt);"
      "CREATE INDEX row_job ON row (job, slot);"
      "CREATE INDEX row_slot ON row (slot);");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO row VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", -1, &insert,
                     nullptr);
  Rows source(jobs);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < rows; ++i) {
    if (i % 64 == 0) run(db, "BEGIN IMMEDIATE");
    const Row row = source.next();
    if (row.run)
      sqlite3_bind_blob(insert, 1, row.run->bytes.data(), 16, SQLITE_STATIC);
    else
      sqlite3_bind_null(insert, 1);
    const std::int64_t values[] = {i % jobs,
                                   row.slot.time_since_epoch().count(),
                                   row.attempt,
                                   row.status.number(),
                                   row.reason.number(),
                                   row.exit_code.value_or(0),
                                   row.started_at.value_or(WallTime()).time_since_epoch().count(),
                                   row.ended_at.value_or(WallTime()).time_since_epoch().count(),
                                   row.duration.value_or(Millis(0)).count(),
                                   i % 20 == 0,
                                   42,
                                   static_cast<std::int64_t>(row.fence),
                                   row.output_bytes};
    for (int column = 0; const std::int64_t value : values) sqlite3_bind_int64(insert, ++column + 1, value);
    sqlite3_step(insert);
    sqlite3_reset(insert);
    if (i % 64 == 63 || i == rows - 1) run(db, "COMMIT");
  }
  const double rate = rows / seconds_since(begin);
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return rate;
}

/// Lets at most a few thousand rows be under way, as the claims of a node do.
class Window {
 public:
  void open_one() {
    const std::scoped_lock lock(mutex_);
    ++done_;
    changed_.notify_one();
  }
  void wait_until_done(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int done_ = 0;
};

/// As a daemon does that has at most a few thousand rows under way.
double ledger_rows_per_second(const std::string& path, int rows, int jobs) {
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  constexpr int flush_every = 8192;
  Rows source(jobs);
  Window window;
  int flushes = 0;
  storage::Ledger ledger({.path = path, .limits = {.keep = std::chrono::days(100'000)}},
                         {.now = wall_now,
                          .on_state = [](const storage::LedgerState& s) { s.degraded ? fail(s.reason) : void(); },
                          .alarm = [](std::string_view text) { fail(std::string(text)); }});
  const double taken = seconds_of([&] {
    for (int i = 0; i < rows; ++i) {
      ledger.record(source.next());
      if (i % flush_every != flush_every - 1) continue;
      ledger.flush([&] { window.open_one(); });
      window.wait_until_done(flushes++);
    }
    ledger.flush([&] { window.open_one(); });
    window.wait_until_done(flushes + 1);
  });
  return rows / taken;
}

/// Milliseconds of each of 200 queries, each for a job of its own.
std::vector<double> query_times(const std::string& path, int jobs) {
  auto reader = storage::Reader::open(path);
  if (!reader) fail(reader.error().what);
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const storage::Filter filter{.jobs = {"job-" + std::to_string(i * 7919 % jobs)}};
    int rows = 0;
    times.push_back(1e3 * seconds_of([&] { (void)reader->history(filter, [&](const Row&) { return ++rows, true; }); }));
    if (rows == 0) fail("the ledger has lost the rows of a job");
  }
  return times;
}

/// Milliseconds of `ballot history --job NAME`, with no daemon there.
std::vector<double> command_times(const std::string& config, int jobs) {
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const std::string job = "job-" + std::to_string(i * 7919 % jobs);
    testing::Ran ran;
    times.push_back(
        1e3 * seconds_of([&] {
          ran = testing::run_program({BALLOT_PROGRAM, "history", "--job", job, "--limit", "50", "--config", config});
        }));
    if (ran.code != 0 || ran.out.find(job) == std::string::npos) fail("ballot history: " + ran.err);
  }
  return times;
}

void measure_queries(const Scale& scale, Figures& figures) {
  const int rows = scale.count(10'000'000, 20'000), jobs = scale.count(1000, 100);
  const BenchDaemon unstarted;
  std::filesystem::create_directory(unstarted.folder / "state");
  ledger_rows_per_second(unstarted.ledger_path(), rows, jobs);
  const std::string name = "ledger of " + std::to_string(rows) + " rows: ";
  figures.add({.name = name + "last 50 of a job, p50",
               .unit = "ms",
               .value = median(query_times(unstarted.ledger_path(), jobs)),
               .target = at_most(1)});
  figures.add({.name = name + "the whole command, p50",
               .unit = "ms",
               .value = median(command_times(unstarted.folder / "ballot.toml", jobs)),
               .target = at_most(8)});
}

}  // namespace

void measure_ledger(const Scale& scale, Figures& figures) {
  const int rows = scale.count(200'000, 10'000), jobs = 1000;
  const TempFolder folder;
  Pairs insert;
  for (int pair = 0; pair < scale.pairs; ++pair) {
    const double bare = bare_rows_per_second(folder / "bare.db", rows, jobs);
    insert.add(bare, ledger_rows_per_second(folder / "ledger.db", rows, jobs));
  }
  figures.add(insert.figure("ledger: sustained insert", "1/s", at_least_of_floor(0.7)));
  measure_queries(scale, figures);
}

}  // namespace ballot::bench
