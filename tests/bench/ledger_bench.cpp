// The ledger's figures: sustained insert beside bare SQLite in the same run, and the last 50 rows of a job in a long
// ledger. Prints rows of: figure, floor, ratio, target.
//
//   bench_ledger [--rows 1000000] [--jobs 1000] [--folder DIR] [--keep]
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "storage/ledger.hpp"
#include "storage/reader.hpp"

namespace {

using namespace ballot;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

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
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    std::fprintf(stderr, "%s\n", sqlite3_errmsg(db)), std::exit(1);
}

/// The floor: one table and three indexes, groups of 64, as anybody would write it.
double bare_rows_per_second(const std::string& path, int rows, int jobs, const char* synchronous) {
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  run(db, ("PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536; PRAGMA synchronous = " + std::string(synchronous))
              .c_str());
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
                                   static_cast<int>(row.status),
                                   static_cast<int>(row.reason),
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

enum class Feed {
  one_row_a_run,   // what the floor writes
  flushed_in_64s,  // the same, each 64 of them durable before 4,096 more are sent: what a daemon that acknowledges does
  whole_lives      // claimed, running, ended: three writes a row
};

double ledger_rows_per_second(const std::string& path, int rows, int jobs, Feed feed) {
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  Rows source(jobs);
  Window window;
  int flushes = 0;
  const int flush_every = feed == Feed::flushed_in_64s ? 64 : 8192;
  const Clock::time_point begin = Clock::now();
  {
    storage::Ledger ledger(
        {.path = path, .limits = {.keep = std::chrono::days(100'000)}},
        {.now = [] { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); },
         .on_state = [](const storage::LedgerState& s) { std::fprintf(stderr, "state: %s\n", s.reason.c_str()); },
         .alarm =
             [](std::string_view text) {
               std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
             }});
    for (int i = 0; i < rows; ++i) {
      Row row = source.next();
      if (feed == Feed::whole_lives && row.run) {
        for (const Status status : {Status::claimed, Status::running}) {
          Row open = row;
          open.status = status;
          open.ended_at.reset();
          open.exit_code.reset();
          ledger.record(std::move(open));
        }
      }
      ledger.record(std::move(row));
      if (i % flush_every != flush_every - 1) continue;
      ledger.flush([&] { window.open_one(); });
      if (++flushes > 16384 / flush_every / 2) window.wait_until_done(flushes - 16384 / flush_every / 2);
    }
    ledger.flush([&] { window.open_one(); });
    window.wait_until_done(flushes + 1);
    const double rate = rows / seconds_since(begin);
    return rate;
  }
}

void print(const char* figure, double value, double floor, const char* unit, const char* target) {
  std::printf("%-58s %10.0f %-7s floor %8.0f  ratio %5.2f  target %s\n", figure, value, unit, floor, value / floor,
              target);
}

/// The median and the worst of 200 of one query, each on a job of its own, in microseconds.
void time_query(const char* figure, storage::Reader& reader, int jobs, storage::Filter filter, const char* target) {
  std::vector<double> times;
  std::size_t rows = 0;
  for (int i = 0; i < 200; ++i) {
    if (!filter.jobs.empty()) filter.jobs = {"job-" + std::to_string(i * 7919 % jobs)};
    const Clock::time_point begin = Clock::now();
    if (!reader.history(filter, [&](const Row&) { return ++rows, true; })) std::exit(1);
    times.push_back(seconds_since(begin) * 1e6);
  }
  std::printf("%-58s p50 %7.0f us  worst %7.0f us  rows %zu  target %s\n", figure, median(times),
              *std::max_element(times.begin(), times.end()), rows / 200, target);
}

void measure_inserts(const std::string& folder, int rows, int jobs) {
  std::vector<double> full, normal, ledger, durable, lives;
  for (int pair = 0; pair < 5; ++pair) {
    full.push_back(bare_rows_per_second(folder + "/bare.db", rows, jobs, "FULL"));
    ledger.push_back(ledger_rows_per_second(folder + "/ledger.db", rows, jobs, Feed::one_row_a_run));
    normal.push_back(bare_rows_per_second(folder + "/bare.db", rows, jobs, "NORMAL"));
    durable.push_back(ledger_rows_per_second(folder + "/ledger.db", rows, jobs, Feed::flushed_in_64s));
    lives.push_back(ledger_rows_per_second(folder + "/ledger.db", rows, jobs, Feed::whole_lives));
  }
  std::printf("medians of 5, %d rows each; floor: bare SQLite, one table, 3 indexes, groups of 64\n", rows);
  print("insert, floor durable (synchronous FULL)", median(ledger), median(full), "rows/s", ">= 0.70");
  print("insert, every 64 flushed, floor durable", median(durable), median(full), "rows/s", ">= 0.70");
  print("insert, floor not durable (synchronous NORMAL)", median(ledger), median(normal), "rows/s", "(none)");
  print("whole lives (three writes a row), floor durable", median(lives), median(full), "rows/s", "(none)");
}

void measure_queries(const std::string& path, int rows, int jobs) {
  const double rate = ledger_rows_per_second(path, rows, jobs, Feed::one_row_a_run);
  std::printf("%d rows in the ledger: %.0f rows/s, %.0f bytes a row\n", rows, rate,
              static_cast<double>(std::filesystem::file_size(path)) / rows);
  auto reader = storage::Reader::open(path);
  if (!reader) std::fprintf(stderr, "%s\n", reader.error().what.c_str()), std::exit(1);
  time_query("last 50 of a job", *reader, jobs, {.jobs = {""}}, "<= 1000 us");
  time_query("last 50 failed of a job", *reader, jobs, {.jobs = {""}, .statuses = {Status::failed}}, "<= 1000 us");
  time_query("last 50", *reader, jobs, {}, "<= 1000 us");
  time_query("last 50 of a group", *reader, jobs, {.groups = {"group-3"}}, "<= 1000 us");
  time_query("last 50 skipped", *reader, jobs, {.statuses = {Status::skipped}}, "<= 1000 us");
  time_query("last 50 by a reason", *reader, jobs, {.reasons = {Reason::overlap}}, "<= 1000 us");
  time_query("open rows", *reader, jobs, {.statuses = {Status::queued, Status::claimed, Status::running}},
             "<= 1000 us");
  std::optional<RunId> last;
  (void)reader->history({.limit = 1}, [&](const Row& row) { return last = row.run, true; });
  const Clock::time_point begin = Clock::now();
  const auto found = reader->find_run(last ? last->text().substr(28) : "00000000");
  std::printf("%-58s %.0f us, %zu found\n", "a run by its last 8 digits", seconds_since(begin) * 1e6,
              found ? found->size() : 0);
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 1'000'000, jobs = 1000;
  bool keep = false;
  std::string folder = std::filesystem::temp_directory_path() / "ballot-bench-ledger";
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--keep")
      keep = true;
    else if (flag == "--rows" && i + 1 < argc)
      rows = std::atoi(argv[++i]);
    else if (flag == "--jobs" && i + 1 < argc)
      jobs = std::atoi(argv[++i]);
    else if (flag == "--folder" && i + 1 < argc)
      folder = argv[++i];
    else
      return std::fprintf(stderr, "usage: bench_ledger [--rows N] [--jobs N] [--folder DIR] [--keep]\n"), 2;
  }
  std::filesystem::create_directories(folder);
  measure_inserts(folder, std::min(rows, 200'000), jobs);
  measure_queries(folder + "/long.db", rows, jobs);
  if (!keep) std::filesystem::remove_all(folder);
}
