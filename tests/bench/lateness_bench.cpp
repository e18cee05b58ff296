#include <spawn.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "bench/bench_daemon.hpp"
#include "bench/benches.hpp"
#include "bench/machine.hpp"

namespace ballot::bench {
namespace {

/// The floor: at an instant, one durable commit, then one child.
class BareLoop {
 public:
  BareLoop(const std::string& path, std::string out) : out_(std::move(out)) {
    sqlite3_open(path.c_str(), &db_);
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE claim (id INTEGER PRIMARY KEY, fence INTEGER); INSERT INTO claim VALUES (1, 0)");
  }
  ~BareLoop() { sqlite3_close(db_); }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  void fire(WallTime at) {
    sleep_until(at);
    run("UPDATE claim SET fence = fence + 1");
    std::string program = BALLOT_STAMP;
    char* arguments[] = {program.data(), out_.data(), nullptr};
    int status = 0;
    if (::posix_spawn(nullptr, program.c_str(), nullptr, nullptr, arguments, environ) != 0 || ::wait(&status) < 0)
      fail("cannot spawn");
  }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
  }

  std::string out_;
  sqlite3* db_ = nullptr;
};

/// How long after its second, or half second, each line's time is; in ms.
std::vector<double> latenesses(const std::string& path, double phase) {
  std::vector<double> late;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    const double into_second = std::stod(line.substr(10)) * 1e3 - phase;
    late.push_back(into_second < 0 ? into_second + 1000 : into_second);
  }
  return late;
}

/// Both in each second, half a second apart: whatever else the machine does hits both alike.
void take_latenesses(const Scale& scale, Figures& figures) {
  const int seconds = scale.pairs * scale.count(60, 3);
  BenchDaemon daemon;
  const std::string out = daemon.folder / "out", floor_out = daemon.folder / "floor";
  daemon.job("each-second", "schedule = \"* * * * * *\"\ncommand = [\"" BALLOT_STAMP "\", \"" + out + "\"]");
  daemon.start();
  BareLoop floor(daemon.folder / "floor.db", floor_out);
  const WallTime begin = next_multiple(std::chrono::seconds(1), wall_now() + Millis(2000));
  sleep_until(begin - Millis(200));
  std::filesystem::remove(out);
  for (int i = 0; i < seconds; ++i) floor.fire(begin + Millis(1000 * i + 500));
  sleep_until(wall_now() + Millis(100));
  const auto bare = latenesses(floor_out, 500), ballot = latenesses(out, 0);
  if (std::ssize(ballot) < seconds * 9 / 10)
    throw Disturbed("of " + std::to_string(seconds) + " seconds the job ran in " + std::to_string(ballot.size()));
  for (const auto& [name, share, target] : {std::tuple{"p50", 0.5, std::optional<Target>()},
                                            std::tuple{"p99", 0.99, std::optional(at_most_of_floor(1.5))}}) {
    const double least = quantile(bare, share), reached = quantile(ballot, share);
    figures.add({.name = std::string("one job each second: lateness ") + name,
                 .unit = "ms",
                 .floor = least,
                 .value = reached,
                 .ratio = reached / least,
                 .target = target,
                 .note = std::to_string(seconds) + " of each, in turn"});
  }
}

}  // namespace

void measure_lateness(const Scale& scale, Figures& figures) {
  until_undisturbed([&] { take_latenesses(scale, figures); });
}

}  // namespace ballot::bench
