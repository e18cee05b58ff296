#include "bench/bench_daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/unique_fd.hpp"
#include "bench/machine.hpp"
#include "core/job/slots/settlement.hpp"
#include "storage/reader.hpp"
#include "support/process/run_program.hpp"

namespace ballot::bench {

namespace fs = std::filesystem;

namespace {

fs::path parent_of(Disk disk) {
  const fs::path memory = "/dev/shm";
  return disk == Disk::in_memory && fs::is_directory(memory) ? memory : fs::temp_directory_path();
}

}  // namespace

BenchDaemon::BenchDaemon(Disk disk, const std::string& more) : folder(parent_of(disk)) {
  fs::create_directory(folder / "jobs.d");
  folder.write("ballot.toml", "node = \"n1\"\njobs_dir = \"" + (folder / "jobs.d") + "\"\nstate_dir = \"" +
                                  (folder / "state") + "\"\nrun_dir = \"" + (folder / "run") + "\"\n" + more);
}

BenchDaemon::~BenchDaemon() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  for (int i = 0; i < 3000 && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++i) sleep_until(wall_now() + Millis(10));
  if (::kill(pid_, SIGKILL) == 0) ::waitpid(pid_, nullptr, 0);
  if (runner_ > 0) ::kill(runner_, SIGTERM);
}

void BenchDaemon::job(const std::string& name, const std::string& keys) const {
  folder.write("jobs.d/" + name + ".toml", "[job." + name + "]\n" + keys + "\n");
}

void BenchDaemon::start(int nice) {
  const UniqueFd to(::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::vector<std::string> command{BALLOT_PROGRAM, "serve", "--config", folder / "ballot.toml"};
  if (nice != 0) command.insert(command.begin(), {"/usr/bin/nice", "-n", std::to_string(nice)});
  pid_ = testing::Running::spawn(command, {}, to.get(), to.get());
  const std::string ready = fs::is_empty(folder / "jobs.d") ? " serves " : " leads ";
  wait_until("the daemon leads", std::chrono::seconds(120), [&] {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) fail("the daemon has ended:\n" + log());
    return log().find(ready) != std::string::npos;
  });
  runner_ = find_runner();
}

void BenchDaemon::wait_until_quiet() const {
  double used = cpu_seconds(pid_);
  wait_until("the daemon is quiet", std::chrono::seconds(300), [&] {
    sleep_until(wall_now() + std::chrono::seconds(2));
    const double before = std::exchange(used, cpu_seconds(pid_));
    return used - before < 0.02;
  });
}

std::string BenchDaemon::log() const { return testing::text_of(folder / "log"); }

/// The process of that name that has the socket open.
pid_t BenchDaemon::find_runner() const {
  std::set<std::string> sockets;
  std::ifstream table("/proc/net/unix");
  for (std::string line; std::getline(table, line);) {
    if (!line.ends_with(folder / "run/runner.sock")) continue;
    std::istringstream words(line);
    std::string inode;
    for (int i = 0; i < 7; ++i) words >> inode;
    sockets.insert("socket:[" + inode + "]");
  }
  std::error_code gone;
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (!testing::text_of(process.path() / "comm").starts_with("ballot-runner")) continue;
    for (const auto& open : fs::directory_iterator(process.path() / "fd", gone))
      if (sockets.contains(fs::read_symlink(open.path(), gone).string()))
        return std::stoi(process.path().filename().string());
  }
  fail("the daemon has no runner:\n" + log());
}

std::vector<Row> BenchDaemon::rows_of(WallTime slot) const {
  std::vector<Row> rows;
  auto reader = storage::Reader::open(ledger_path());
  if (!reader) fail(reader.error().what);
  const storage::Filter filter{.since = slot, .until = slot + Millis(1), .limit = std::nullopt};
  (void)reader->history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  return rows;
}

std::vector<double> BenchDaemon::lateness(WallTime from, int seconds) const {
  std::vector<double> late;
  Job job;
  job.jitter = std::chrono::seconds(1);
  for (int i = 0; i < seconds; ++i)
    for (const Row& row : rows_of(from + i * std::chrono::seconds(1))) {
      if (!row.started_at) continue;
      job.name = row.job;
      late.push_back(static_cast<double>((*row.started_at - core::due_at(job, row.slot)).count()));
    }
  return late;
}

}  // namespace ballot::bench
