// What handing a ledger on to PostgreSQL costs, with real daemons on the local backend and a server of its own that
// syncs its disk. By hand, in a release build:
//
//   cmake --preset release -B build/bench -DBALLOT_TESTS=ON, then its target feed_bench
//   build/bench/tests/feed_bench lag [SECONDS [JOBS]]   # jobs due each second: how far the history is behind
//   build/bench/tests/feed_bench burst [PAIRS]          # 1,000 jobs at one instant, with and without a history
//   build/bench/tests/feed_bench growth [SECONDS]       # bytes a run in ledger and database
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/bench_daemon.hpp"
#include "bench/burst.hpp"
#include "bench/figures.hpp"
#include "bench/history_server.hpp"
#include "bench/machine.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::bench {
namespace {

constexpr std::chrono::seconds second{1};
constexpr int nice_of_unit = -10;  // packaging/systemd/ballot.service
constexpr std::chrono::seconds settling{5};

/// The first column of the first row, of the ledger as it stands on the disk.
std::int64_t ask_ledger(const BenchDaemon& daemon, const char* sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* ask = nullptr;
  std::int64_t found = -1;
  if (sqlite3_open_v2(daemon.ledger_path().c_str(), &db, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &ask, nullptr) == SQLITE_OK && sqlite3_step(ask) == SQLITE_ROW)
    found = sqlite3_column_int64(ask, 0);
  sqlite3_finalize(ask);
  sqlite3_close(db);
  if (found < 0) fail("the ledger does not answer");
  return found;
}

/// Jobs that are due at their share of each second.
void add_jobs(const BenchDaemon& daemon, int jobs, const std::string& command,
              const std::string& concurrency = "skip") {
  for (int i = 0; i < jobs; ++i)
    daemon.job("each-" + std::to_string(i), "schedule = \"* * * * * *\"\njitter = \"1s\"\nconcurrency = \"" +
                                                concurrency + "\"\ncommand = [" + command + "]");
}

std::int64_t sent_of(History& history) {
  const auto lines = value(history.ledgers());
  return lines.empty() ? 0 : lines.front().change;
}

void add_quantiles(const std::string& name, const std::vector<double>& values, std::optional<Target> most,
                   Figures& figures) {
  if (values.empty()) fail("nothing was measured of " + name);
  figures.add({.name = name + ", p50", .unit = "ms", .value = quantile(values, 0.5)});
  figures.add({.name = name + ", p99", .unit = "ms", .value = quantile(values, 0.99)});
  figures.add({.name = name + ", most", .unit = "ms", .value = quantile(values, 1), .target = most});
}

// ---- lag

/// The age of what waits, as the daemon's metric has it, in ms.
double lag_shown(int port) {
  const std::string name = "\nballot_history_oldest_unsent_timestamp_seconds ";
  testing::WebClient client(port);
  const auto answer = client.ask("GET /metrics");
  const std::size_t at = answer.body.find(name);
  if (answer.status != 200 || at == std::string::npos) fail("no metrics: " + answer.head + answer.body);
  const double since = std::stod(answer.body.substr(at + name.size()));
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return since == 0 ? 0 : (now - since) * 1e3;
}

/// How long it takes until the history has all that the ledger has now, in ms.
double time_to_arrive(const BenchDaemon& daemon, History& history) {
  const std::int64_t newest = ask_ledger(daemon, "SELECT max(change) FROM ledger");
  return 1e3 * seconds_of([&] {
           wait_until("the history has what the ledger has", std::chrono::seconds(60),
                      [&] { return sent_of(history) >= newest; });
         });
}

void measure_lag(int seconds, int jobs, Figures& figures) {
  const HistoryServer there(true);
  const testing::ReservedPort port;
  BenchDaemon daemon(Disk::real, "[http]\nlisten = \"127.0.0.1:" + std::to_string(port.number()) +
                                     "\"\nanonymous = \"viewer\"\n" + there.configuration());
  add_jobs(daemon, jobs, "\"" BALLOT_BARE_STAMP "\", \"" + (daemon.folder / "out") + "\"");
  daemon.start(nice_of_unit);
  const auto history = open_history(there.options(), HistoryUse::read);
  const WallTime begin = next_multiple(second, wall_now() + settling);
  sleep_until(begin);
  const double used = cpu_seconds(daemon.pid());
  std::vector<double> shown, arrived;
  for (int i = 1; i <= seconds; ++i) {
    shown.push_back(lag_shown(port.number()));
    arrived.push_back(time_to_arrive(daemon, *history));
    if (i % 60 == 0)
      std::fprintf(stderr, "  %d s: most %.0f and %.0f ms\n", i, quantile(shown, 1), quantile(arrived, 1));
    sleep_until(begin + i * second + Millis(i * 137 % 1'000));  // at all times of a second
  }
  const double cpu = (cpu_seconds(daemon.pid()) - used) / seconds * 100;
  sleep_until(wall_now() + settling);
  const std::vector<double> late = daemon.lateness(begin, seconds);
  const std::string name = std::to_string(jobs) + " jobs due each second, " + std::to_string(seconds) + " s: ";
  figures.add({.name = name + "runs a second", .unit = "1/s", .value = static_cast<double>(late.size()) / seconds});
  add_quantiles(name + "what waits is so old (metric)", shown, at_most(1'000), figures);
  add_quantiles(name + "until the history has what the ledger has", arrived, at_most(1'000), figures);
  add_quantiles(name + "lateness", late, std::nullopt, figures);
  figures.add({.name = name + "CPU of the daemon, of one core", .unit = "%", .value = cpu});
}

// ---- burst

/// Two daemons whose bursts take turns. The first one of each does not count.
void measure_burst(int pairs, Figures& figures) {
  const HistoryServer there(true);
  const std::chrono::seconds period(20);
  Burst without(1'000, period, "", BALLOT_STAMP);
  Burst with(1'000, period, there.configuration(), BALLOT_STAMP, period / 2);
  Pairs rate, late, recorded, cpu;
  const auto take_pair = [&](bool counts) {
    const Launches one = without.next(), other = with.next();
    std::fprintf(stderr, "  %.0f and %.0f launches a second\n", one.per_second(), other.per_second());
    if (!counts) return;
    rate.add(one.per_second(), other.per_second());
    late.add(quantile(one.late, 0.5), quantile(other.late, 0.5));
    recorded.add(without.recorded.back(), with.recorded.back());
    cpu.add(without.daemon_cpu.back(), with.daemon_cpu.back());
  };
  for (int i = 0; i <= pairs; ++i) until_undisturbed([&] { take_pair(i > 0); });
  const std::string name = "burst of 1000 without and with a history: ";
  figures.add(rate.figure(name + "launches", "1/s", at_least_of_floor(0.95)));
  figures.add(late.figure(name + "lateness p50", "ms", at_most_of_floor(1.05)));
  figures.add(recorded.figure(name + "recorded, from the instant due", "1/s", std::nullopt));
  figures.add(cpu.figure(name + "CPU of the daemon a run", "us", std::nullopt));
}

// ---- growth

struct Size {
  std::int64_t rows, output, ledger;
};

Size size_of(const HistoryServer& there, const BenchDaemon& daemon) {
  const auto ledger = static_cast<std::int64_t>(std::filesystem::file_size(daemon.ledger_path()));
  return {there.bytes_of("rows"), there.bytes_of("output"), ledger};
}

/// What compresses little.
std::string text_of(int bytes) {
  std::string text;
  for (std::uint32_t state = 1; std::ssize(text) < bytes; state = state * 1'103'515'245 + 12'345)
    text += static_cast<char>(' ' + (state >> 16) % 95);
  return text;
}

/// Of runs that print so many bytes and end at once, or take a second, so that their rows are sent twice. What is there
/// with no run is no run's.
void measure_growth(int seconds, int bytes, bool take_a_second, Figures& figures) {
  const HistoryServer there(true);
  BenchDaemon daemon(Disk::real, there.configuration());
  daemon.folder.write("text", text_of(bytes));
  if (take_a_second)
    add_jobs(daemon, 300, R"("/usr/bin/sleep", "0.9")", "allow");
  else
    add_jobs(daemon, 300, R"("/usr/bin/cat", ")" + (daemon.folder / "text") + "\"");
  const std::int64_t rows = there.bytes_of("rows"), output = there.bytes_of("output");
  daemon.start(nice_of_unit);
  const auto history = open_history(there.options(), HistoryUse::read);
  const auto runs_now = [&] { return ask_ledger(daemon, "SELECT count(*) FROM ledger WHERE run_id IS NOT NULL"); };
  sleep_until(wall_now() + settling);
  const Size before = size_of(there, daemon);
  const std::int64_t first = runs_now();
  sleep_until(wall_now() + seconds * second);
  (void)time_to_arrive(daemon, *history);
  const Size after = size_of(there, daemon);
  const std::int64_t runs = runs_now();
  const std::string name =
      take_a_second ? "of a run of a second: " : "of a run that prints " + std::to_string(bytes) + " bytes: ";
  const auto add = [&](const char* what, std::int64_t size, std::int64_t count) {
    figures.add({.name = name + what,
                 .unit = "B",
                 .value = static_cast<double>(size) / static_cast<double>(count),
                 .note = "of " + std::to_string(count) + " runs"});
  };
  add("in the database's rows and their indexes", after.rows - rows, runs);
  add("in the database's output", after.output - output, runs);
  add("in the ledger", after.ledger - before.ledger, runs - first);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i, int otherwise) { return argc > i ? std::max(1, std::atoi(argv[i])) : otherwise; };
  Figures figures;
  if (what == "lag")
    measure_lag(number(2, 600), number(3, 1'000), figures);
  else if (what == "burst")
    measure_burst(number(2, 5), figures);
  else if (what == "growth") {
    for (const int bytes : {0, 200, 4'096}) measure_growth(number(2, 120), bytes, false, figures);
    measure_growth(number(2, 120), 0, true, figures);
  } else
    fail("usage: feed_bench lag [SECONDS [JOBS]] | burst [PAIRS] | growth [SECONDS]");
  figures.print_table();
  return 0;
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) try { return ballot::bench::main(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "feed_bench: %s\n", error.what());
  return 1;
}
