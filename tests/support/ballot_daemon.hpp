// BallotDaemon: a real `ballot serve` of its own folder, with its log to wait on and its ledger to read.
//
//   BallotDaemon daemon;
//   daemon.job("tick", "schedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]");
//   daemon.start();
//   daemon.wait_for("succeeded", 3);            // three lines of the log that say so
//   EXPECT_EQ(daemon.stop(), 0);
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "storage/reader.hpp"
#include "support/run_program.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {

class BallotDaemon {
 public:
  BallotDaemon() {
    std::filesystem::create_directory(folder / "jobs.d");
    configure("");
  }
  ~BallotDaemon() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    end_runner();
  }
  BallotDaemon(const BallotDaemon&) = delete;
  BallotDaemon& operator=(const BallotDaemon&) = delete;

  /// Rewrites ballot.toml with `more` behind what every test needs.
  void configure(const std::string& more) {
    folder.write("ballot.toml", "node = \"n1\"\njobs_dir = \"" + (folder / "jobs.d") + "\"\nstate_dir = \"" +
                                    (folder / "state") + "\"\nrun_dir = \"" + (folder / "run") + "\"\n" + more);
  }
  /// A file jobs.d/NAME.toml with one job; replaced as a whole, as configuration management does.
  void job(const std::string& name, const std::string& keys) { file(name, "[job." + name + "]\n" + keys + "\n"); }
  void file(const std::string& name, const std::string& text) {
    folder.write("new", text);
    std::filesystem::rename(folder / "new", folder / ("jobs.d/" + name + ".toml"));
  }
  void remove(const std::string& name) { std::filesystem::remove(folder / ("jobs.d/" + name + ".toml")); }

  void start(std::vector<std::string> flags = {}) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    log_.reset(ends[0]);
    const UniqueFd child_end(ends[1]);
    std::vector<std::string> arguments{BALLOT_PROGRAM, "serve", "--config", folder / "ballot.toml"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    pid_ = Running::spawn(std::move(arguments), environment, 1, child_end.get());
  }

  /// Reads the log until `count` more lines have `text` in them. False: that took longer than `limit`, or it ended.
  bool wait_for(const std::string& text, int count = 1, std::chrono::seconds limit = std::chrono::seconds(30)) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (true) {
      for (std::size_t end = log.find('\n', read_); end != std::string::npos; end = log.find('\n', read_)) {
        const bool found = log.substr(read_, end - read_).find(text) != std::string::npos;
        read_ = end + 1;
        if (found && --count == 0) return true;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      pollfd waiting{log_.get(), POLLIN, 0};
      char chunk[4096];
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
      const ssize_t size = ::read(log_.get(), chunk, sizeof chunk);
      if (size <= 0) return false;
      log.append(chunk, static_cast<std::size_t>(size));
    }
  }

  /// Takes what it has logged, for wait_for() to look at: a daemon whose log nobody reads stands still in the end.
  void read_log() {
    pollfd waiting{log_.get(), POLLIN, 0};
    char chunk[65536];
    while (::poll(&waiting, 1, 0) > 0) {
      const ssize_t size = ::read(log_.get(), chunk, sizeof chunk);
      if (size <= 0) return;
      log.append(chunk, static_cast<std::size_t>(size));
    }
  }

  void send(int signal) const { ::kill(pid_, signal); }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  /// TERM, and how it ended.
  int stop() {
    send(SIGTERM);
    return wait();
  }
  int wait() {
    wait_for("\n");  // to the end of the log, so that it never blocks on the pipe
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }

  /// `ballot COMMAND ...` with this daemon's configuration.
  Ran ballot(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), BALLOT_PROGRAM);
    arguments.insert(arguments.end(), {"--config", folder / "ballot.toml"});
    return run_program(std::move(arguments));
  }

  /// The ledger, oldest first.
  std::vector<Row> rows(const std::string& job = "") const {
    (void)ballot({"history", "--limit", "1"});  // a living daemon writes what it holds
    std::vector<Row> rows;
    auto reader = storage::Reader::open(history);
    if (!reader) return rows;
    storage::Filter filter;
    if (!job.empty()) filter.jobs = {job};
    filter.limit = 1'000'000;
    (void)reader->history(filter, [&](const Row& row) { return rows.insert(rows.begin(), row), true; });
    return rows;
  }

  const TempFolder folder;
  std::string log;
  std::string history = folder / "state/history.db";  // where rows() looks
  std::vector<std::string> environment;               // of the next start(), but for PATH

 private:
  /// A daemon that was killed leaves its runner behind, which says who it is, and ends on TERM.
  void end_runner() const {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder / "run/runner.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    runner::FrameReader frames;
    char chunk[4096];
    for (ssize_t size = 1; (size = ::read(socket.get(), chunk, sizeof chunk)) > 0;) {
      frames.feed({chunk, static_cast<std::size_t>(size)});
      const auto message = frames.next_from_runner();
      if (!message || !*message) continue;
      if (const auto* hello = std::get_if<runner::Hello>(&**message)) ::kill(static_cast<pid_t>(hello->pid), SIGTERM);
      return;
    }
  }

  pid_t pid_ = -1;
  UniqueFd log_;
  std::size_t read_ = 0;
};

}  // namespace ballot::testing
